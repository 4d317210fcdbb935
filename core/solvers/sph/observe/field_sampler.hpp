#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "particles/cells.hpp"
#include "solver/plane.hpp"
#include "solvers/sph/observe/fluid_sums.hpp"
#include "solvers/sph/observe/point_sums.hpp"
#include "solvers/sph/observe/sampled_flow.hpp"

namespace eddyline::sph {

/// The fluid at a point, from the particles around it. SI units. With delta and without a free surface: values of the
/// linear function that fits the particles best (weights V W), so that a value on a wall is the one at the wall and not
/// that of the fluid in front of it. With a free surface, where spray determines no gradient: the mean f(x) = sum V f W
/// / sum V W. Pressure at single points is then extrapolated along gravity from each particle, p_j + rho_j g . (x -
/// x_j), as for the dummy particles of walls.
struct Sample {
  double fraction = 0;     // sum V W: 1 inside the fluid, 0 outside
  double pressure = 0;     // [Pa]
  double gas_density = 0;  // [kg/m^3]; that of a liquid follows from its pressure
  Vec3 velocity;           // [m/s]
  double vorticity = 0;    // dv/dx - du/dy of that linear function [1/s]; 0 for means
};

/// The fields of a sample that are needed; velocities alone take less time where they are means.
enum class Fields { velocity, all };

/// Reads the state. Every rank adds the contributions of its own particles to each point. Sums are of whole numbers, so
/// that they are the same for any boxes, threads and ranks. Collective.
template <int D>
class FieldSampler {
 public:
  explicit FieldSampler(const SampledFlow<D>& flow) : flow_(flow), near_(flow) {}
  const SampledFlow<D>& flow() const { return flow_; }

  /// Samples points. The result is valid until the next call.
  std::span<const Sample> at(std::span<const Vec3> points);
  /// Samples pixels near the fluid and calls show() for each of them.
  using Show = std::function<void(Pixel, const Sample&)>;
  void at(const PixelRows& pixels, Fields fields, const Show& show);
  /// The rows of pixels that fluid may be near; fewer than all where most of the domain is empty.
  PixelRows near_fluid(const solver::Plane& plane) const;
  /// Samples linear functions, also with a free surface: their vorticity is exact for a uniform gradient, at walls and
  /// surfaces as well.
  void fitted(const PixelRows& pixels, const Show& show);
  /// [kg/m^3]
  double density(const Sample& sample) const;
  /// The fraction of each point that is fluid, as in its sample.
  std::vector<double> fractions(std::span<const Vec3> points);
  /// Approximate share of a neighbourhood along an axis that lies inside the domain's walls: from one half at a wall to
  /// 1.
  double share_inside(int axis, double x) const;
  /// Height of the free surface above `x` along an axis: where, seen from the top, the fluid's fraction rises through
  /// one half of what walls of the domain leave. 0 where there is no fluid.
  double height(Vec3 x, int axis);

 private:
  /// Converts sum V W to a fraction.
  double kernel() const { return flow_.constants().kernel / (flow_.fluid.is_classic() ? 4 : 20); }
  /// Samples linear functions or means and calls use(point, sample) for each point near the fluid.
  template <class Where, class Use>
  void find_fits(const Where& where, Use&& use);
  template <class Where, class Use>
  void find_means(const Where& where, Fields fields, Use&& use);
  /// Samples a fraction and D components of velocity, then pressure and density if N includes them.
  template <std::size_t N, bool Hydrostatic = false, class Where, class Use>
  void find_means(const Where& where, Use&& use);

  SampledFlow<D> flow_;
  FluidSums<D> near_;
  std::vector<Sample> samples_;
};

}  // namespace eddyline::sph
