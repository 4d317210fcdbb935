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

namespace {

/// The sums of a thread.
class Account {
 public:
  explicit Account(const State& state)
      : state_(state),
        sums_(state.equations().integrals().size()),
        blocks_(sums_.size()),
        to_(sums_.size()),
        largest_(state.equations().largest().size(), -std::numeric_limits<double>::infinity()) {}

  /// The cells of a patch that no finer level covers, outside bodies.
  void add(const State::Patch& patch, std::span<const physics::Input> in) {
    const grid::IndexBox& box = patch.cells();
    for_each_row(box, [&](Int3 row) {
      state_.levels().for_each_uncovered(patch.level, row, box.upper[0], [&](std::int32_t first, std::int32_t end) {
        for_each_outside(patch, {{first, row[1], row[2]}, {end, row[1] + 1, row[2] + 1}},
                         [&](const grid::IndexBox& cells) { add_row(patch, in, cells); });
      });
    });
  }

  void finish() {
    for (std::size_t n = 0; n < sums_.size(); ++n) BlockSum::add(sums_[n], blocks_[n], filled_);
    filled_ = 0;
  }
  const ReproducibleSum& sum(std::size_t integral) const { return sums_[integral]; }
  double largest(std::size_t n) const { return largest_[n]; }

 private:
  /// Calls visit(part) for the parts of a row that hold fluid, each small enough for a block.
  template <class Visit>
  void for_each_outside(const State::Patch& patch, const grid::IndexBox& row, Visit&& visit) const {
    const physics::Solid* solid = state_.solid(patch);
    grid::IndexBox part = row;
    for (std::int32_t& x = part.lower[0]; x < row.upper[0]; x = part.upper[0]) {
      const std::int32_t end = std::min(row.upper[0], x + static_cast<std::int32_t>(BlockSum::k_most));
      part.upper[0] = end;
      if (solid != nullptr) {
        const double* fraction = solid->fraction.data() + patch.cells().index(part.lower);
        const bool is_outside = *fraction != 0;
        part.upper[0] = x + 1;
        while (part.upper[0] < end && (fraction[part.upper[0] - x] != 0) == is_outside) ++part.upper[0];
        if (!is_outside) continue;
      }
      visit(part);
    }
  }

  void add_row(const State::Patch& patch, std::span<const physics::Input> in, const grid::IndexBox& cells) {
    const auto count = static_cast<std::size_t>(cells.count(0));
    if (filled_ + count > BlockSum::k_most) finish();
    physics::Row row{
        state_.place(patch.level, cells), {}, state_.coefficients(patch), patch.cells().index(cells.lower)};
    row.place.time = state_.time;
    at_.assign(in.begin(), in.end());
    for (physics::Input& each : at_)
      for (std::size_t d = 0; d < 3; ++d) each.at += (cells.lower[d] - patch.cells().lower[d]) * each.stride[d];
    row.in = at_;
    for (std::size_t n = 0; n < to_.size(); ++n) to_[n] = blocks_[n].data() + filled_;
    state_.equations().account(row, to_.data(), largest_);

    const double volume = std::pow(row.place.spacing, state_.world().dimensions);
    const physics::Solid* solid = state_.solid(patch);
    for (double* densities : to_)
      for (std::size_t i = 0; i < count; ++i)
        densities[i] *= solid == nullptr ? volume : solid->fraction[static_cast<std::size_t>(row.cell) + i] * volume;
    filled_ += count;
  }

  const State& state_;
  std::vector<ReproducibleSum> sums_;
  std::vector<BlockSum::Numbers> blocks_;  // by integral
  std::size_t filled_ = 0;                 // numbers of each
  std::vector<double*> to_;
  std::vector<double> largest_;
  std::vector<physics::Input> at_;
};

}  // namespace

std::vector<solver::Column> Budget::columns() const {
  return describe(state_.equations(), state_.levels().most()).columns(name());
}

void Budget::add(comm::Sums& sums) {
  const bool all = !state_.equations().accounts_within_reach();
  state_.gather(all);
  const std::vector<State::Patch> patches = state_.patches();
  const auto count = static_cast<std::int64_t>(patches.size());
  std::vector<ReproducibleSum> totals(state_.equations().integrals().size());
  largest_.assign(state_.equations().largest().size(), -std::numeric_limits<double>::infinity());
#pragma omp parallel
  {
    State::Scratch scratch(state_);
    Account own(state_);
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const State::Patch& patch = patches[static_cast<std::size_t>(k)];
      own.add(patch, scratch.read(patch, all));
    }
    own.finish();
#pragma omp critical
    {
      for (std::size_t n = 0; n < totals.size(); ++n) totals[n].merge(own.sum(n));
      for (std::size_t n = 0; n < largest_.size(); ++n) largest_[n] = std::max(largest_[n], own.largest(n));
    }
  }
  for (std::size_t n = 0; n < totals.size(); ++n) {
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
