#include "integrate/flow/schedule.hpp"

#include <algorithm>

namespace eddyline::integrate {

using Marks = std::vector<std::uint8_t>;  // by chunk

void find_chunks_with(const particles::CellSet& cells, const particles::CellRows& rows, Marks& chunks) {
  chunks.assign(static_cast<std::size_t>((rows.computed() + neighbors::k_chunk - 1) / neighbors::k_chunk), 0);
  particles::for_each_filled_cell(rows, [&](std::int32_t cell, std::size_t first, std::size_t last) {
    if (!cells.has(cell)) return;
    for (std::size_t c = first / neighbors::k_chunk; c <= (last - 1) / neighbors::k_chunk; ++c) chunks[c] = 1;
  });
}

void Schedule::make_all_late(std::size_t chunks) {
  early_rates.clear(), early_forces.clear();
  choose_all_blocks(chunks, late_rates);
  late_forces = late_rates;
}

void Schedule::divide(const particles::CellLayout& layout, const particles::CellRows& fluid,
                      const particles::CellRows& wall, const particles::CellSet& with_buffers) {
  particles::CellSet set_late, around;  // cells with rows that are set late: of others,
  set_late.clear(layout.cells());
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received) set_late.add(ghost.cell);
  Marks late;
  const auto choose = [&](std::vector<Block>& early_blocks, std::vector<Block>& late_blocks) {
    layout.find_computed_around(set_late, around);
    find_chunks_with(around, fluid, late);
    choose_blocks(late.size(), [&](std::size_t c) { return late[c] == 0; }, early_blocks);
    choose_blocks(late.size(), [&](std::size_t c) { return late[c] != 0; }, late_blocks);
  };
  choose(early_rates, late_rates);
  set_late.add(wall.cells);  // of walls, and of buffers
  set_late.add(with_buffers);
  choose(early_forces, late_forces);
}

}  // namespace eddyline::integrate
