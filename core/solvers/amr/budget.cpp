#include "solvers/amr/budget.hpp"

#include "solvers/amr/describe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/block_sum.hpp"
#include "comm/collectives.hpp"
#include "comm/sums.hpp"

namespace eddyline::amr {

std::vector<solver::Column> Budget::columns() const {
  return describe(state_.equations(), state_.levels().most()).columns(name());
}

void Budget::add(comm::Sums& sums) {
  state_.gather();
  const physics::Equations& equations = state_.equations();
  const std::vector<State::Patch> all = state_.patches();
  const std::size_t integrals = equations.integrals().size(), extremes = equations.largest().size();
  const auto patches = static_cast<std::int64_t>(all.size());
  std::vector<ReproducibleSum> totals(integrals);
  largest_.assign(extremes, -std::numeric_limits<double>::infinity());
#pragma omp parallel
  {
    State::Scratch scratch(state_);
    std::vector<ReproducibleSum> own(integrals);
    std::vector<double> densities(integrals), values(extremes), most = largest_;
    std::vector<BlockSum::Numbers> blocks(integrals);
    std::size_t filled = 0;
    const auto add_blocks = [&] {
      for (std::size_t n = 0; n < integrals; ++n) BlockSum::add(own[n], blocks[n], filled);
      filled = 0;
    };
    std::vector<physics::Input> at;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < patches; ++k) {
      const State::Patch& patch = all[static_cast<std::size_t>(k)];
      const std::span<const physics::Input> in = scratch.read(patch);
      physics::Place place = state_.place(patch.level, patch.cells());
      place.time = state_.time;
      const double volume = std::pow(place.spacing, state_.world().dimensions);
      const physics::Solid* solid = state_.solid(patch);
      at.assign(in.begin(), in.end());
      for_each_cell(patch.cells(), [&](Int3 cell) {
        if (state_.levels().is_covered(patch.level, cell)) return;
        const double fraction =
            solid == nullptr ? 1 : solid->fraction[static_cast<std::size_t>(patch.cells().index(cell))];
        if (fraction == 0) return;
        for (std::size_t f = 0; f < at.size(); ++f) {
          at[f].at = in[f].at;
          for (std::size_t d = 0; d < 3; ++d) at[f].at += (cell[d] - patch.cells().lower[d]) * in[f].stride[d];
        }
        place.cells = {cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}};
        equations.account(place, at, densities, values);
        for (std::size_t n = 0; n < integrals; ++n) blocks[n][filled] = fraction * volume * densities[n];
        if (++filled == BlockSum::k_most) add_blocks();
        for (std::size_t n = 0; n < extremes; ++n) most[n] = std::max(most[n], values[n]);
      });
    }
    add_blocks();
#pragma omp critical
    {
      for (std::size_t n = 0; n < integrals; ++n) totals[n].merge(own[n]);
      for (std::size_t n = 0; n < extremes; ++n) largest_[n] = std::max(largest_[n], most[n]);
    }
  }
  for (std::size_t n = 0; n < integrals; ++n) {
    const std::size_t index = sums.add(totals[n]);
    if (n == 0) first_ = index;
  }
}

void Budget::read(const comm::Sums& sums, std::vector<double>& row) {
  comm::maximum(state_.communicator(), std::span(largest_), "observers");
  row.push_back(static_cast<double>(state_.steps));
  for (std::size_t n = 0; n < state_.equations().integrals().size(); ++n) row.push_back(sums.value(first_ + n));
  row.insert(row.end(), largest_.begin(), largest_.end());
}

}  // namespace eddyline::amr
