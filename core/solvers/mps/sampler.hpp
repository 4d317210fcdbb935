#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "solver/sampler.hpp"
#include "solvers/mps/liquid.hpp"
#include "solvers/mps/solver.hpp"

namespace eddyline::mps {

/// The fluid at points and pixels: means of the particles within R, weighted with the kernel of Wendland. Sums are of
/// whole numbers, so that they are the same for any ranks and threads. Pressure at points is extrapolated along gravity
/// from each particle. In 2D without a free surface values are those of the linear fit at the point.
template <int D>
class Sampler final : public solver::Sampler {
 public:
  explicit Sampler(const Liquid<D>& liquid);

  std::span<const solver::Column> quantities() const override { return described_.quantities; }
  std::vector<solver::Raster> rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) override;
  std::span<const solver::Column> probe_columns() const override { return described_.probes; }
  std::vector<double> at(std::span<const Vec3> points) override;
  double height(Vec3 x, int axis) override;
  double front(int axis) override;

 private:
  /// Sums at a point: weight, velocity, pressure; with moments also those of the linear fit in 2D.
  static constexpr std::size_t k_means = D + 2;
  static constexpr std::size_t k_moments = D == 2 ? 11 : 0;  // r (2), r r (3), u r (4), p r (2)
  static constexpr std::size_t k_sums = k_means + k_moments;

  struct Sample {
    double fraction = 0, pressure = 0, vorticity = 0;
    Vec3 velocity;
  };
  using Sums = std::array<std::int64_t, k_sums>;

  void add(const Vec3& from, std::size_t i, double q2, Sums& to) const;
  Sample sample_of(const Sums& sums) const;
  /// Calls visit(i, x) for the particles of this rank and their periodic images within R of a block of space.
  template <class Visit>
  void for_each_near(const Vec3& low, const Vec3& high, Visit&& visit) const;
  std::vector<Sums> sums_at(std::span<const Vec3> points) const;
  double share_inside(int axis, double x) const;

  const Liquid<D>& liquid_;
  double factor_;  // of the kernel: the sum over the lattice is 1
  solver::Description described_;
};

}  // namespace eddyline::mps
