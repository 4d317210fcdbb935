#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/vec.hpp"
#include "particles/cells.hpp"
#include "solver/plane.hpp"
#include "solvers/sph/observe/point_sums.hpp"
#include "solvers/sph/observe/sampled_flow.hpp"

namespace eddyline::sph {

/// The fluid at a point, from the particles around it. SI units. Of delta without a free surface, of the linear
/// function that fits them best (weights V W), so that a value on a wall is the one there and not that of the fluid
/// before it; with one, whose spray determines no gradient, the mean  f(x) = sum V f W / sum V W. Pressure at single
/// points is then carried along gravity from each particle, p_j + rho_j g . (x - x_j), as to the dummy particles of
/// walls.
struct Sample {
  double fraction = 0;     // sum V W: 1 inside the fluid, 0 outside
  double pressure = 0;     // [Pa]
  double gas_density = 0;  // [kg/m^3]; that of a liquid follows from its pressure
  Vec3 velocity;           // [m/s]
  double vorticity = 0;    // dv/dx - du/dy of that linear function [1/s]; without one 0
};

/// What is asked for of a sample; velocities alone take less time where they are means.
enum class Fields { velocity, all };

/// Reads the state. Every rank adds what its own particles contribute to each point; sums are of whole numbers, so that
/// they are the same for any boxes, threads and ranks. Collective.
template <int D>
class FieldSampler {
 public:
  explicit FieldSampler(const SampledFlow<D>& flow) : flow_(flow) {}
  const SampledFlow<D>& flow() const { return flow_; }

  /// What it shows is there until the sampler is asked for something else.
  std::span<const Sample> at(std::span<const Vec3> points);
  /// At those pixels that fluid is near, one by one.
  using Show = std::function<void(Pixel, const Sample&)>;
  void at(const PixelRows& pixels, Fields fields, const Show& show);
  /// Those of all rows that fluid may be near; fewer, where most of the domain is empty.
  PixelRows near_fluid(const solver::Plane& plane) const;
  /// Of linear functions, with a free surface, too: their vorticity is exact for a uniform gradient, beside walls and
  /// surfaces as well.
  void fitted(const PixelRows& pixels, const Show& show);
  /// [kg/m^3]
  double density(const Sample& sample) const;
  /// How much of each point is fluid, as in its sample.
  std::vector<double> fractions(std::span<const Vec3> points);
  /// How much of a neighbourhood the sides of the domain that are walls leave along an axis, about: from one half
  /// beside them to 1.
  double share_inside(int axis, double x) const;
  /// Height of the free surface above `x` along an axis: where, seen from the top, the fluid's fraction rises through
  /// one half of what walls of the domain leave. 0 where there is no fluid.
  double height(Vec3 x, int axis);

 private:
  /// A particle, dimensionless; its volume in units of sums.
  struct Carried {
    double volume, pressure, density;
    double velocity[D];
    bool is_small;  // all contributions are below k_small
  };
  Carried carried(std::size_t i) const;
  Place place(Vec3 x) const;
  /// Of places, over R.
  double quantum() const { return flow_.constants().scale; }

  /// Calls visit(at, end, cell, image) for each run of owned cells along x in a block of cells of the grid, which goes
  /// on beyond sides that are periodic: its cells `at` to `end`, the first one's place among the concatenated cells,
  /// and by how many periods along each axis their particles stand elsewhere.
  template <class Visit>
  void for_each_run(const particles::CellBox& cells, Visit&& visit) const;
  /// Calls visit(particle, x, place) for all of this rank's fluid within R of a block of space, and for some beyond.
  template <class Visit>
  void for_each_near(Vec3 low, Vec3 high, Visit&& visit) const;
  /// Adds what that fluid contributes to a strip or a bunch of points in the block.
  template <class Points, class Contribution>
  void add_near(Vec3 low, Vec3 high, Points& points, const Contribution& contribution) const;
  /// N sums at each point, over the fluid of this rank within R of it: of what contribution(particle, r, W, put) puts,
  /// see PackedSums, dimensionless. Where W is 0 all of it is zero.
  template <std::size_t N, class Contribution>
  void find_own_sums(std::span<const Vec3> points, const Contribution& contribution);
  template <std::size_t N, class Contribution>
  void find_own_sums(const PixelRows& pixels, const Contribution& contribution);
  /// The same over the fluid of all ranks: use(point, sums) for each whose first sum is not 0.
  template <std::size_t N, class Contribution, class Use>
  void for_each_sums(std::span<const Vec3> points, const Contribution& contribution, Use&& use);
  template <std::size_t N, class Contribution, class Use>
  void for_each_sums(const PixelRows& pixels, const Contribution& contribution, Use&& use);
  /// Makes sum V W a fraction.
  double kernel() const { return flow_.constants().kernel / (flow_.fluid.classic ? 4 : 20); }
  /// Samples of linear functions or means: use(point, sample) for each that fluid is near.
  template <class Where, class Use>
  void find_fits(const Where& where, Use&& use);
  template <class Where, class Use>
  void find_means(const Where& where, Fields fields, Use&& use);
  /// Of a fraction and D components of velocity, then of pressure and density as far as they are among N.
  template <std::size_t N, bool Hydrostatic = false, class Where, class Use>
  void find_means(const Where& where, Use&& use);

  SampledFlow<D> flow_;
  Array<std::int64_t> sums_;  // in units: N for each point, or PixelSums; no four across two cache lines
  std::vector<Sample> samples_;
};

}  // namespace eddyline::sph
