#include "solvers/mps/pressure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "comm/collectives.hpp"
#include "linear/diagonal.hpp"

namespace eddyline::mps {

namespace {

constexpr std::size_t k_coarsest = 30;  // unknowns
constexpr double k_largest = 1.6;       // eigenvalue of D^-1 A, as measured with many neighbours

linear::MultigridOptions multigrid_options() {
  return {.cycle = linear::MultigridOptions::Cycle::w,
          .smoother = {.degree = 1, .highest = k_largest, .lowest = k_largest / 5},
          .coarsest = {.degree = 8, .highest = k_largest, .lowest = k_largest / 5},
          .correction = 1.7};
}

linear::SolveOptions solve_options(const Constants& constants, const std::string& instructions) {
  return {.tolerance = constants.options.tolerance,
          .max_iterations = static_cast<int>(constants.options.max_iterations),
          .constant_null_space = !constants.pressure_is_given,
          .confirm = false,
          .instructions = instructions};
}

/// floor(a / 2)
constexpr std::int32_t half(std::int32_t a) { return a >= 0 ? a / 2 : -((1 - a) / 2); }

}  // namespace

template <int D>
PressureEquation<D>::PressureEquation(Liquid<D>& liquid)
    : liquid_(liquid),
      has_levels_(liquid.constants().options.pressure_solver == PressureSolver::multigrid),
      multiply_(physics::mps::choose_multiply_matrix(liquid.execution().instructions)),
      half_halo_(liquid.communicator(), liquid.execution().exchange, liquid.execution().between,
                 liquid.tags.take("pressure")) {}

template <int D>
void PressureEquation<D>::find_structure() {
  find_entries();
  own.assign(static_cast<std::size_t>(liquid_.fluid_rows.owned()), 0);
  right_side.assign(own.size(), 0);
  inverse_.resize(own.size());
  std::size_t levels = 1;
  if (has_levels_) {
    find_halves();
    find_cells();
    levels = 2 + cells_.size();
  }
  levels_.clear(), transfers_.clear();
  for (std::size_t k = 0; k < levels; ++k) levels_.emplace_back(*this, k), transfers_.emplace_back(*this, k);
}

template <int D>
void PressureEquation<D>::find_entries() {
  const auto chunks = liquid_.fluid_fluid.chunks();
  first_entry_.resize(chunks.size()), lengths_.resize(chunks.size());
  std::int64_t entries = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    first_entry_[c] = entries;
    entries += std::int64_t{chunks[c].length} * neighbors::k_chunk;
  }
  values_.resize(static_cast<std::size_t>(entries)), places_.resize(values_.size());
}

template <int D>
template <class Visit>
void PressureEquation<D>::for_each_cell(Visit&& visit) const {
  const auto& rows = liquid_.fluid_rows;
  const auto n = static_cast<std::int64_t>(rows.occupied.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    visit(at, rows.occupied[at], rows.of(rows.occupied[at]));
  }
}

/// Numbers the parts of own cells, then those of ghosts, and finds the part of each row.
template <int D>
void PressureEquation<D>::find_halves() {
  const auto& rows = liquid_.fluid_rows;
  const auto& layout = liquid_.layout();
  const auto& grid = layout.grid();
  const std::size_t own_cells = rows.occupied.size();
  halves_.resize(own_cells * k_parts, k_near_parts);

  part_of_row_.resize(static_cast<std::size_t>(rows.rows));
  for (std::int64_t i = 0; i < rows.owned(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec3 x = vector_of(liquid_.fluid.place, k);
    const Int3 cell = grid.cell_of(x);
    int part = 0;
    for (int d = 0; d < D; ++d)
      if ((x[d] - grid.origin[d]) * grid.per_edge[d] - cell[static_cast<std::size_t>(d)] >= 0.5) part |= 1 << d;
    part_of_row_[static_cast<std::size_t>(rows.row_of(k))] = static_cast<std::uint8_t>(part);
  }
  liquid_.fluid_halo.gather(exchange::ArrayField(part_of_row_));

  // The first part of each cell with fluid, by the cell's number among them.
  std::vector<std::int32_t> first(static_cast<std::size_t>(rows.cells.size()), -1);
  const auto first_of = [&](std::int32_t cell) -> std::int32_t& {
    return first[static_cast<std::size_t>(rows.cells.before(cell))];
  };
  std::int32_t next = 0;
  for (std::size_t k = 0; k < own_cells; ++k, next += k_parts) first_of(rows.occupied[k]) = next;
  half_halo_.clear();
  const auto take = [&](std::int32_t cell) {
    first_of(cell) = next;
    next += k_parts;
    return first_of(cell);
  };
  for (const auto& ghost : layout.ghost_cells())
    if (!rows.is_empty(ghost.to_cell) && rows.of(ghost.to_cell).count() > 0) take(ghost.to_cell);
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received)
      if (!rows.is_empty(ghost.cell) && rows.of(ghost.cell).count() > 0) take(ghost.cell);
  extent_of_halves_ = static_cast<std::size_t>(next);
  for (const auto& ghost : layout.ghost_cells())
    if (!rows.is_empty(ghost.to_cell) && first_of(ghost.to_cell) >= 0)
      half_halo_.routes().add(ghost.from_box, ghost.to_box,
                              {first_of(ghost.from_cell), first_of(ghost.to_cell), k_parts, {}});
  for (const auto& other : layout.rank_cells()) {
    for (const std::int32_t cell : other.sent)
      if (!rows.is_empty(cell)) half_halo_.add_sent(other.rank, first_of(cell), k_parts);
    for (const auto& ghost : other.received)
      if (!rows.is_empty(ghost.cell) && first_of(ghost.cell) >= 0)
        half_halo_.add_received(other.rank, first_of(ghost.cell), k_parts, {});
  }

  half_of_row_.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
  code_of_row_.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
  rows.cells.for_each([&](std::int32_t cell) {
    const auto& box = layout.boxes()[static_cast<std::size_t>(layout.box_of(cell))];
    std::int32_t rest = cell - box.first_cell;
    const Int3 at{rest % box.shape[0], rest / box.shape[0] % box.shape[1], rest / (box.shape[0] * box.shape[1])};
    const particles::RowRange range = rows.of(cell);
    for (std::int32_t row = range.begin; row < range.end; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const std::int32_t part = part_of_row_[r];
      half_of_row_[r] = first_of(cell) + part;
      std::int32_t code = 0, unit = 1;
      for (std::size_t d = 0; d < D; ++d, unit *= 5) code += unit * (2 * at[d] + ((part >> d) & 1));
      code_of_row_[r] = code;
    }
  });

  for_each_cell([&](std::size_t n, std::int32_t cell, const particles::RowRange&) {
    std::array<std::int32_t, static_cast<std::size_t>(k_near_cells)> around;  // first parts, or -1
    const auto& box = layout.boxes()[static_cast<std::size_t>(layout.box_of(cell))];
    std::int32_t steps[3] = {1, box.shape[0], box.shape[0] * box.shape[1]};
    for (std::int32_t o = 0; o < k_near_cells; ++o) {
      std::int32_t to = cell, rest = o;
      for (std::size_t d = 0; d < D; ++d, rest /= 3) to += (rest % 3 - 1) * steps[d];
      around[static_cast<std::size_t>(o)] = rows.is_empty(to) ? -1 : first_of(to);
    }
    for (std::int32_t part = 0; part < k_parts; ++part) {
      const std::size_t I = n * k_parts + static_cast<std::size_t>(part);
      for (std::int32_t o = 0; o < k_near_parts; ++o) {
        std::int32_t rest = o, cell_at = 0, part_at = 0, unit = 1;
        for (int d = 0; d < D; ++d, rest /= 5, unit *= 3) {
          const std::int32_t t = ((part >> d) & 1) + rest % 5 - 2;
          cell_at += unit * (half(t) + 1);
          part_at |= (t - 2 * half(t)) << d;
        }
        const std::int32_t there = around[static_cast<std::size_t>(cell_at)];
        halves_.near[I * k_near_parts + static_cast<std::size_t>(o)] =
            there < 0 ? static_cast<std::int32_t>(I) : there + part_at;
      }
    }
  });
}

/// Finds the cells of all ranks and the levels above them.
template <int D>
void PressureEquation<D>::find_cells() {
  const auto& rows = liquid_.fluid_rows;
  const auto& layout = liquid_.layout();
  const auto& grid = layout.grid();
  auto& communicator = liquid_.communicator();
  std::vector<std::int64_t> own_cells;
  for (const std::int32_t cell : rows.occupied) own_cells.push_back(grid.index(grid.cell_of(layout.centre(cell))));
  std::vector<std::int64_t> all = own_cells;
  if (!communicator.is_alone()) {
    all = comm::gather_values(communicator, std::span<const std::int64_t>(own_cells), "pressure levels").second;
    const auto* bytes = reinterpret_cast<const std::byte*>(all.data());
    const auto shared = comm::broadcast(communicator, std::vector<std::byte>(bytes, bytes + all.size() * sizeof all[0]),
                                        0, "pressure levels");
    all.resize(shared.size() / sizeof all[0]);
    if (!all.empty()) std::memcpy(all.data(), shared.data(), shared.size());
  }
  cell_of_.resize(own_cells.size());
  std::ranges::sort(all);
  for (std::size_t k = 0; k < own_cells.size(); ++k)
    cell_of_[k] = static_cast<std::int32_t>(std::ranges::lower_bound(all, own_cells[k]) - all.begin());
  if (all == all_cells_) return;
  all_cells_ = all;
  cells_.clear();
  Cells& cells = cells_.emplace_back();
  cells.count = grid.count;
  for (const std::int64_t index : all) {
    const std::int64_t across = grid.count[0], level = across * grid.count[1];
    cells.place.push_back({static_cast<std::int32_t>(index % across), static_cast<std::int32_t>(index % level / across),
                           static_cast<std::int32_t>(index / level)});
  }
  find_near(cells);
  while (cells_.back().size() > k_coarsest) find_coarser();
}

/// Finds the neighbours of all cells of a level.
template <int D>
void PressureEquation<D>::find_near(Cells& cells) const {
  const auto less = [](const Int3& a, const Int3& b) {
    return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
  };
  cells.resize(cells.place.size(), k_near_cells);
  const auto begin = cells.place.begin(), end = cells.place.end();
  std::vector<typename std::vector<Int3>::const_iterator> last(static_cast<std::size_t>(k_near_cells), begin);
  for (std::size_t I = 0; I < cells.size(); ++I)
    for (std::int32_t o = 0; o < k_near_cells; ++o) {
      Int3 to = cells.place[I];
      std::int32_t rest = o;
      for (std::size_t d = 0; d < D; ++d, rest /= 3) {
        to[d] += rest % 3 - 1;
        if (liquid_.layout().grid().periodic[d]) to[d] = (to[d] + cells.count[d]) % cells.count[d];
      }
      auto& found = last[static_cast<std::size_t>(o)];  // mostly it is the next but few
      for (int k = 0; k < 4 && found != end && less(*found, to); ++k) ++found;
      if ((found != end && less(*found, to)) || (found != begin && !less(*(found - 1), to)))
        found = std::lower_bound(begin, end, to, less);
      const bool exists = found != end && *found == to;
      cells.near[I * k_near_cells + static_cast<std::size_t>(o)] =
          exists ? static_cast<std::int32_t>(found - begin) : static_cast<std::int32_t>(I);
    }
}

template <int D>
void PressureEquation<D>::find_coarser() {
  Cells coarse;
  Cells& fine = cells_.back();
  const auto key = [](const Int3& a) { return std::array{a[2], a[1], a[0]}; };
  for (std::size_t d = 0; d < D; ++d) coarse.count[d] = (fine.count[d] + 1) / 2;
  for (Int3 place : fine.place) {
    for (std::size_t d = 0; d < D; ++d) place[d] /= 2;
    coarse.place.push_back(place);
  }
  std::ranges::sort(coarse.place, {}, key);
  const auto repeated = std::ranges::unique(coarse.place);
  coarse.place.erase(repeated.begin(), repeated.end());
  fine.parent.resize(fine.size());
  for (std::size_t i = 0; i < fine.size(); ++i) {
    Int3 place = fine.place[i];
    for (std::size_t d = 0; d < D; ++d) place[d] /= 2;
    fine.parent[i] =
        static_cast<std::int32_t>(std::ranges::lower_bound(coarse.place, key(place), {}, key) - coarse.place.begin());
  }
  find_near(coarse);
  cells_.push_back(std::move(coarse));
}

// --- values ---------------------------------------------------------------------------------------------------------

template <int D>
void PressureEquation<D>::find_levels() {
  set_diagonal();
  if (!has_levels_) return;
  set_halves();
  set_cells();
}

template <int D>
void PressureEquation<D>::set_diagonal() {
  const auto& list = liquid_.fluid_fluid;
  const double factor = liquid_.constants().factors.A;
  liquid_.for_chunks(list, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      const float* a = values_.data() + first_entry_[static_cast<std::size_t>(c)];
      double sum[neighbors::k_chunk] = {};
      for (std::int32_t e = 0; e < lengths_[static_cast<std::size_t>(c)]; ++e, a += neighbors::k_chunk)
        for (int l = 0; l < neighbors::k_chunk; ++l) sum[l] += static_cast<double>(a[l]);
      for (int l = 0; l < neighbors::k_chunk; ++l) {
        const std::int64_t i = c * neighbors::k_chunk + l;
        if (i >= liquid_.fluid_rows.owned()) break;
        const auto row = static_cast<std::size_t>(list.targets().row_of(i));
        const double diagonal = own[row] + factor * sum[l];
        inverse_[row] = diagonal > 0 ? 1 / diagonal : 0;
      }
    }
  });
}

/// Sums over the entries of each row in order, then over the rows of a part of a cell in order. The rows of a chunk
/// take turns, as additions to the same number have to wait for each other.
template <int D>
void PressureEquation<D>::set_halves() {
  const double factor = liquid_.constants().factors.A;
  constexpr std::int32_t k_middle = (k_near_parts - 1) / 2;
  const std::int32_t* codes = code_of_row_.data();
  for_each_cell([&](std::size_t n, std::int32_t, const particles::RowRange& range) {
    const std::size_t first = n * k_parts;
    std::fill_n(halves_.own.data() + first, k_parts, 0.0);
    std::fill_n(halves_.off.data() + first * k_near_parts, static_cast<std::size_t>(k_parts * k_near_parts), 0.0);
    double sums[neighbors::k_chunk][k_near_parts + 1];  // the last takes the padding of lists
    for (std::int32_t row = range.begin; row < range.end;) {
      const std::size_t i = liquid_.fluid_in(row), c = i / neighbors::k_chunk, lane = i % neighbors::k_chunk;
      std::int32_t rows = 1;  // that follow each other in the chunk
      while (row + rows < range.end && lane + static_cast<std::size_t>(rows) < neighbors::k_chunk &&
             liquid_.fluid_in(row + rows) == i + static_cast<std::size_t>(rows))
        ++rows;
      std::int32_t from[neighbors::k_chunk];  // the number of each row's sum for the code 0
      for (std::int32_t r = 0; r < rows; ++r) {
        std::fill_n(sums[r], k_near_parts, 0.0);
        from[r] = k_middle - codes[row + r];
      }
      const float* a = values_.data() + first_entry_[c] + lane;
      const std::int32_t* place = matrix().places_of(static_cast<std::int64_t>(c)) + lane;
      for (std::int32_t e = 0; e < lengths_[c]; ++e, a += neighbors::k_chunk, place += neighbors::k_chunk)
        for (std::int32_t r = 0; r < rows; ++r) {
          const auto o = static_cast<std::uint32_t>(from[r] + codes[place[r] / k_row_step]);
          sums[r][std::min(o, std::uint32_t{k_near_parts})] += static_cast<double>(a[r]);
        }
      for (std::int32_t r = 0; r < rows; ++r, ++row) {
        const auto I = static_cast<std::size_t>(half_of_row_[static_cast<std::size_t>(row)]);
        halves_.own[I] += own[static_cast<std::size_t>(row)];
        double* off = halves_.off.data() + I * k_near_parts;
        for (std::int32_t o = 0; o < k_near_parts; ++o) off[o] += sums[r][o];
      }
    }
    for (std::size_t I = first; I < first + k_parts; ++I) {
      double* off = halves_.off.data() + I * k_near_parts;
      off[k_middle] = 0;
      for (std::int32_t o = 0; o < k_near_parts; ++o) off[o] *= factor;
    }
  });
  halves_.invert();
}

/// Level 2 from level 1, by the owners of cells; the levels above on all ranks.
template <int D>
void PressureEquation<D>::set_cells() {
  Cells& cells = cells_.front();
  const std::size_t values = 1 + static_cast<std::size_t>(k_near_cells);
  Array<double> packed;
  packed.assign(cells.size() * values, 0);
  for_each_cell([&](std::size_t n, std::int32_t, const particles::RowRange&) {
    double* to = packed.data() + static_cast<std::size_t>(cell_of_[n]) * values;
    for (std::int32_t part = 0; part < k_parts; ++part) {
      const std::size_t I = n * k_parts + static_cast<std::size_t>(part);
      to[0] += halves_.own[I];
      const double* off = halves_.off.data() + I * k_near_parts;
      for (std::int32_t o = 0; o < k_near_parts; ++o) {
        std::int32_t rest = o, cell_at = 0, unit = 1;
        for (int d = 0; d < D; ++d, rest /= 5, unit *= 3)
          cell_at += unit * (half(((part >> d) & 1) + rest % 5 - 2) + 1);
        to[1 + cell_at] += off[o];
      }
    }
  });
  add_up({packed.data(), packed.size()});
  for (std::size_t I = 0; I < cells.size(); ++I) {
    const double* from = packed.data() + I * values;
    cells.own[I] = from[0];
    for (std::size_t o = 0; o < static_cast<std::size_t>(k_near_cells); ++o) {
      const std::size_t at = I * k_near_cells + o;
      cells.off[at] = static_cast<std::size_t>(cells.near[at]) == I ? 0 : from[1 + o];
    }
  }
  cells.invert();
  for (std::size_t k = 0; k + 1 < cells_.size(); ++k) {
    const Cells& fine = cells_[k];
    Cells& coarse = cells_[k + 1];
    std::fill(coarse.own.begin(), coarse.own.end(), 0.0);
    std::fill(coarse.off.begin(), coarse.off.end(), 0.0);
    for (std::size_t i = 0; i < fine.size(); ++i) {
      const auto I = static_cast<std::size_t>(fine.parent[i]);
      coarse.own[I] += fine.own[i];
      for (std::size_t o = 0; o < static_cast<std::size_t>(k_near_cells); ++o) {
        const std::size_t at = i * k_near_cells + o;
        if (fine.off[at] == 0) continue;
        const std::int32_t J = fine.parent[static_cast<std::size_t>(fine.near[at])];
        if (static_cast<std::size_t>(J) == I) continue;
        // The first entry with this neighbour: in a short periodic direction, several have it.
        const std::int32_t* near = coarse.near.data() + I * k_near_cells;
        const auto entry = static_cast<std::size_t>(std::find(near, near + k_near_cells, J) - near);
        if (entry < static_cast<std::size_t>(k_near_cells)) coarse.off[I * k_near_cells + entry] += fine.off[at];
      }
    }
    coarse.invert();
  }
}

/// Each value is held by one rank, and 0 on the others: afterwards all ranks hold it, with its bits.
template <int D>
void PressureEquation<D>::add_up(std::span<double> values) {
  auto& communicator = liquid_.communicator();
  if (communicator.is_alone()) return;
  words_.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) words_[i] = std::bit_cast<std::int64_t>(values[i]);
  liquid_.timers.lap();
  comm::sum(communicator, words_, "pressure levels");
  liquid_.timers.lap(Phase::wait);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::bit_cast<double>(words_[i]);
}

template <int D>
void PressureEquation<D>::Stencils::invert() {
  linear::for_each_unknown(size(), [&](std::size_t I) {
    double diagonal = own[I];
    for (std::int32_t o = 0; o < width; ++o)
      diagonal += off[I * static_cast<std::size_t>(width) + static_cast<std::size_t>(o)];
    inverse[I] = diagonal > 0 ? 1 / diagonal : 0;
  });
}

template <int D>
void PressureEquation<D>::Stencils::apply(std::span<const double> x, std::span<double> y) const {
  linear::for_each_unknown(size(), [&](std::size_t I) {
    const double here = x[I];
    const double* a = off.data() + I * static_cast<std::size_t>(width);
    const std::int32_t* j = near.data() + I * static_cast<std::size_t>(width);
    double sum = own[I] * here;
    for (std::int32_t o = 0; o < width; ++o) sum += a[o] * (here - x[static_cast<std::size_t>(j[o])]);
    y[I] = sum;
  });
}

template <int D>
void PressureEquation<D>::apply(std::size_t k, std::span<double> x, std::span<double> y) {
  if (k == 0) return apply_to_particles(x, y);
  if (k > 1) return cells_[k - 2].apply(x, y);
  half_halo_.gather(liquid_.timers, SpanField(x));
  halves_.apply(x, y);
}

template <int D>
void PressureEquation<D>::apply_to_particles(std::span<double> x, std::span<double> y) {
  liquid_.fluid_halo.gather(liquid_.timers, SpanField(x));
  x[static_cast<std::size_t>(liquid_.fluid_rows.rows)] = 0;  // the sentinel, which pads lists
  const physics::mps::Product product{
      matrix(), liquid_.fluid_fluid.targets(), own.data(), liquid_.constants().factors.A, x.data(), y.data()};
  liquid_.for_chunks(liquid_.fluid_fluid,
                     [&](std::int64_t first, std::int64_t last) { multiply_(product, first, last); });
}

template <int D>
void PressureEquation<D>::coarsen(std::size_t k, std::span<double> fine, std::span<double> coarse) {
  if (k == 0) {
    for_each_cell([&](std::size_t n, std::int32_t, const particles::RowRange& range) {
      std::fill_n(coarse.data() + n * k_parts, k_parts, 0.0);
      for (std::int32_t row = range.begin; row < range.end; ++row) {
        const auto r = static_cast<std::size_t>(row);
        coarse[static_cast<std::size_t>(half_of_row_[r])] += fine[r];
      }
    });
  } else if (k == 1) {
    std::ranges::fill(coarse, 0.0);
    for_each_cell([&](std::size_t n, std::int32_t, const particles::RowRange&) {
      double& sum = coarse[static_cast<std::size_t>(cell_of_[n])];
      for (std::size_t part = 0; part < k_parts; ++part) sum += fine[n * k_parts + part];
    });
    add_up(coarse);
  } else {
    std::ranges::fill(coarse, 0.0);
    const Cells& cells = cells_[k - 2];
    for (std::size_t i = 0; i < cells.size(); ++i) coarse[static_cast<std::size_t>(cells.parent[i])] += fine[i];
  }
}

template <int D>
void PressureEquation<D>::refine(std::size_t k, std::span<double> coarse, std::span<double> fine) {
  if (k == 0) {
    linear::for_each_unknown(size_of(0),
                             [&](std::size_t r) { fine[r] += coarse[static_cast<std::size_t>(half_of_row_[r])]; });
  } else if (k == 1) {
    for_each_cell([&](std::size_t n, std::int32_t, const particles::RowRange&) {
      const double add = coarse[static_cast<std::size_t>(cell_of_[n])];
      for (std::size_t part = 0; part < k_parts; ++part) fine[n * k_parts + part] += add;
    });
  } else {
    const Cells& cells = cells_[k - 2];
    linear::for_each_unknown(cells.size(),
                             [&](std::size_t i) { fine[i] += coarse[static_cast<std::size_t>(cells.parent[i])]; });
  }
}

template <int D>
std::vector<std::int64_t> PressureEquation<D>::sizes() const {
  std::vector<std::int64_t> all;
  for (std::size_t k = 0; k < levels_.size(); ++k) all.push_back(static_cast<std::int64_t>(size_of(k)));
  return all;
}

template <int D>
std::size_t PressureEquation<D>::bytes() const {
  std::size_t bytes = values_.bytes() + places_.bytes() + lengths_.bytes() + first_entry_.bytes() + inverse_.bytes() +
                      own.bytes() + right_side.bytes() + halves_.bytes() + half_of_row_.bytes() + code_of_row_.bytes() +
                      part_of_row_.bytes();
  for (const Cells& cells : cells_) bytes += cells.bytes() + cells.parent.bytes();
  return bytes;
}

template <int D>
PressureSolve<D>::PressureSolve(Liquid<D>& liquid)
    : equation(liquid),
      solver_(liquid.communicator(), solve_options(liquid.constants(), liquid.execution().instructions)),
      multigrid_(equation, multigrid_options()) {}

template <int D>
linear::Outcome PressureSolve<D>::solve(Array<double>& p) {
  const std::span<const double> b(equation.right_side.data(), equation.right_side.size());
  struct Preconditioner {
    PressureEquation<D>& equation;
    linear::Multigrid<PressureEquation<D>>& multigrid;
    bool is_ready = false;  // the first iteration finds the levels: still water mostly takes none

    void apply(std::span<const double> r, std::span<double> z) {
      if (!is_ready) equation.find_levels();
      is_ready = true;
      if (equation.levels() > 1) return multigrid.apply(r, z);
      const auto inverse = equation.inverse_diagonal(0);
      linear::for_each_unknown(r.size(), [&](std::size_t i) { z[i] = inverse[i] * r[i]; });
    }
  } preconditioner{equation, multigrid_};
  return solver_.solve(equation.level(0), preconditioner, b, linear::span_of(p));
}

template class PressureSolve<2>;
template class PressureSolve<3>;
template class PressureEquation<2>;
template class PressureEquation<3>;

}  // namespace eddyline::mps
