#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/vec.hpp"
#include "grid/index_box.hpp"

namespace eddyline::patches {

/// A mark for each unit of a level, x fastest.
using Marks = std::vector<std::uint8_t>;

/// The parts of a domain that have finer levels. A level is refined in units: cubes of a fixed number of its cells
/// along an edge. A refined unit is covered by 2^D units of the next finer level. Units belong to the world: results
/// depend on them, and not on the patches that they are merged into. The same on all ranks.
class Units {
 public:
  Units() = default;
  /// `cells` of level 0 along each axis, multiples of `edge` along the first `dimensions` axes; `levels`: at most.
  Units(Int3 cells, int dimensions, std::int32_t edge, int levels, std::array<bool, 3> periodic);

  int levels() const { return static_cast<int>(present_.size()); }
  int dimensions() const { return dimensions_; }
  std::int32_t edge() const { return edge_; }
  std::array<bool, 3> periodic() const { return periodic_; }
  /// Cells and units of the whole domain at a level.
  Int3 cells(int level) const;
  Int3 count(int level) const { return count_[static_cast<std::size_t>(level)]; }
  std::size_t index(int level, Int3 unit) const { return static_cast<std::size_t>(whole(level).index(unit)); }
  grid::IndexBox whole(int level) const { return {{0, 0, 0}, count(level)}; }
  grid::IndexBox cells_of(Int3 unit) const;
  Int3 unit_of(Int3 cell) const {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) cell[d] /= edge_;
    return cell;
  }

  /// Units that a level has.
  const Marks& present(int level) const { return present_[static_cast<std::size_t>(level)]; }
  /// Those of them that the next finer level covers.
  const Marks& refined(int level) const { return refined_[static_cast<std::size_t>(level)]; }
  bool is_refined(int level, Int3 unit) const { return refined(level)[index(level, unit)] != 0; }
  bool is_covered(int level, Int3 cell) const { return is_refined(level, unit_of(cell)); }

  /// Refines the units with marks, level by level from 0, and further units for nesting: around each refined unit,
  /// `margin` cells of its level are present. True if any unit has changed.
  bool refine(std::vector<Marks> wanted, std::int32_t margin);

  bool operator==(const Units&) const = default;

 private:
  void nest(const Marks& fine, int level, std::int32_t margin, Marks& below) const;

  Int3 cells_{1, 1, 1};
  int dimensions_ = 0;
  std::int32_t edge_ = 1;
  std::array<bool, 3> periodic_{};
  std::vector<Int3> count_;  // of units, by level
  std::vector<Marks> present_, refined_;
};

/// The units that no finer level covers: level by level, along a space-filling curve within each. They make up the
/// whole domain.
class Composite {
 public:
  struct Unit {
    int level;
    Int3 place;
  };

  Composite() = default;
  explicit Composite(const Units& units);
  const std::vector<Unit>& units() const { return units_; }
  /// Number of a unit, or -1 if a finer level covers it.
  std::int64_t number(const Units& units, int level, Int3 unit) const {
    return numbers_[static_cast<std::size_t>(level)][units.index(level, unit)];
  }

 private:
  std::vector<Unit> units_;
  std::vector<std::vector<std::int64_t>> numbers_;  // by level and unit
};

}  // namespace eddyline::patches
