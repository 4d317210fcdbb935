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
  buffer_rows_.begin.resize(rows.begin.size());
  std::copy(rows.begin.begin(), rows.begin.end(), buffer_rows_.begin.begin());
  buffer_rows_.slot.resize(members.size());
  buffer_rows_.cell.resize(members.size());
  buffer_rows_.rows = rows.rows;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto i = static_cast<std::size_t>(members[m]);
    buffer_rows_.slot[m] = rows.slot[i];
    buffer_rows_.cell[m] = rows.cell[i];
    in_buffer_[static_cast<std::size_t>(rows.slot[i])] = 1;
  }
  halo.gather(exchange::ArrayField(in_buffer_));
  auto& x = positions_.x[0];
  rows_in_buffer_.clear();
  for (std::size_t row = 0; row < in_buffer_.size(); ++row) {
    if (in_buffer_[row] == 0) continue;
    rows_in_buffer_.push_back(static_cast<std::int32_t>(row));
    x[row] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[row]) + k_out_of_reach);
  }
}

}  // namespace eddyline::integrate
