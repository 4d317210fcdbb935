#pragma once
// The fluid without the buffers of openings.

#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/halo.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::sph {

/// Marks the rows of the fluid that belong to buffers. Some lists contain the free fluid alone: nodes of openings would
/// otherwise sample the values that they impose, and forces act only between the fluid and what is not fluid.
class FreeFluid {
 public:
  /// Finds the rows. `members`: the particles of the buffers on this rank. `halo`: the halo of the fluid. Collective.
  void find(const particles::CellIndex& rows, const Array<std::int32_t>& members, exchange::Halo& halo);

  /// One flag for each row: 1 if the particle is in a buffer; ghosts included. Empty before the first find().
  std::span<const std::uint8_t> in_buffer() const { return {in_buffer_.data(), in_buffer_.size()}; }
  /// The rows of particles in buffers.
  std::span<const std::int32_t> rows_in_buffer() const { return rows_in_buffer_; }
  /// The cells that contain particles of buffers, ghosts included. Empty before the first find().
  const particles::CellSet& cells_with_buffers() const { return cells_with_buffers_; }
  /// Rows of the buffers' particles, in the order of `members`.
  const particles::CellIndex& buffer_rows() const { return buffer_rows_; }
  std::size_t bytes() const;

 private:
  Array<std::uint8_t> in_buffer_;
  std::vector<std::int32_t> rows_in_buffer_;
  particles::CellSet cells_with_buffers_;
  particles::CellIndex buffer_rows_;
};

}  // namespace eddyline::sph
