#include "solvers/sph/lists/free_fluid.hpp"

#include <algorithm>

namespace eddyline::sph {

void FreeFluid::find(const particles::CellIndex& rows, const Array<std::int32_t>& members, exchange::Halo& halo) {
  in_buffer_.assign(static_cast<std::size_t>(rows.rows), 0);
  const auto copy = [](const Array<std::int32_t>& from, Array<std::int32_t>& to) {
    to.resize(from.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  buffer_rows_.cells.copy(rows.cells);
  copy(rows.begin, buffer_rows_.begin);
  copy(rows.end, buffer_rows_.end);
  copy(rows.occupied, buffer_rows_.occupied);
  copy(rows.occupied_end, buffer_rows_.occupied_end);
  buffer_rows_.slot.resize(members.size());
  buffer_rows_.particles = static_cast<std::int32_t>(members.size());
  buffer_rows_.real_rows = rows.real_rows;
  buffer_rows_.rows = rows.rows;
  for (std::size_t m = 0; m < members.size(); ++m) {
    buffer_rows_.slot[m] = rows.row_of(static_cast<std::size_t>(members[m]));
    in_buffer_[static_cast<std::size_t>(buffer_rows_.slot[m])] = 1;
  }
  halo.gather(exchange::ArrayField(in_buffer_));
  rows_in_buffer_.clear();
  for (std::int32_t r = 0; r < rows.rows; ++r)
    if (in_buffer_[static_cast<std::size_t>(r)] != 0) rows_in_buffer_.push_back(r);
  cells_with_buffers_.clear(rows.cells.cells());
  rows.cells.for_each([&](std::int32_t cell) {
    const auto [begin, end] = rows.of(cell);
    if (std::any_of(in_buffer_.begin() + begin, in_buffer_.begin() + end, [](auto in) { return in != 0; }))
      cells_with_buffers_.add(cell);
  });
  cells_with_buffers_.number();
}

std::size_t FreeFluid::bytes() const {
  return in_buffer_.bytes() + rows_in_buffer_.capacity() * sizeof(std::int32_t) + cells_with_buffers_.bytes() +
         buffer_rows_.bytes();
}

}  // namespace eddyline::sph
