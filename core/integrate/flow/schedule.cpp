#include "integrate/flow/schedule.hpp"

#include <algorithm>

namespace eddyline::integrate {

using Marks = std::vector<std::uint8_t>;  // by cell, or by chunk

void find_chunks_with(const Marks& cells, const particles::CellRows& rows, Marks& chunks) {
  chunks.assign(static_cast<std::size_t>((rows.computed() + neighbors::k_chunk - 1) / neighbors::k_chunk), 0);
  particles::for_each_filled_cell(rows, [&](std::int32_t cell, std::size_t first, std::size_t last) {
    if (cells[static_cast<std::size_t>(cell)] == 0) return;
    for (std::size_t c = first / neighbors::k_chunk; c <= (last - 1) / neighbors::k_chunk; ++c) chunks[c] = 1;
  });
}

void Schedule::make_all_late(std::size_t chunks) {
  early_rates.clear(), early_forces.clear();
  choose_all_blocks(chunks, late_rates);
  late_forces = late_rates;
}

void Schedule::divide(const particles::CellLayout& layout, const particles::CellRows& fluid,
                      const particles::CellRows& wall, std::span<const std::uint8_t> in_buffer) {
  Marks set(static_cast<std::size_t>(layout.cells()), 0);  // cells with rows that are set late: of others,
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received) set[static_cast<std::size_t>(ghost.cell)] = 1;
  Marks around, late;
  layout.find_computed_around(set, around);
  find_chunks_with(around, fluid, late);
  const std::size_t chunks = late.size();
  choose_blocks(chunks, [&](std::size_t c) { return late[c] == 0; }, early_rates);
  choose_blocks(chunks, [&](std::size_t c) { return late[c] != 0; }, late_rates);
  for (std::size_t cell = 0; cell < set.size(); ++cell) {
    if (!wall.is_empty(static_cast<std::int32_t>(cell))) set[cell] = 1;  // of walls, and of buffers
    if (in_buffer.empty()) continue;
    for (std::int32_t row = fluid.begin[cell]; row < fluid.end[cell]; ++row)
      if (in_buffer[static_cast<std::size_t>(row)] != 0) set[cell] = 1;
  }
  layout.find_computed_around(set, around);
  find_chunks_with(around, fluid, late);
  choose_blocks(chunks, [&](std::size_t c) { return late[c] == 0; }, early_forces);
  choose_blocks(chunks, [&](std::size_t c) { return late[c] != 0; }, late_forces);
}

}  // namespace eddyline::integrate
