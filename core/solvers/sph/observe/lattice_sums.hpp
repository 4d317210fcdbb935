#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "solver/lattice.hpp"
#include "solvers/sph/observe/sampled_flow.hpp"

namespace eddyline::sph {

/// A box of points of the lattice.
struct LatticeBox {
  Int3 lower, upper;

  std::int32_t extent(std::size_t axis) const { return upper[axis] - lower[axis]; }
  bool is_empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
  std::size_t points() const {
    return is_empty() ? 0
                      : static_cast<std::size_t>(extent(0)) * static_cast<std::size_t>(extent(1)) *
                            static_cast<std::size_t>(extent(2));
  }
  std::size_t row(std::int32_t y, std::int32_t z) const {
    return (static_cast<std::size_t>(z - lower[2]) * static_cast<std::size_t>(extent(1)) +
            static_cast<std::size_t>(y - lower[1])) *
           static_cast<std::size_t>(extent(0));
  }
  std::size_t point(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return row(y, z) + static_cast<std::size_t>(x - lower[0]);
  }
};

/// A particle, or an image of it beyond a periodic side, in units of the lattice's spacing.
struct LatticeDot {
  std::array<float, 3> at;
  float volume;  // in units of k_unit, times the kernel's constant
};

/// The lattice of a surface and the lengths that follow from it.
struct LatticeScales {
  static constexpr float k_unit = 0x1p-20F;  // contributions are rounded to whole multiples of it
  static constexpr int k_passes = 2;         // of smoothing
  /// A particle at a point with a raw colour above this limit is no drop.
  static constexpr float k_crowded = 0.8F;

  LatticeScales(double spacing, const solver::Lattice& lattice, solver::Layers layers);
  /// The point nearest to a particle.
  Int3 nearest(const LatticeDot& dot) const;

  solver::Lattice lattice;
  solver::Layers layers, wide;    // those that one rank asked for; and those that they depend on
  double coarsest, radius, drop;  // [m]
  std::array<float, 3> reach, scale;
  std::int32_t drop_layers;
};

/// Sums of the colour function on the wide layers of one rank.
struct LatticeSums {
  LatticeBox box{};                // of the following values; beyond it there is no fluid
  std::vector<std::int32_t> sums;  // in units of k_unit
  std::vector<LatticeDot> drops;   // particles that may be drops
};

/// Adds up the contributions of all ranks. Sums are of whole numbers, so that they do not depend on ranks, boxes and
/// threads. Collective.
LatticeSums lattice_sums(const SampledFlow<3>& flow, const LatticeScales& scales);

}  // namespace eddyline::sph
