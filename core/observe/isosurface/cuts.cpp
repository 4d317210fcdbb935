#include "observe/isosurface/cuts.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel_for.hpp"

namespace eddyline::observe {

namespace {

/// Linear in between; where only one end has a value, that value.
float between(float lower, float upper, std::uint8_t code) {
  if (!std::isfinite(lower)) return upper;
  if (!std::isfinite(upper)) return lower;
  return lower + (static_cast<float>(code) + 0.5F) * (1.0F / 256) * (upper - lower);
}

}  // namespace

std::uint8_t cut_code(float lower, float upper, float level) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) return k_middle;
  const float part = (level - lower) / (upper - lower) * 256.0F;
  return static_cast<std::uint8_t>(part > 0 ? (part < 255 ? static_cast<int>(part) : 255) : 0);
}

SurfaceLayers cut_layers(Int3 count, std::int32_t layers, std::span<const float> values, std::span<const float> colours,
                         float level) {
  const Signs signs(count, values, level);
  SurfaceLayers part;
  const auto own = signs.bits(layers);
  part.signs.assign(own.begin(), own.end());
  std::vector<std::size_t> first(static_cast<std::size_t>(layers) + 1);
  parallel_for(layers, [&](std::int64_t z) {
    const auto layer = static_cast<std::int32_t>(z);
    first[static_cast<std::size_t>(z) + 1] = signs.count_cut_edges(layer, layer + 1);
  });
  for (std::size_t z = 1; z < first.size(); ++z) first[z] += first[z - 1];
  part.cuts.resize(first.back());
  if (!colours.empty()) part.colours.resize(first.back());
  const std::size_t row_points = static_cast<std::size_t>(count[0]);
  const std::size_t steps[3] = {1, row_points, row_points * static_cast<std::size_t>(count[1])};
  parallel_for(layers, [&](std::int64_t z) {
    std::size_t vertex = first[static_cast<std::size_t>(z)];
    for (std::int32_t row = 0; row < count[1]; ++row) {
      const std::size_t begin = signs.row(row, static_cast<std::int32_t>(z)) * row_points;
      signs.for_each_cut_edge_of_row(
          row, static_cast<std::int32_t>(z), [&](std::int32_t x, std::int32_t, std::int32_t, int axis) {
            const std::size_t lower = begin + static_cast<std::size_t>(x), upper = lower + steps[axis];
            const std::uint8_t code = cut_code(values[lower], values[upper], level);
            part.cuts[vertex] = code;
            if (!colours.empty()) part.colours[vertex] = between(colours[lower], colours[upper], code);
            ++vertex;
          });
    }
  });
  return part;
}

}  // namespace eddyline::observe
