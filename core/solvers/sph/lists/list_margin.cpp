#include "solvers/sph/lists/list_margin.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace eddyline::sph {

namespace {

/// Cost of building lists, in units of the cost of summing their pairs within R. Measured.
constexpr double k_building = 0.8;
/// Margins are wider than their expected use by k_spare, and never narrower than k_least of R.
constexpr double k_spare = 1.2, k_least = 0.02;
/// Lists that predict motion are used up as if particles came nearer by this share of the largest value. Measured.
constexpr double k_met = 0.12;
/// Largest path of a particle relative to its neighbours that lists predict, as a share of R. The search looks at pairs
/// where paths begin and end; longer paths cost more, because it must also cover what lies between.
constexpr double k_farthest_path = 0.6;
/// Paths shorter than k_free_path of R cost nothing. Lists predict at most k_most_steps steps.
constexpr double k_free_path = 0.02, k_most_steps = 1000;
/// Times are longer than whole steps by k_rounded_up, so that rounding does not cost a step. The next step may be
/// longer than this one by k_longer.
constexpr double k_rounded_up = 1.02, k_longer = 1.005;

}  // namespace

template <class T, int D>
double ListMargin<T, D>::best_lifetime(double pace, double steps) {
  if (!(pace > 0)) return steps;
  const double whole = k_spare * pace * steps;
  const auto cost = [&](double lists) {
    double pairs = 1;
    for (int d = 0; d < D; ++d) pairs *= 1 + whole / lists;
    return pairs + k_building * lists / steps;
  };
  // The number of successive lists with the lowest cost, to first order in their width.
  const double fewer = std::max(1.0, std::floor(whole / std::sqrt(k_building * pace * k_spare / D)));
  return std::max(1.0, steps / (cost(fewer) <= cost(fewer + 1) ? fewer : fewer + 1));
}

template <class T, int D>
void ListMargin<T, D>::begin(const particles::CellSet& cells, std::span<const neighbors::CellRun> runs,
                             const OfRun& relative_speed, double steps, double step) {
  const auto n = static_cast<std::size_t>(cells.size());
  // The first lists are as narrow as possible, and the first step measures the drift. Later, cells that were empty may
  // receive particles that come nearer as fast as any.
  recall(cells, cells_.is_empty() ? 0.0F : static_cast<float>(skin_ / steps));
  cells_.copy(cells);
  runs_ = runs;
  relative_speed_.assign(n, 0);
  parallel_for(static_cast<std::int64_t>(runs.size()), [&](std::int64_t r) {
    const auto& run = runs[static_cast<std::size_t>(r)];
    relative_speed(run, relative_speed_.data() + run.begin);
  });
  for (auto* each : {&cut_squared_, &left_, &to_go_}) each->resize(n);
  due_.resize(n);
  std::fill(due_.begin(), due_.end(), 0);
  for_each_cell([&](std::size_t c) { due_[c] = 1; });
  is_used_ = is_first_ = true;
  need_.step = step;
  renew(steps);
  behind_ = 0;
}

/// Keeps what is known of the last step when cells get other numbers; `unknown` for cells that are new.
template <class T, int D>
void ListMargin<T, D>::recall(const particles::CellSet& cells, float unknown) {
  const bool are_the_same = cells_.cells() == cells.cells();
  const auto recall = [&](Array<float>& of_last_step, float otherwise) {
    room_.swap(of_last_step);
    of_last_step.resize(static_cast<std::size_t>(cells.size()));
    std::size_t k = 0;
    cells.for_each([&](std::int32_t cell) {
      const bool is_known = are_the_same && cells_.has(cell);
      const float then = is_known ? room_[static_cast<std::size_t>(cells_.before(cell))] : 0;
      of_last_step[k++] = then > 0 ? then : otherwise;
    });
  };
  recall(pace_, unknown);
  recall(beside_, 0);
}

/// The part of a step like the last one that lists must bear. It is half a step more where pairs are summed at the
/// midpoint and counted at the end; the first step begins at an end.
template <class T, int D>
double ListMargin<T, D>::whole() const {
  return need_.in_middle ? 1 + k_spare * (is_first_ ? 1 : 0.5) : 1;
}

template <class T, int D>
void ListMargin<T, D>::renew(double steps) {
  behind_ = static_cast<float>(0.5 * k_rounded_up * need_.step);
  for_each_cell([&](std::size_t c) {
    if (due_[c] == 0) return;
    const double pace = pace_[c], speed = relative_speed_[c];
    const double life = parts_ > 0 ? steps / parts_
                                   : best_lifetime((pace + k_met * speed * need_.step) / radius_, std::max(steps, 1.0));
    const double wanted = parts_ > 0 ? skin_ / parts_ : std::max(k_least * radius_, k_spare * pace * life);
    const double width = std::max(wanted, k_spare * (0.5 * pace + beside_[c])), cut = radius_ + width;
    const double reach = radius_ / std::max(speed, 1e-30), most = k_most_steps * need_.step;
    const double paying = std::min(life * need_.step, k_farthest_path * reach), free = k_free_path * reach;
    const double ahead = k_rounded_up * std::max({paying, std::min(free, most), whole() * need_.step});
    // A pair on its path is at most half of that path nearer than where the path begins or ends.
    const double path = 0.5 * speed * (ahead + behind_);
    cut_squared_[c] = static_cast<float>(cut * cut + path * path);
    left_[c] = static_cast<float>(k_safety * width);
    to_go_[c] = static_cast<float>(ahead);
  });
}

template <class T, int D>
bool ListMargin<T, D>::use_up(const TwoOfRun& relative_drift, const Need& need) {
  need_ = need;
  const auto whole = static_cast<float>(this->whole());
  is_first_ = false;
  std::atomic<int> lacking = 0, any_due = 0;
  for_each_run_group([&](std::span<const neighbors::CellRun> runs) {
    int some_lacking = 0, some_due = 0;
    for (const auto& run : runs) {
      float steps[neighbors::CellRun::k_most], beside[neighbors::CellRun::k_most];
      relative_drift(run, steps, beside);
      use_up(run, steps, beside, whole, some_lacking, some_due);
    }
    if (some_lacking != 0) lacking.store(1, std::memory_order_relaxed);
    if (some_due != 0) any_due.store(1, std::memory_order_relaxed);
  });
  any_due_ = any_due != 0;
  return lacking != 0;
}

template <class T, int D>
void ListMargin<T, D>::use_up(const neighbors::CellRun& run, const float* relative_drift, const float* beside,
                              float whole, int& some_lacking, int& some_due) {
  const auto besides = static_cast<float>(need_.besides), time = static_cast<float>(need_.step);
  const float spare = need_.next_step ? static_cast<float>(k_spare) : 0;
  const float next = need_.next_step ? static_cast<float>(k_longer) * whole * time : 0;
  const bool in_middle = need_.in_middle;
  int lacking = 0, due = 0;
#pragma omp simd reduction(| : lacking, due)
  for (std::int32_t k = 0; k < run.end - run.begin; ++k) {
    const auto c = static_cast<std::size_t>(run.begin + k);
    const float step = relative_drift[k] + besides, middle = in_middle ? step : 0.5F * step + beside[k];
    const float least = std::max(whole * step, middle), left = left_[c], after = left - step;
    const float to_go = to_go_[c], to_go_after = to_go - time;
    const int is_due = (least > left ? 1 : 0) | (spare * least > after ? 1 : 0) | (whole * time > to_go ? 1 : 0) |
                       (next > to_go_after ? 1 : 0);
    lacking |= ((in_middle ? step : middle) > left ? 1 : 0) | ((in_middle ? time : 0.5F * time) > to_go ? 1 : 0);
    left_[c] = after;
    to_go_[c] = to_go_after;
    pace_[c] = step;
    beside_[c] = in_middle ? 0.0F : beside[k];
    due_[c] = static_cast<std::uint8_t>(is_due);
    due |= is_due;
  }
  some_lacking |= lacking, some_due |= due;
}

template <class T, int D>
bool ListMargin<T, D>::follow_walls(const neighbors::WallDisplacement& moved,
                                    const neighbors::FixedPositions& at_rebuild,
                                    const neighbors::ReferenceVelocities& reference_velocities, float time,
                                    neighbors::FixedPositions& places) {
  constexpr float k_farthest = 0x1p30F;
  for (int d = 0; d < D; ++d) {
    const std::size_t rows = moved.x[d].size();
    walls_step_.x[d].resize(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const float to = std::nearbyint(moved.x[d][r]);
      if (!(std::abs(to) < k_farthest)) return false;
      const auto before = static_cast<std::uint32_t>(places.x[d][r]);
      const auto now =
          static_cast<std::uint32_t>(at_rebuild.x[d][r]) + static_cast<std::uint32_t>(static_cast<std::int32_t>(to));
      const float expected =
          static_cast<float>(reference_velocities.x[d][r]) * (neighbors::ReferenceVelocities::k_unit * time);
      walls_step_.x[d][r] = static_cast<float>(static_cast<std::int32_t>(now - before)) - expected;
      places.x[d][r] = static_cast<std::int32_t>(now);
    }
  }
  return true;
}

template <class T, int D>
std::size_t ListMargin<T, D>::bytes() const {
  std::size_t bytes = cells_.bytes() + due_.bytes() + room_.bytes();
  for (const auto* each : {&cut_squared_, &left_, &pace_, &beside_, &to_go_, &relative_speed_}) bytes += each->bytes();
  for (int d = 0; d < D; ++d) bytes += walls_step_.x[d].bytes();
  return bytes;
}

template class ListMargin<float, 2>;
template class ListMargin<float, 3>;
template class ListMargin<double, 2>;
template class ListMargin<double, 3>;

}  // namespace eddyline::sph
