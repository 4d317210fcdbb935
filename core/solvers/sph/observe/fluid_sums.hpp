#pragma once

#include <cstdint>
#include <span>

#include "base/arrays.hpp"
#include "base/vec.hpp"
#include "particles/cells.hpp"
#include "solvers/sph/observe/point_sums.hpp"
#include "solvers/sph/observe/sampled_flow.hpp"

namespace eddyline::sph {

/// Sums over the fluid near points or pixels. Every rank adds the contributions of its own particles to each point.
/// Sums are of whole numbers, so that they are the same for any boxes, threads and ranks. Collective.
template <int D>
class FluidSums {
 public:
  explicit FluidSums(const SampledFlow<D>& flow) : flow_(flow) {}

  /// A particle, dimensionless; its volume in units of sums.
  struct Carried {
    double volume, pressure, density;
    double velocity[D];
    bool is_small;  // all contributions are below k_small
  };
  /// Sums over the fluid of all ranks and calls use(point, sums) for each point with a first sum other than 0.
  template <std::size_t N, class Contribution, class Use>
  void for_each_sums(std::span<const Vec3> points, const Contribution& contribution, Use&& use);
  template <std::size_t N, class Contribution, class Use>
  void for_each_sums(const PixelRows& pixels, const Contribution& contribution, Use&& use);

 private:
  Carried carried(std::size_t i) const;
  Place place(Vec3 x) const;
  /// A quantum of places over R.
  double quantum() const { return flow_.constants().scale; }

  /// Calls visit(at, end, cell, image) for each run of owned cells along x in a block of cells of the grid, which
  /// continues beyond periodic sides: its cells `at` to `end`, the index of the first one among the concatenated cells,
  /// and by how many periods along each axis the particles are shifted.
  template <class Visit>
  void for_each_run(const particles::CellBox& cells, Visit&& visit) const;
  /// Calls visit(particle, x, place) for all of this rank's fluid within R of a block of space, and for some beyond.
  template <class Visit>
  void for_each_near(Vec3 low, Vec3 high, Visit&& visit) const;
  /// Adds the contributions of that fluid to a strip or a bunch of points in the block.
  template <class Points, class Contribution>
  void add_near(Vec3 low, Vec3 high, Points& points, const Contribution& contribution) const;
  /// N sums at each point over the fluid of this rank within R of it. contribution(particle, r, W, put) puts the terms,
  /// see PackedSums, dimensionless. Where W is 0 all terms are zero.
  template <std::size_t N, class Contribution>
  void find_own_sums(std::span<const Vec3> points, const Contribution& contribution);
  template <std::size_t N, class Contribution>
  void find_own_sums(const PixelRows& pixels, const Contribution& contribution);

  SampledFlow<D> flow_;
  Array<std::int64_t> sums_;  // sums in units: N for each point, or PixelSums; no group of four crosses a cache line
};

}  // namespace eddyline::sph
