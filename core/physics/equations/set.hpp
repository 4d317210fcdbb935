#pragma once
// A model and its loops as a set of equations, with what models leave out: [start.fields] for each field, sides that
// are periodic, mirror or let out, fields as quantities, integrals of conserved fields.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "physics/equations/kernels.hpp"
#include "physics/equations/reconstruction.hpp"

namespace eddyline::physics {

template <class Model, int D>
class Set final : public Equations {
  static constexpr std::size_t N = Model::k_fields;
  static_assert(N <= k_most_fields, "a model has too many fields");

 public:
  Set(const Settings& settings, Kernels kernels, std::int32_t ghosts)
      : model_(settings), kernels_(kernels), world_(*settings.world), ghosts_(ghosts), fields_(model_.fields()) {
    for (const Field& field : fields_) {
      names_.push_back(field.name);
      values_.push_back({field.name, field.unit});
    }
    if constexpr (requires { model_.start_names(); }) names_ = model_.start_names();
    for (const auto& [name, formula] : world_.fields)
      if (std::ranges::find(names_, name) == names_.end())
        throw UserError("start.fields." + name + ": the equations have no such field.");
    if constexpr (requires { Model::quantities(); }) values_ = Model::quantities();
    if constexpr (requires { model_.integrals(); }) {
      integrals_ = model_.integrals();
    } else {
      const std::string volume = D == 2 ? " m^2" : " m^3";
      for (const Field& field : fields_)
        if (field.meaning == Meaning::average) integrals_.push_back({"total_" + field.name, field.unit + volume});
    }
    if constexpr (requires { model_.largest(); }) {
      largest_ = model_.largest();
    } else {
      for (const Field& field : fields_) largest_.push_back({"max_" + field.name, field.unit});
    }
  }

  void set_parameters(const Settings& settings) override {
    Model made(settings);  // may throw
    std::destroy_at(&model_);
    std::construct_at(&model_, std::move(made));
  }

  const std::vector<Field>& fields() const override { return fields_; }
  std::int32_t ghosts() const override { return ghosts_; }
  bool has_constant_speed() const override { return Model::k_constant_speed; }

  void advance(const Stage& stage) const override {
    thread_local std::vector<double> work;
    if constexpr (Model::k_kind == Kind::fluxes) {
      Int3 count;
      for (std::size_t d = 0; d < 3; ++d) count[d] = stage.place.cells.count(d);
      const std::int32_t ghosts = ghosts_in(stage.in[0], count);
      work.resize(std::max(work.size(), WorkSize(count, N, ghosts, D).all()));
    }
    kernels_.advance(&model_, stage, work.data());
  }
  Inspection inspect(std::span<const double* const> fields, std::int64_t cells, double spacing) const override {
    return kernels_.inspect(&model_, fields, cells, spacing);
  }

  /// Points: the fourth difference, as a change of the first field. Means: the second difference in relation to the
  /// values themselves; components of vectors are left out, as they may be zero.
  /// Source of the latter: Loehner 1987.
  void indicate(const Place& place, std::span<const Input> in, double* out) const override {
    const std::int32_t cells = place.cells.count(0);
    for_each_row(place.cells, [&](Int3 row) {
      std::fill_n(out, cells, 0.0);
      for (std::size_t f = 0; f < N; ++f) {
        if (fields_[f].axis >= 0) continue;
        const auto& stride = in[f].stride;
        const double* at = in[f].at;
        for (std::size_t d = 0; d < 3; ++d) at += (row[d] - place.cells.lower[d]) * stride[d];
        for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d)
          raise_to_variation(f, place.spacing, at, stride[d], cells, out);
      }
      out += cells;
    });
  }

  void start(const Vec3& x, std::span<double> values) const override {
    if constexpr (requires { model_.start(world_, x, values); }) {
      model_.start(world_, x, values);
    } else {
      for (std::size_t f = 0; f < N; ++f) {
        const auto found = world_.fields.find(fields_[f].name);
        values[f] = found == world_.fields.end() ? 0.0 : found->second.evaluate(std::array{x.x, x.y, x.z, 0.0});
      }
    }
  }
  const std::vector<std::string>& start_names() const override { return names_; }

  Beyond side(std::size_t number) const override {
    if constexpr (requires { model_.side(world_, number); }) {
      return model_.side(world_, number);
    } else {
      using world::SideKind;
      const SideKind kind = world_.sides[number].kind;
      if (kind == SideKind::periodic) return Beyond::periodic;
      if (kind == SideKind::wall) return Beyond::mirror;
      if (kind == SideKind::open) return Beyond::copy;
      throw UserError("boundaries: the sides of these equations are periodic, wall or open.");
    }
  }
  void fill_beyond(const AcrossSide& row) const override {
    if constexpr (requires { model_.fill_beyond(world_, row); })
      model_.fill_beyond(world_, row);
    else
      (void)row;
  }

  const std::vector<Named>& quantities() const override { return values_; }
  void derive(std::span<const double> fields, std::span<double> quantities) const override {
    if constexpr (requires { model_.derive(fields, quantities); })
      model_.derive(fields, quantities);
    else
      std::ranges::copy(fields, quantities.begin());
  }
  const std::vector<Named>& integrals() const override { return integrals_; }
  const std::vector<Named>& largest() const override { return largest_; }
  void account(const Row& row, double* const* densities, std::span<double> largest) const override {
    if (kernels_.account != nullptr) {
      kernels_.account(&model_, row, densities, largest.data());
      return;
    }
    thread_local std::vector<double> at_cell, most;
    at_cell.resize(integrals_.size()), most.resize(largest_.size());
    std::array<Input, N> in;
    std::ranges::copy(row.in, in.begin());
    Place place = row.place;
    for (std::int32_t i = 0; i < row.place.cells.count(0); ++i) {
      place.cells.lower[0] = row.place.cells.lower[0] + i, place.cells.upper[0] = place.cells.lower[0] + 1;
      account_cell(place, in, at_cell, most);
      for (std::size_t n = 0; n < at_cell.size(); ++n) densities[n][i] = at_cell[n];
      for (std::size_t n = 0; n < most.size(); ++n) largest[n] = std::max(largest[n], most[n]);
      for (Input& each : in) ++each.at;
    }
  }
  bool accounts_within_reach() const override { return kernels_.account != nullptr; }

  std::optional<Constraint> constraint() const override {
    if constexpr (requires { model_.constraint(); }) return model_.constraint();
    return std::nullopt;
  }
  double right_side(std::span<const double> fields) const override {
    if constexpr (requires { model_.right_side(fields); }) return model_.right_side(fields);
    return Equations::right_side(fields);
  }
  std::size_t coefficients() const override {
    if constexpr (requires { model_.coefficients(); }) return model_.coefficients();
    return 0;
  }
  void find_coefficients(const Vec3& x, std::span<double> values) const override {
    if constexpr (requires { model_.find_coefficients(x, values); }) model_.find_coefficients(x, values);
  }
  double signal(double t) const override {
    if constexpr (requires { model_.signal(t); }) return model_.signal(t);
    return Equations::signal(t);
  }
  bool has_walls() const override {
    return requires { Model::k_momentum; };
  }
  bool has_friction() const override {
    return requires { Model::k_diffuses; };
  }
  WallForce wall(std::span<const double> fields, std::span<const double> next, const Wall& wall) const override {
    if constexpr (requires { Model::k_momentum; }) {
      ValuesOf<Pack<double, 1>, N> here, beyond;
      for (std::size_t f = 0; f < N; ++f) here[f] = fields[f], beyond[f] = next[f];
      return model_.wall(model_.primitive(here), model_.primitive(beyond), wall);
    } else {
      (void)fields, (void)next, (void)wall;
      return {};
    }
  }

  std::string complaint(std::span<const double> fields) const override {
    if constexpr (requires { model_.complaint(fields); }) {
      return model_.complaint(fields);
    } else {
      std::string text = "has";
      for (std::size_t f = 0; f < N; ++f)
        text += (f == 0 ? " " : ", ") + fields_[f].name + " = " + text_of(fields[f]) +
                (fields_[f].unit.empty() ? "" : " " + fields_[f].unit);
      return text + ", which is not finite. Check [start.fields], and reduce method.cfl";
    }
  }

 private:
  void account_cell(const Place& place, std::span<const Input> cell, std::span<double> densities,
                    std::span<double> largest) const {
    if constexpr (requires { model_.account(place, cell, densities, largest); }) {
      model_.account(place, cell, densities, largest);
    } else {
      std::size_t k = 0;
      for (std::size_t f = 0; f < N; ++f) {
        largest[f] = *cell[f].at;
        if (fields_[f].meaning == Meaning::average) densities[k++] = *cell[f].at;
      }
    }
  }
  /// Raises numbers of the cells of a row to the variation of a field between cells at a distance `step`.
  void raise_to_variation(std::size_t field, double spacing, const double* at, std::ptrdiff_t step, std::int32_t cells,
                          double* out) const {
    if (fields_[field].meaning == Meaning::average) {
      for (std::int32_t i = 0; i < cells; ++i) {
        const double *x = at + i, sum = std::abs(x[-step]) + 2 * std::abs(x[0]) + std::abs(x[step]);
        const double found = sum > 0 ? std::abs(x[-step] - 2 * x[0] + x[step]) / sum : 0;
        out[i] = std::max(out[i], found);
      }
      return;
    }
    double scale = 1;
    if constexpr (requires { model_.indicator_scale(field, spacing); }) scale = model_.indicator_scale(field, spacing);
    for (std::int32_t i = 0; i < cells; ++i) {
      const double* x = at + i;
      const double found = scale * std::abs((x[-2 * step] + x[2 * step]) - 4 * (x[-step] + x[step]) + 6 * x[0]);
      out[i] = std::max(out[i], found);
    }
  }

  Model model_;
  Kernels kernels_;
  world::World world_;
  std::int32_t ghosts_;
  std::vector<Field> fields_;
  std::vector<std::string> names_;
  std::vector<Named> values_, integrals_, largest_;
};

}  // namespace eddyline::physics
