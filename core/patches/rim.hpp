#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "patches/gather.hpp"
#include "patches/layout.hpp"
#include "patches/transfers.hpp"

namespace eddyline::patches {

/// Joins boxes that together are boxes, along x, then y, then z. The result does not depend on their order.
std::vector<grid::IndexBox> merged(std::vector<grid::IndexBox> boxes);

/// The ghosts of a level's patches that no patch of the level has: their values come from the next coarser level. A
/// part is a box of such ghosts of one patch of this rank.
class Rim {
 public:
  struct Part {
    std::int32_t patch;     // number among those of this rank
    grid::IndexBox ghosts;  // on this level
    std::int64_t first;     // of its values, part by part
  };

  Rim() = default;
  /// `reach`: coarse cells that prolongation reads around the ghosts, see Transfer.
  Rim(const Layout& fine, const PatchSet& coarse, const Transfer& widest, int rank);

  const std::vector<Part>& parts() const { return parts_; }
  /// The parts of a patch.
  std::span<const Part> parts_of(std::size_t patch) const {
    return std::span(parts_).subspan(first_part_[patch], first_part_[patch + 1] - first_part_[patch]);
  }
  /// Number of ghosts.
  std::int64_t cells() const { return cells_; }
  /// Coarse cells around each part: target k of it belongs to part k.
  const Gather& coarse_cells() const { return coarse_; }

 private:
  std::vector<Part> parts_;
  std::vector<std::size_t> first_part_{0};
  std::int64_t cells_ = 0;
  Gather coarse_;
};

}  // namespace eddyline::patches
