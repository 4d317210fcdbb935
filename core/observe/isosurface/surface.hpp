#pragma once

#include <cstdint>
#include <vector>

#include "base/vec.hpp"
#include "observe/isosurface/signs.hpp"

namespace eddyline::observe {

/// A closed surface as a lattice sees it: which points are inside, and where each cut edge is cut. The order of
/// vertices is that of cut edges, see Signs::for_each_cut_edge().
struct Surface {
  Signs signs;
  std::vector<std::uint8_t> cuts;     // of each cut edge: its vertex lies at (code + 1/2) / 256 of it
  std::vector<std::uint8_t> colours;  // of each vertex, or none: low + code / 255 (high - low)
  double colour_low = 0, colour_high = 0;
  Int3 first{0, 0, 0};  // number of the first point on the lattice of the run
  std::int32_t stride = 1;
  Vec3 origin, spacing;  // place of the first point, distances between points [m]
  double level = 0, time = 0;

  std::size_t vertices() const { return cuts.size(); }
};

}  // namespace eddyline::observe
