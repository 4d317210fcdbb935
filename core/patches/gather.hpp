#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "exchange/halo.hpp"
#include "grid/index_box.hpp"
#include "patches/copy_cells.hpp"
#include "patches/patch_set.hpp"

namespace eddyline::patches {

/// Values of a scalar field for a Gather: those of this rank's patches, and the received ones.
template <class T>
struct ValuesOf {
  const T* own = nullptr;      // patch by patch, see PatchSet::first()
  const T* foreign = nullptr;  // cells of other ranks, as the halo receives them
};
using Values = ValuesOf<double>;

/// Boxes of cells, the targets, that collect values from the patches of one level: within this rank by copies, from
/// other ranks through a halo. Parts of a target that no patch has stay as they are.
class Gather {
 public:
  struct Target {
    int rank = 0;  // that collects it
    grid::IndexBox cells;
  };

  Gather() = default;
  /// `targets`: those of all ranks, in the same order on all ranks.
  Gather(const PatchSet& from, std::span<const Target> targets, int rank);

  /// Number of targets of this rank; they have their order.
  std::size_t size() const { return targets_.size(); }
  const grid::IndexBox& target(std::size_t k) const { return targets_[k].cells; }
  bool needs_others(std::size_t k) const { return targets_[k].needs_others; }
  /// The parcels with cells of a target from other ranks: a bit for each, see PatchSet::parcel().
  std::uint32_t parcels(std::size_t k) const { return targets_[k].parcels; }
  std::int64_t foreign_cells() const { return foreign_cells_; }

  /// Makes a halo carry what this rank sends and receives: all of it, or one parcel.
  void connect(exchange::BoxHalo& halo) const;
  void connect(exchange::BoxHalo& halo, int parcel) const;
  /// The memory of a field as that halo sees it: it sends own values and receives foreign ones.
  template <class T>
  struct ViewsOf {
    std::vector<exchange::BlockView<const T>> givers;
    std::vector<exchange::BlockView<T>> receivers;

    exchange::BoxField<T> field() const { return {givers, receivers}; }
  };
  using Views = ViewsOf<double>;
  template <class T>
  ViewsOf<T> views(const T* own, T* foreign) const;

  /// Collects the values of a target, into the memory of the cells `box`, row-major.
  template <class T>
  void fill(std::size_t k, const ValuesOf<std::type_identity_t<T>>& values, const grid::IndexBox& box, T* to) const;
  template <class T>
  void fill(std::size_t k, const ValuesOf<std::type_identity_t<T>>& values, T* to) const {
    fill(k, values, target(k), to);
  }

 private:
  /// Cells of a target that come from one block of values.
  struct Source {
    bool is_foreign = false;
    std::int64_t first = 0;  // of the block's values
    grid::IndexBox block;    // in the block's own indices
    grid::IndexBox cells;    // in the indices of the target
    Int3 shift{0, 0, 0};     // target's index minus block's
  };
  struct Own {
    grid::IndexBox cells;
    std::vector<Source> sources;
    bool needs_others = false;
    std::uint32_t parcels = 0;
  };
  struct Message {
    int rank;
    exchange::BoxPiece piece;
    int parcel;
  };
  template <class Chosen>
  void connect_if(exchange::BoxHalo& halo, Chosen chosen) const;

  std::vector<Own> targets_;
  std::vector<grid::IndexBox> boxes_;  // of this rank's patches, and the first of their values
  std::vector<std::int64_t> first_;
  std::vector<Message> sent_, received_;
  std::vector<grid::IndexBox> foreign_;  // boxes of the received cells, in the indices of the target
  std::int64_t foreign_cells_ = 0;
};

template <class T>
Gather::ViewsOf<T> Gather::views(const T* own, T* foreign) const {
  ViewsOf<T> views;
  for (std::size_t k = 0; k < boxes_.size(); ++k) views.givers.push_back({own + first_[k], boxes_[k]});
  for (const grid::IndexBox& box : foreign_) {
    views.receivers.push_back({foreign, box});
    foreign += box.cells();
  }
  return views;
}

template <class T>
void Gather::fill(std::size_t k, const ValuesOf<std::type_identity_t<T>>& values, const grid::IndexBox& box,
                  T* to) const {
  for (const Source& source : targets_[k].sources)
    copy_cells((source.is_foreign ? values.foreign : values.own) + source.first, source.block, to, box, source.cells,
               source.shift);
}

}  // namespace eddyline::patches
