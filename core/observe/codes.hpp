#pragma once
// Pictures as they are kept: pixels as whole numbers, and only those that show something.

#include <cstdint>
#include <span>
#include <vector>

namespace eddyline::observe {

/// A raster, value = offset + scale * code: the lowest has code 0, the highest `top`.
struct RasterCodes {
  std::vector<std::uint8_t> known;  // a bit a pixel, the first of eight is the highest: whether it has a code
  std::vector<std::uint16_t> codes;
  double scale = 1, offset = 0;
};

/// Pixels that are not finite have none, but for solid ones, all of which have that code; without `is_solid` none are.
RasterCodes codes_of(std::span<const float> pixels, std::uint16_t top, const bool* is_solid, std::uint16_t solid);

/// How much of each pixel's neighbourhood is fluid, from 0 to 1.
struct CoverCodes {
  std::vector<std::uint8_t> known;  // as above: whether there is any
  std::vector<std::uint8_t> codes;
};

/// one: the code of 1.
CoverCodes codes_of_cover(std::span<const float> cover, float one);

}  // namespace eddyline::observe
