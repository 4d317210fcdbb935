#include "integrate/flow/schedule.hpp"

#include <algorithm>

namespace eddyline::integrate {

using Marks = std::vector<std::uint8_t>;  // by cell

void Schedule::make_all_late(std::size_t chunks) {
  early_rates.clear(), early_forces.clear();
  choose_all_blocks(chunks, late_rates);
  late_forces = late_rates;
}

void Schedule::divide(const particles::CellLayout& layout, const particles::CellRows& fluid,
                      std::span<const neighbors::Chunk> near_walls, std::span<const std::uint8_t> in_buffer) {
  Marks foreign(static_cast<std::size_t>(layout.cells()), 0);
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received) foreign[static_cast<std::size_t>(ghost.cell)] = 1;
  const Marks near_foreign = layout.owned_around(foreign);
  Marks set = std::move(foreign);  // cells with rows that are set late: of others, and of buffers
  if (!in_buffer.empty())
    for (std::size_t cell = 0; cell < set.size(); ++cell)
      for (std::int32_t row = fluid.begin[cell]; row < fluid.begin[cell + 1]; ++row)
        if (in_buffer[static_cast<std::size_t>(row)] != 0) set[cell] = 1;
  const Marks near_set = in_buffer.empty() ? near_foreign : layout.owned_around(set);

  const auto is_early = [&](std::size_t chunk, const Marks& near) {
    const std::size_t last = std::min((chunk + 1) * neighbors::k_chunk, fluid.cell.size());
    bool early = true;
    for (std::size_t i = chunk * neighbors::k_chunk; i < last; ++i)
      early = early && near[static_cast<std::size_t>(fluid.cell[i])] == 0;
    return early;
  };
  const auto rates = [&](std::size_t c) { return is_early(c, near_foreign); };
  const auto forces = [&](std::size_t c) { return near_walls[c].length == 0 && is_early(c, near_set); };
  const std::size_t chunks = near_walls.size();
  choose_blocks(chunks, rates, early_rates);
  choose_blocks(chunks, [&](std::size_t c) { return !rates(c); }, late_rates);
  choose_blocks(chunks, forces, early_forces);
  choose_blocks(chunks, [&](std::size_t c) { return !forces(c); }, late_forces);
}

}  // namespace eddyline::integrate
