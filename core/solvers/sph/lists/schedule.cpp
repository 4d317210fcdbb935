#include "solvers/sph/lists/schedule.hpp"

#include <algorithm>

namespace eddyline::sph {

using Marks = std::vector<std::uint8_t>;  // indexed by chunk

void find_chunks_with(const particles::CellSet& cells, const particles::CellIndex& rows, Marks& chunks) {
  chunks.assign(static_cast<std::size_t>((rows.computed() + neighbors::k_chunk - 1) / neighbors::k_chunk), 0);
  particles::for_each_occupied_cell(rows, [&](std::int32_t cell, std::size_t first, std::size_t last) {
    if (!cells.has(cell)) return;
    for (std::size_t c = first / neighbors::k_chunk; c <= (last - 1) / neighbors::k_chunk; ++c) chunks[c] = 1;
  });
}

void Schedule::make_all_fringe(std::size_t chunks) {
  interior_rates.clear(), interior_forces.clear();
  choose_all_blocks(chunks, fringe_rates);
  fringe_forces = fringe_rates;
}

void Schedule::divide(const particles::CellLayout& layout, const particles::CellIndex& fluid,
                      const particles::CellIndex& wall, const particles::CellSet& with_buffers) {
  particles::CellSet set_late, around;  // cells with rows that are set late: those of other ranks,
  set_late.clear(layout.cells());
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received) set_late.add(ghost.cell);
  Marks late;
  const auto choose = [&](std::vector<Block>& interior_blocks, std::vector<Block>& fringe_blocks) {
    layout.find_computed_around(set_late, around);
    find_chunks_with(around, fluid, late);
    choose_blocks(late.size(), [&](std::size_t c) { return late[c] == 0; }, interior_blocks);
    choose_blocks(late.size(), [&](std::size_t c) { return late[c] != 0; }, fringe_blocks);
  };
  choose(interior_rates, fringe_rates);
  set_late.add(wall.cells);  // those of walls and buffers
  set_late.add(with_buffers);
  choose(interior_forces, fringe_forces);
}

}  // namespace eddyline::sph
