#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/halo.hpp"
#include "grid/index_box.hpp"
#include "patches/gather.hpp"
#include "patches/patch_set.hpp"

namespace eddyline::patches {

/// The patches of a level on this rank. Patches store their own cells only; ghosts exist in scratch memory, where
/// fill() collects them from the other patches of the level.
class Layout {
 public:
  using Views = Gather::Views;
  struct Patch {
    grid::IndexBox cells;
    std::int64_t first = 0;     // of its values
    bool needs_others = false;  // whether any of its ghosts belongs to another rank
  };

  Layout() = default;
  /// `ghosts`: number of layers of ghosts.
  Layout(PatchSet set, std::int32_t ghosts, int rank);

  int dimensions() const { return set_.dimensions(); }
  std::int32_t ghosts() const { return ghosts_; }
  /// The patches of all ranks.
  const PatchSet& set() const { return set_; }
  /// All cells of the domain at this level, with patches or without.
  grid::IndexBox domain() const { return set_.domain(); }
  const std::vector<Patch>& patches() const { return patches_; }
  /// The patch with a cell, if it is here, else -1.
  std::int32_t patch_with(Int3 cell) const;
  std::int64_t cells() const { return cells_; }  // of this rank
  std::int64_t foreign_cells() const { return ghosts_of_patches_.foreign_cells(); }
  std::int64_t all_cells() const { return set_.cells(); }
  /// A patch with its ghosts.
  grid::IndexBox grown(const Patch& patch) const { return patch.cells.grown(ghosts_, dimensions()); }

  /// The patches with their ghosts, as they come from the patches of the level.
  const Gather& ghosts_of_patches() const { return ghosts_of_patches_; }
  /// Adds what this rank sends and receives to a halo.
  void connect(exchange::BoxHalo& halo) const { ghosts_of_patches_.connect(halo); }
  template <class T>
  Gather::ViewsOf<T> views(const T* own, T* foreign) const {
    return ghosts_of_patches_.views(own, foreign);
  }
  /// Collects the values of a patch with its ghosts, row-major. Ghosts that no patch of the level has stay as they are.
  template <class T>
  void fill(const Patch& patch, const ValuesOf<std::type_identity_t<T>>& values, T* scratch) const {
    ghosts_of_patches_.fill(number_of(patch), values, scratch);
  }
  /// The parcel of a patch, by its number, see PatchSet::parcel().
  int parcel(std::size_t number) const { return parcels_[number]; }
  std::size_t number_of(const Patch& patch) const { return static_cast<std::size_t>(&patch - patches_.data()); }
  /// Size of that memory for the largest patch.
  std::size_t scratch_size() const { return scratch_size_; }

 private:
  PatchSet set_;
  std::int32_t ghosts_ = 0;
  int rank_ = 0;
  std::vector<Patch> patches_;
  std::vector<int> parcels_;
  std::int64_t cells_ = 0;
  std::size_t scratch_size_ = 0;
  Gather ghosts_of_patches_;
};

}  // namespace eddyline::patches
