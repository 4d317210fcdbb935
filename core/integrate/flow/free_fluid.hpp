#pragma once
// The fluid as it is without the buffers of openings.

#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/halo.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::integrate {

/// Which rows of the fluid are those of buffers. Some lists are over the fluid alone: nodes of openings would only hear
/// their own echo from the buffers, and forces are those between the fluid and what is not fluid.
class FreeFluid {
 public:
  /// `members`: the particles of the buffers on this rank. `halo`: of the fluid. Collective.
  void find(const particles::CellIndex& rows, const Array<std::int32_t>& members, exchange::Halo& halo);

  /// By row, whether it is one of a buffer; ghosts included. Empty before the first find().
  std::span<const std::uint8_t> in_buffer() const { return {in_buffer_.data(), in_buffer_.size()}; }
  /// The rows for which it is so.
  std::span<const std::int32_t> rows_in_buffer() const { return rows_in_buffer_; }
  /// The cells that hold one, ghosts included. None at all before the first find().
  const particles::CellSet& cells_with_buffers() const { return cells_with_buffers_; }
  /// Where the buffers' particles stand, in the order of `members`.
  const particles::CellIndex& buffer_rows() const { return buffer_rows_; }
  std::size_t bytes() const;

 private:
  Array<std::uint8_t> in_buffer_;
  std::vector<std::int32_t> rows_in_buffer_;
  particles::CellSet cells_with_buffers_;
  particles::CellIndex buffer_rows_;
};

}  // namespace eddyline::integrate
