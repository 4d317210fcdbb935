#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "solver/fields.hpp"
#include "solver/points.hpp"
#include "solvers/mps/step.hpp"

namespace eddyline::mps {

/// Read access to the particles of the fluid and of walls.
template <int D>
class Fields final : public solver::FieldSets, public solver::Points {
 public:
  Fields(const Liquid<D>& liquid, const Step<D>& step) : liquid_(liquid), step_(step) {}

  std::span<const Set> sets() const override;
  std::int64_t count(std::size_t set) const override {
    return set == 0 ? liquid_.fluid_everywhere() : liquid_.walls_everywhere();
  }
  solver::Field field(std::string_view set, std::string_view name) const override;

  std::span<const std::int64_t> ids(solver::PointKind kind) const override;
  solver::PointRecord record(solver::PointKind kind, std::size_t i) const override;
  solver::QuantizedParticles quantized(std::int64_t every, bool with_ids) const override;

 private:
  double pressure(std::size_t i) const { return liquid_.constants().rho * liquid_.fluid.p[i]; }
  double wall_pressure(std::size_t k) const { return liquid_.constants().rho * step_.wall_pressure(k); }
  bool is_beyond_open_side(std::size_t i) const;

  const Liquid<D>& liquid_;
  const Step<D>& step_;
};

}  // namespace eddyline::mps
