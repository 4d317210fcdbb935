#pragma once
// Pictures as they are stored: only pixels that show something, as whole numbers.

#include <cstdint>
#include <span>
#include <vector>

namespace eddyline::observe {

/// Selects the known pixels: finite ones and, if `is_solid` is given, solid ones. Sets a bit for each known pixel, the
/// first of eight is the highest, and appends their values; solid pixels have NaN.
void keep_known(std::span<const float> pixels, const bool* is_solid, std::uint8_t* known, std::vector<float>& values);

/// value = offset + scale * code: the lowest has code 0, the highest `top`.
struct Codes {
  std::vector<std::uint16_t> codes;
  double scale = 1, offset = 0;
};

/// Returns the codes. solid: code of values that are not finite.
Codes codes_of(std::span<const float> values, std::uint16_t top, std::uint16_t solid);

/// Returns the codes of covers from 0 to 1. one: the code of 1.
std::vector<std::uint8_t> codes_of_cover(std::span<const float> covers, float one);

}  // namespace eddyline::observe
