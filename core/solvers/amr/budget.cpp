#include "solvers/amr/budget.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "comm/collectives.hpp"
#include "comm/sums.hpp"
#include "physics/wave/laplacian.hpp"

namespace eddyline::amr {

namespace {

using One = Pack<double, 1>;
using Laplacian = One (*)(const double*, const std::array<std::ptrdiff_t, 3>&);

template <int D>
Laplacian laplacian_of_order(std::int64_t order) {
  if (order == 2) return physics::wave::laplacian<2, D, One>;
  if (order == 4) return physics::wave::laplacian<4, D, One>;
  return physics::wave::laplacian<6, D, One>;
}

}  // namespace

std::vector<solver::Column> Budget::columns() const {
  const std::string unit = state_.world().dimensions == 2 ? "m^4/s^2" : "m^5/s^2";
  return {{"step", ""}, {"energy", unit}, {"max_u", "m"}};
}

void Budget::add(comm::Sums& sums) {
  state_.gather();
  const patches::Layout& layout = state_.layout();
  const int dimensions = layout.dimensions();
  const std::int64_t order = state_.options().order;
  const Laplacian laplacian = dimensions == 2 ? laplacian_of_order<2>(order) : laplacian_of_order<3>(order);
  const double dx = state_.spacing(), stiffness = std::pow(state_.options().wave_speed / dx, 2),
               half_volume = 0.5 * std::pow(dx, dimensions);
  const State::Fields &now = state_.fields(State::begin), &foreign = state_.foreign();
  const auto patches = static_cast<std::int64_t>(layout.patches().size());
  ReproducibleSum energy;
  double largest = 0;
#pragma omp parallel reduction(max : largest)
  {
    std::vector<double> scratch(layout.scratch_size()), terms;
    ReproducibleSum own;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < patches; ++k) {
      const patches::Layout::Patch& patch = layout.patches()[static_cast<std::size_t>(k)];
      layout.fill(patch, {now.u.data(), foreign.u.data()}, scratch.data());
      const grid::IndexBox grown = patch.cells.grown(layout.ghosts(), dimensions);
      const std::array<std::ptrdiff_t, 3> stride{1, grown.count(0),
                                                 static_cast<std::ptrdiff_t>(grown.count(0)) * grown.count(1)};
      terms.clear();
      const double* p = now.p.data() + patch.first;
      for_each_cell(patch.cells, [&](Int3 cell) {
        const double* u = scratch.data() + grown.index(cell);
        terms.push_back(half_volume * (*p * *p - stiffness * *u * laplacian(u, stride).v));
        largest = std::max(largest, std::abs(*u));
        ++p;
      });
      for (const double term : terms) own.add(term);
    }
#pragma omp critical
    energy.merge(own);
  }
  largest_ = largest;
  index_ = sums.add(energy);
}

void Budget::read(const comm::Sums& sums, std::vector<double>& row) {
  comm::maximum(state_.communicator(), std::span(&largest_, 1), "observers");
  row.insert(row.end(), {static_cast<double>(state_.steps), sums.value(index_), largest_});
}

}  // namespace eddyline::amr
