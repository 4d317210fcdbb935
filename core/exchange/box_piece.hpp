#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/parallel_for.hpp"
#include "grid/index_box.hpp"

namespace eddyline::exchange {

class BoxCopies;

/// Piece of a halo: cells of a block. The receiver names the cells, in its own indices; the giver's cell for each of
/// them follows from the map. The giver packs in the receiver's order, so that the receiver copies.
struct BoxPiece {
  using Copies = BoxCopies;  // within the process

  std::int32_t block = 0;  // of the giver, or of the receiver
  grid::IndexBox cells;    // of the receiver
  grid::IndexMap map{};    // giver: from the receiver's cells to its own; receiver: not used

  std::size_t size() const { return static_cast<std::size_t>(cells.cells()); }
  template <class Field>
  void pack(const Field& field, std::byte* to) const {
    field.pack(*this, to);
  }
  template <class Field>
  void unpack(const Field& field, const std::byte* from) const {
    field.unpack(*this, from);
  }
};

/// Copies of cells between blocks of this process.
class BoxCopies {
 public:
  void clear() { copies_.clear(); }
  void add(const BoxPiece& from, const BoxPiece& to) { copies_.push_back({from, to}); }
  std::size_t size() const { return copies_.size(); }

  /// Calls copy(from, to) for each copy, in parallel. Returns the number of ghost cells.
  template <class Copy>
  std::int64_t gather(Copy&& copy) const {
    std::int64_t cells = 0;
    for (const Pair& each : copies_) cells += each.to.cells.cells();
    const auto n = static_cast<std::int64_t>(copies_.size());
#pragma omp parallel for schedule(static) if (pays_in_parallel(cells, k_cell))
    for (std::int64_t k = 0; k < n; ++k) {
      const Pair& each = copies_[static_cast<std::size_t>(k)];
      copy(each.from, each.to);
    }
    return cells;
  }

 private:
  struct Pair {
    BoxPiece from, to;
  };
  static constexpr double k_cell = 2e-9;  // approximate time of a cell [s]

  std::vector<Pair> copies_;
};

/// A block of values in memory: value of a cell at data[box.index(cell)].
template <class T>
struct BlockView {
  T* data = nullptr;
  grid::IndexBox box;

  T* at(Int3 cell) const { return data + box.index(cell); }
};

/// A scalar field on blocks, for a halo of boxes. Source: the giver's blocks; they may be other memory than those that
/// receive.
template <class T>
class BoxField {
 public:
  BoxField(std::span<const BlockView<const T>> givers, std::span<const BlockView<T>> receivers)
      : givers_(givers), receivers_(receivers) {}

  static constexpr std::size_t bytes() { return sizeof(T); }
  void copy(const BoxPiece& from, const BoxPiece& to) const {
    const BlockView<const T>& giver = of(givers_, from);
    const BlockView<T>& receiver = of(receivers_, to);
    for_each_row(to.cells, [&](Int3 cell) {
      T* into = receiver.at(cell);
      read_row(giver, from.map, cell, to.cells.count(0), reinterpret_cast<std::byte*>(into));
    });
  }
  void pack(const BoxPiece& piece, std::byte* to) const {
    const BlockView<const T>& giver = of(givers_, piece);
    const auto row = static_cast<std::size_t>(piece.cells.count(0)) * sizeof(T);
    for_each_row(piece.cells, [&](Int3 cell) {
      read_row(giver, piece.map, cell, piece.cells.count(0), to);
      to += row;
    });
  }
  void unpack(const BoxPiece& piece, const std::byte* from) const {
    const BlockView<T>& receiver = of(receivers_, piece);
    const auto row = static_cast<std::size_t>(piece.cells.count(0)) * sizeof(T);
    for_each_row(piece.cells, [&](Int3 cell) {
      std::memcpy(receiver.at(cell), from, row);
      from += row;
    });
  }

 private:
  template <class View>
  static const View& of(std::span<const View> blocks, const BoxPiece& piece) {
    return blocks[static_cast<std::size_t>(piece.block)];
  }
  /// Writes the giver's values for `count` of the receiver's cells from `cell` on.
  static void read_row(const BlockView<const T>& giver, const grid::IndexMap& map, Int3 cell, std::int32_t count,
                       std::byte* to) {
    if (map.keeps_rows()) {
      std::memcpy(to, giver.at(map(cell)), static_cast<std::size_t>(count) * sizeof(T));
      return;
    }
    for (std::int32_t k = 0; k < count; ++k, ++cell[0], to += sizeof(T))
      std::memcpy(to, giver.at(map(cell)), sizeof(T));
  }

  std::span<const BlockView<const T>> givers_;
  std::span<const BlockView<T>> receivers_;
};

}  // namespace eddyline::exchange
