#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "solver/fields.hpp"
#include "solver/points.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// Read access to the particles of the fluid and of walls.
template <class T, int D>
class Particles final : public solver::FieldSets, public solver::Points {
 public:
  explicit Particles(const Parts<T, D>& parts) : state_(parts.state), scratch_(parts.scratch), domain_(parts.domain) {}

  std::span<const Set> sets() const override;
  std::int64_t count(std::size_t set) const override {
    return set == 0 ? domain_.everywhere.fluid : domain_.everywhere.walls;
  }
  solver::Field field(std::string_view set, std::string_view name) const override;

  std::span<const std::int64_t> ids(solver::PointKind kind) const override;
  solver::PointRecord record(solver::PointKind kind, std::size_t i) const override;
  solver::QuantizedParticles quantized(std::int64_t every, bool with_ids) const override;

 private:
  solver::Field fluid_field(std::string_view name) const;
  solver::Field wall_field(std::string_view name) const;
  template <class Value>
  std::vector<double> computed(std::size_t count, Value&& value) const;
  double density(std::size_t i) const { return state_.constants.rho0 * (1 + state_.fluid.s[i]); }
  double wall_pressure(std::size_t i) const;
  bool is_at_surface(std::size_t i) const;
  bool is_beyond_open_side(std::size_t i) const;

  const State<T, D>& state_;
  const Scratch<T, D>& scratch_;
  const Domain<T, D>& domain_;
};

}  // namespace eddyline::sph
