#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "grid/index_box.hpp"
#include "patches/units.hpp"

namespace eddyline::patches {

/// Decides which units to refine. A cell whose value is above 1 asks for refinement, with a number of cells around it.
/// A refined unit stays refined until all its values are below an eighth.
class Flags {
 public:
  static constexpr double k_keep = 0.125;

  explicit Flags(const Units& units);

  /// Adds the values of a box of whole units of a level, row-major. `around`: cells, at most the edge of a unit. Boxes
  /// without a common unit may be added by several threads at once.
  void add(int level, const grid::IndexBox& box, const double* values, std::int32_t around);
  /// The units to refine, by level. Collective: each rank has added its own.
  std::vector<Marks> marks(comm::Communicator& communicator) const;

 private:
  const Units& units_;
  std::vector<std::vector<std::uint32_t>> bits_;  // by level and unit: neighbours that it reaches, 3 x 3 x 3, and keep
};

}  // namespace eddyline::patches
