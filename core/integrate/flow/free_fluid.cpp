#include "integrate/flow/free_fluid.hpp"

#include <algorithm>

namespace eddyline::integrate {

void FreeFluid::find(const neighbors::FixedPositions& positions, const particles::CellRows& rows,
                     const Array<std::int32_t>& members, exchange::Halo& halo, int dimensions) {
  constexpr std::uint32_t k_out_of_reach = 1u << 30;  // at least 8 R
  for (int d = 0; d < dimensions; ++d) {
    positions_.x[d].resize(positions.x[d].size());
    std::copy(positions.x[d].begin(), positions.x[d].end(), positions_.x[d].begin());
  }
  in_buffer_.assign(static_cast<std::size_t>(rows.rows), 0);
  const auto copy = [](const Array<std::int32_t>& from, Array<std::int32_t>& to) {
    to.resize(from.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  buffer_rows_.cells.copy(rows.cells);
  copy(rows.begin, buffer_rows_.begin);
  copy(rows.end, buffer_rows_.end);
  copy(rows.filled, buffer_rows_.filled);
  copy(rows.until, buffer_rows_.until);
  buffer_rows_.slot.resize(members.size());
  buffer_rows_.particles = static_cast<std::int32_t>(members.size());
  buffer_rows_.standing = rows.standing;
  buffer_rows_.rows = rows.rows;
  for (std::size_t m = 0; m < members.size(); ++m) {
    buffer_rows_.slot[m] = rows.row_of(static_cast<std::size_t>(members[m]));
    in_buffer_[static_cast<std::size_t>(buffer_rows_.slot[m])] = 1;
  }
  halo.gather(exchange::ArrayField(in_buffer_));
  auto& x = positions_.x[0];
  rows_in_buffer_.clear();
  for (std::int32_t r = 0; r < rows.rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    if (in_buffer_[row] == 0) continue;
    rows_in_buffer_.push_back(r);
    if (r >= rows.standing) continue;
    x[row] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[row]) + k_out_of_reach);
  }
  cells_with_buffers_.clear(rows.cells.cells());
  rows.cells.for_each([&](std::int32_t cell) {
    const auto [begin, end] = rows.of(cell);
    if (std::any_of(in_buffer_.begin() + begin, in_buffer_.begin() + end, [](auto in) { return in != 0; }))
      cells_with_buffers_.add(cell);
  });
  cells_with_buffers_.number();
}

std::size_t FreeFluid::bytes() const {
  std::size_t bytes = in_buffer_.bytes() + rows_in_buffer_.capacity() * sizeof(std::int32_t) +
                      cells_with_buffers_.bytes() + buffer_rows_.bytes();
  for (const auto& x : positions_.x) bytes += x.bytes();
  return bytes;
}

}  // namespace eddyline::integrate
