#pragma once
// The part of the library of a module for particles that is compiled once, after the module's header; see library.hpp
// for the macros, and physics/terms/model.hpp for what the header defines.

#include <array>

#include "physics/modules/host.hpp"
#include "physics/modules/particle_loops.hpp"
#include "physics/terms/model_sweep.hpp"
#include "physics/terms/variables.hpp"

namespace eddyline::module {

namespace terms = physics::terms;

/// The best sweep of the library that the processor's instruction set, as the core chose it, can run.
template <int D>
TermSweep<float> term_sweep(const std::string& instructions) {
#ifdef EDDYLINE_MODULE_AVX512
  if (instructions == "avx512") return term_sweep_avx512<D>();
#endif
#ifdef EDDYLINE_MODULE_AVX2
  if (instructions != "scalar") return term_sweep_avx2<D>();
#endif
  (void)instructions;
  return term_sweep_scalar<D>();
}

template <int D>
class Terms final : public terms::ModuleTerms {
  using P = Pack<double, 1>;
  static constexpr bool k_has_acceleration =
      requires(const Model<D>& model, const terms::Particle<P, D>& at) { model.acceleration(at); };
  static_assert(terms::k_acts_on_pairs<Model<D>, P, D> || k_has_acceleration,
                "the model has no central(pair), no force(pair) and no acceleration(at)");

 public:
  Terms(const std::string& instructions, const physics::Settings& settings)
      : model_(settings), sweep_(term_sweep<D>(instructions)) {}

  bool acts_on_pairs() const override { return terms::k_acts_on_pairs<Model<D>, P, D>; }
  bool acts_on_particles() const override { return k_has_acceleration; }

  void sweep(const terms::PairInput<float>& in, float* const* out, std::int64_t first,
             std::int64_t last) const override {
    sweep_(&model_, in, out, first, last);
  }
  void sweep(const terms::PairInput<double>& in, double* const* out, std::int64_t first,
             std::int64_t last) const override {
    term_sweep_double<D>()(&model_, in, out, first, last);
  }

  void accelerate(int count, double time, const double* const* values, double* const* out) const override {
    std::array<double, terms::k_particle_variables> of{};
    std::array<double, D> found;
    for (int l = 0; l < count; ++l) {
      for (std::size_t v = 0; v < of.size(); ++v) of[v] = values[v] != nullptr ? values[v][l] : 0;
      of[terms::k_particle_time] = time;
      acceleration_of(of, found);
      for (std::size_t d = 0; d < D; ++d) out[d][l] += found[d];
    }
  }

  void force_of_pair(std::span<const double> values, std::span<double> force) const override {
    using terms::Of;
    const auto at = [&](Of of, std::size_t axis = 0) { return P(values[static_cast<std::size_t>(of) + axis]); };
    terms::Pair<P, D> pair;
    pair.i = {at(Of::rho_i), at(Of::p_i), at(Of::m_i), at(Of::V_i), {}};
    pair.j = {at(Of::rho_j), at(Of::p_j), at(Of::m_j), at(Of::V_j), {}};
    pair.r = at(Of::r), pair.q = at(Of::q), pair.W = at(Of::W), pair.dW = at(Of::dW);
    pair.vr = at(Of::vr), pair.t = at(Of::t);
    for (std::size_t d = 0; d < D; ++d) {
      pair.i.v[d] = at(Of::vx_i, d), pair.j.v[d] = at(Of::vx_j, d);
      pair.r_ij[d] = at(Of::rx, d), pair.v_ij[d] = at(Of::vx, d), pair.x[d] = at(Of::x, d);
      pair.normal[d] = pair.r_ij[d] / pair.r;
    }
    P sum[D];
    terms::add_forces<Model<D>, P, D>(model_, pair, P(1) > P(0), sum);
    for (std::size_t d = 0; d < D; ++d) force[d] = sum[d].v;
  }

  void acceleration_of(std::span<const double> values, std::span<double> acceleration) const override {
    using terms::OfParticle;
    const auto at = [&](OfParticle of, std::size_t axis = 0) { return P(values[static_cast<std::size_t>(of) + axis]); };
    terms::Particle<P, D> particle;
    for (std::size_t d = 0; d < D; ++d) particle.x[d] = at(OfParticle::x, d), particle.v[d] = at(OfParticle::vx, d);
    particle.rho = at(OfParticle::rho), particle.p = at(OfParticle::p), particle.t = at(OfParticle::t);
    terms::Vector<P, D> found{};
    if constexpr (k_has_acceleration) found = model_.acceleration(particle);
    for (std::size_t d = 0; d < D; ++d) acceleration[d] = found[d].v;
  }

 private:
  Model<D> model_;
  TermSweep<float> sweep_;
};

inline terms::ModuleTerms* make_terms(const physics::ModuleHost& host, const std::string& instructions,
                                      const physics::Settings& settings) {
  host_functions = host;
#ifdef EDDYLINE_MODULE_2D
  if (settings.dimensions() == 2) return new Terms<2>(instructions, settings);
#endif
#ifdef EDDYLINE_MODULE_3D
  if (settings.dimensions() == 3) return new Terms<3>(instructions, settings);
#endif
  throw UserError("the module has no term in " + std::to_string(settings.dimensions()) + "D.");
}

}  // namespace eddyline::module

const eddyline::physics::ModuleEntry* eddyline_module() {
  static const eddyline::physics::ModuleEntry entry{.about = eddyline::module::k_about,
                                                    .make = nullptr,
                                                    .make_terms = &eddyline::module::make_terms,
                                                    .make_scalars = nullptr};
  return &entry;
}
