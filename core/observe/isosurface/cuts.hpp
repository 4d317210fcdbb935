#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "observe/isosurface/signs.hpp"

namespace eddyline::observe {

/// Code of a cut whose place cannot be computed, because one end of the edge has no value.
inline constexpr std::uint8_t k_middle = 128;

/// The place at which a level cuts an edge, from the values at its lower and upper end, in 1/256 of the edge: 0 to 255.
std::uint8_t cut_code(float lower, float upper, float level);

/// The part of a surface in some layers of a lattice. Parts of successive layers, one after the other, are the surface.
struct SurfaceLayers {
  std::vector<std::uint64_t> signs;  // of these layers
  std::vector<std::uint8_t> cuts;
  std::vector<float> colours;  // interpolated at vertices; none, or one for each cut
};

/// Cuts a lattice at a level. values, colours (or none): those of `layers` layers and, unless this is the end of the
/// lattice, of the next one. Parts do not depend on how a lattice is divided into layers, nor on threads.
SurfaceLayers cut_layers(Int3 count, std::int32_t layers, std::span<const float> values, std::span<const float> colours,
                         float level);

}  // namespace eddyline::observe
