#pragma once
// Arrays on a device that belong together.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/buffer.hpp"
#include "device/cells.hpp"
#include "device/flow.hpp"
#include "device/packed_list.hpp"

namespace eddyline::device {

/// N arrays.
template <class X, std::size_t N, class Backend>
std::array<Buffer<Backend, X>, N> make_buffers(Backend& backend) {
  return [&backend]<std::size_t... K>(std::index_sequence<K...>) {
    return std::array<Buffer<Backend, X>, N>{((void)K, Buffer<Backend, X>(backend))...};
  }(std::make_index_sequence<N>());
}

/// Rows of the particles of one kind, and their places in cells.
template <class Backend, class T, int D>
struct RowMemory {
  Buffer<Backend, T> first, rest;
  Buffer<Backend, std::int32_t> slot;  // row of each particle; empty: its number
  Buffer<Backend, RowImage> images;
  Buffer<Backend, std::int32_t> begin, end;                // rows of each cell
  std::array<Buffer<Backend, std::int32_t>, D> positions;  // by which rows are sorted, with images [quanta]
  std::int32_t real = 0, count = 0;                        // rows without and with images, without the sentinel

  explicit RowMemory(Backend& backend)
      : first(backend),
        rest(backend),
        slot(backend),
        images(backend),
        begin(backend),
        end(backend),
        positions(make_buffers<std::int32_t, D>(backend)) {}

  neighbors::RowParts<T> parts() const { return {first.data(), rest.data()}; }
  CellRanges cells() const { return {begin.data(), end.data(), real}; }
  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    visit(first), visit(rest), visit(slot), visit(images), visit(begin), visit(end);
    for (auto& each : positions) visit(each);
  }
};

/// Lists of one kind.
template <class Backend>
struct ListMemory {
  Buffer<Backend, std::uint16_t> codes;
  Buffer<Backend, PackedChunk> chunks;

  explicit ListMemory(Backend& backend) : codes(backend), chunks(backend) {}
  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    visit(codes), visit(chunks);
  }
};

}  // namespace eddyline::device
