#pragma once
// The library of a module for blocks, compiled after the module's header; see library.hpp for the macros, and
// physics/scalars/model.hpp for what the header defines.

#include "base/lanes_select.hpp"
#include "physics/modules/host.hpp"
#include "physics/scalars/module_scalars.hpp"

namespace eddyline::module {

template <int D>
class Carried final : public physics::scalars::ModuleScalars {
  static constexpr std::size_t N = Model<D>::k_scalars;
  static_assert(N > 0 && N <= physics::scalars::k_most, "a module has 1 to 16 scalars");
  using Q = Pack<double, 4>;
  using Place = physics::scalars::Place<Q, D, N>;
  static constexpr bool k_has_source = requires(const Model<D>& model, const Place& at) { model.source(at); };
  static constexpr bool k_has_loss = requires(const Model<D>& model, const Place& at) { model.loss(at); };
  static_assert(k_has_source || !k_has_loss, "the model has loss(at), but no source(at)");

 public:
  explicit Carried(const physics::Settings& settings) : model_(settings) {}

  std::vector<physics::scalars::Scalar> scalars() const override { return model_.scalars(); }
  bool has_sources() const override { return k_has_source; }

  void sources(const physics::scalars::Row& row, std::int32_t count, std::span<double* const> sources,
               std::span<double* const> losses) const override {
    if constexpr (k_has_source)
      for (std::int32_t n = 0; n < count; n += Q::width) {
        const Place at = place(row, n);
        const physics::scalars::Values<Q, N> found = model_.source(at);
        physics::scalars::Values<Q, N> loss{};
        if constexpr (k_has_loss) loss = model_.loss(at);
        for (std::size_t k = 0; k < N; ++k) {
          found[k].store(sources[k] + n);
          loss[k].store(losses[k] + n);
        }
      }
  }

 private:
  static Place place(const physics::scalars::Row& row, std::int32_t n) {
    Place at;
    for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d)
      at.x[d] = Q::load(row.x[d] + n), at.u[d] = Q::load(row.u[d] + n);
    at.p = Q(row.density) * Q::load(row.pressure + n);
    at.rho = Q(row.density), at.t = Q(row.time);
    for (std::size_t k = 0; k < N; ++k) at.value[k] = Q::load(row.values[k] + n);
    return at;
  }

  Model<D> model_;
};

inline physics::scalars::ModuleScalars* make_scalars(const physics::ModuleHost& host,
                                                     const physics::Settings& settings) {
  host_functions = host;
#ifdef EDDYLINE_MODULE_2D
  if (settings.dimensions() == 2) return new Carried<2>(settings);
#endif
#ifdef EDDYLINE_MODULE_3D
  if (settings.dimensions() == 3) return new Carried<3>(settings);
#endif
  throw UserError("the module has no scalars in " + std::to_string(settings.dimensions()) + "D.");
}

}  // namespace eddyline::module

const eddyline::physics::ModuleEntry* eddyline_module() {
  static const eddyline::physics::ModuleEntry entry{.about = eddyline::module::k_about,
                                                    .make = nullptr,
                                                    .make_terms = nullptr,
                                                    .make_scalars = &eddyline::module::make_scalars};
  return &entry;
}
