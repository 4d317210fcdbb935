#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/sampler.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Quantities that the equations derive from fields between cell centres. Fields of points are interpolated by Lagrange
/// polynomials through four cells along each axis, or six where there are as many ghosts; means, which may jump,
/// between two cells. With several levels, the level of the finest cell at a place is one of the quantities of
/// pictures. `state` must outlive it.
class Sampler final : public solver::Sampler {
 public:
  explicit Sampler(State& state);

  std::span<const solver::Column> quantities() const override { return described_.quantities; }
  std::vector<solver::Raster> rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) override;
  std::span<const solver::Column> probe_columns() const override { return described_.probes; }
  std::vector<double> at(std::span<const Vec3> points) override;
  double height(Vec3, int) override { return 0; }
  double front(int) override { return 0; }

 private:
  std::vector<double> values(std::span<const Vec3> points);

  State& state_;
  solver::Description described_;
};

}  // namespace eddyline::amr
