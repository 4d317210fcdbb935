#include "patches/flags.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "comm/collectives.hpp"

namespace eddyline::patches {

using grid::IndexBox;

namespace {

constexpr std::uint32_t k_keep_bit = std::uint32_t{1} << 27;

constexpr std::uint32_t neighbor_bit(std::int32_t x, std::int32_t y, std::int32_t z) {
  return std::uint32_t{1} << static_cast<std::uint32_t>((z + 1) * 9 + (y + 1) * 3 + x + 1);
}

}  // namespace

Flags::Flags(const Units& units) : units_(units) {
  for (int level = 0; level < units.levels(); ++level) bits_.emplace_back(units.present(level).size(), 0);
}

void Flags::add(int level, const IndexBox& box, const double* values, std::int32_t around) {
  auto& bits = bits_[static_cast<std::size_t>(level)];
  const auto D = static_cast<std::size_t>(units_.dimensions());
  const auto add_cell = [&](Int3 cell, double value) {
    if (!(value > k_keep)) return;
    const Int3 unit = units_.unit_of(cell);
    std::uint32_t& own = bits[units_.index(level, unit)];
    own |= k_keep_bit;
    if (!(value > 1)) return;
    const IndexBox cells = units_.cells_of(unit);
    IndexBox reached{{0, 0, 0}, {1, 1, 1}};
    for (std::size_t d = 0; d < D; ++d) {
      reached.lower[d] = cell[d] - around < cells.lower[d] ? -1 : 0;
      reached.upper[d] = cell[d] + around >= cells.upper[d] ? 2 : 1;
    }
    for_each_cell(reached, [&](Int3 to) { own |= neighbor_bit(to[0], to[1], to[2]); });
  };
  const std::int32_t count = box.count(0);
  for_each_row(box, [&](Int3 cell) {
    double largest = 0;
    for (std::int32_t i = 0; i < count; ++i) largest = std::max(largest, values[i]);
    for (std::int32_t i = 0; largest > k_keep && i < count; ++i, ++cell[0]) add_cell(cell, values[i]);
    values += count;
  });
}

/// Every unit is on one rank, so that the sum of all ranks' bits is their union.
std::vector<Marks> Flags::marks(comm::Communicator& communicator) const {
  std::vector<Marks> wanted;
  for (int level = 0; level < units_.levels(); ++level) {
    const auto& own = bits_[static_cast<std::size_t>(level)];
    Marks& marks = wanted.emplace_back(own.size(), std::uint8_t{0});
    const Marks& present = units_.present(level);
    if (level + 1 == units_.levels() || std::ranges::find(present, 1) == present.end()) continue;
    std::vector<std::int64_t> words((own.size() + 1) / 2, 0);
    for (std::size_t k = 0; k < own.size(); ++k) words[k / 2] |= static_cast<std::int64_t>(own[k]) << (k % 2 * 31);
    comm::sum(communicator, words, "refinement");
    const Int3 count = units_.count(level);
    for_each_cell(units_.whole(level), [&](Int3 unit) {
      const std::size_t k = units_.index(level, unit);
      const auto bits = static_cast<std::uint32_t>(words[k / 2] >> (k % 2 * 31)) & (2 * k_keep_bit - 1);
      if (bits == 0) return;
      if ((bits & k_keep_bit) != 0 && units_.is_refined(level, unit)) marks[k] = 1;
      for_each_cell(IndexBox{{-1, -1, -1}, {2, 2, 2}}, [&](Int3 to) {
        if ((bits & neighbor_bit(to[0], to[1], to[2])) == 0) return;
        Int3 at;
        for (std::size_t d = 0; d < 3; ++d) {
          at[d] = unit[d] + to[d];
          if (!units_.periodic()[d] && (at[d] < 0 || at[d] >= count[d])) return;
          at[d] = (at[d] + count[d]) % count[d];
        }
        const std::size_t neighbor = units_.index(level, at);
        if (present[neighbor] != 0) marks[neighbor] = 1;
      });
    });
  }
  return wanted;
}

}  // namespace eddyline::patches
