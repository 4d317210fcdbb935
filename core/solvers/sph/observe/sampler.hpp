#pragma once

#include <span>
#include <vector>

#include "solver/sampler.hpp"
#include "solvers/sph/observe/field_sampler.hpp"
#include "solvers/sph/observe/rasters.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/solver.hpp"

namespace eddyline::sph {

/// The fluid at points and pixels, interpolated from particles.
template <class T, int D>
class Sampler final : public solver::Sampler {
 public:
  explicit Sampler(const Parts<T, D>& parts)
      : state_(parts.state),
        domain_(parts.domain),
        of_pictures_(SampledFlow<D>(parts.state, parts.domain)),
        of_points_(SampledFlow<D>(parts.state, parts.domain)),
        described_(describe(parts.state.world)) {}

  std::span<const solver::Column> quantities() const override { return described_.quantities; }
  std::vector<solver::Raster> rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) override;
  std::span<const solver::Column> lattice_quantities() const override;
  std::vector<float> lattice(std::int32_t quantity, const solver::Lattice& lattice, solver::Layers layers) override;
  std::span<const solver::Column> probe_columns() const override { return described_.probes; }
  std::vector<double> at(std::span<const Vec3> points) override;
  double height(Vec3 x, int axis) override { return of_points_.height(x, axis); }
  double front(int axis) override;

 private:
  const State<T, D>& state_;
  const Domain<T, D>& domain_;
  FieldSampler<D> of_pictures_, of_points_;  // each with its own memory
  solver::Description described_;
};

}  // namespace eddyline::sph
