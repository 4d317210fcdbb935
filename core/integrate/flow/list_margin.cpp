#include "integrate/flow/list_margin.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/share_out.hpp"

namespace eddyline::integrate {

namespace {

/// What it costs to build lists, in units of what it costs to sum their pairs within R. Measured.
constexpr double k_building = 1.3;
/// Margins are so much wider than what is expected to be used up, and never narrower than this share of R.
constexpr double k_spare = 1.2, k_least = 0.02;

}  // namespace

template <class T, int D>
double ListMargin<T, D>::best_width(double pace, double steps) {
  if (!(pace > 0)) return k_least;
  const double whole = k_spare * pace * steps;
  const auto cost = [&](double lists) {
    double pairs = 1;
    for (int d = 0; d < D; ++d) pairs *= 1 + whole / lists;
    return pairs + k_building * lists / steps;
  };
  // How many lists one after the other cost least, to first order in their width.
  const double fewer = std::max(1.0, std::floor(whole / std::sqrt(k_building * pace * k_spare / D)));
  const double lists = cost(fewer) <= cost(fewer + 1) ? fewer : fewer + 1;
  return std::max(k_least, whole / lists);
}

template <class T, int D>
void ListMargin<T, D>::begin(std::int32_t cells, const neighbors::FixedPositions& fluid, double approach,
                             double steps) {
  const auto n = static_cast<std::size_t>(cells);
  // The first lists are as short as can be: the first step will tell. Later, where nobody was, those may come who come
  // nearer as fast as anybody does.
  const float unknown = pace_.size() == 0 ? 0.0F : static_cast<float>(skin_ / steps);
  if (pace_.size() != n) pace_.assign(n, unknown);
  for (float& pace : pace_) pace = pace > 0 ? pace : unknown;
  cut_squared_.resize(n), left_.resize(n), due_.resize(n);
  std::fill(due_.begin(), due_.end(), 1);
  is_used_ = is_first_ = true;
  before_ = approach;
  need_ = {};
  renew(steps);
  copy_places(fluid, fluid_);
}

template <class T, int D>
void ListMargin<T, D>::copy_places(const neighbors::FixedPositions& from, neighbors::FixedPositions& to) {
  for (int d = 0; d < D; ++d) {
    to.x[d].resize(from.x[d].size());
    std::copy(from.x[d].begin(), from.x[d].end(), to.x[d].begin());
  }
}

/// How far the middle of this step lies from its end and from the last one: half of what lies between those two, and
/// half of the correction.
template <class T, int D>
double ListMargin<T, D>::to_middle(double step) const {
  return 0.5 * (before_ + step) + need_.corrected;
}

template <class T, int D>
void ListMargin<T, D>::renew(double steps) {
  for (std::size_t c = 0; c < due_.size(); ++c) {
    if (due_[c] == 0) continue;
    const double pace = pace_[c];
    const double wanted = parts_ > 0 ? skin_ / parts_ : radius_ * best_width(pace / radius_, steps);
    const double width = std::max(wanted, k_spare * to_middle(pace)), cut = radius_ + width;
    cut_squared_[c] = static_cast<float>(cut * cut);
    left_[c] = static_cast<float>(k_trust * width);
  }
}

template <class T, int D>
bool ListMargin<T, D>::use_up(const Array<float>& approach, const Need& need) {
  const bool is_first = std::exchange(is_first_, false);
  if (!is_first) before_ = 0;
  need_ = need;
  std::atomic<int> lacking = 0, any_due = 0;
  const auto besides = static_cast<float>(need.besides);
  const auto to_middle_of_none = static_cast<float>(to_middle(0));  // of a step in which nobody comes nearer
  // From the middle, where pairs are summed, to the end, where they are counted, in steps: the first begins at an end.
  const double to_end = need.in_middle ? k_spare * (is_first ? 1 : 0.5) : 0;
  const auto whole = static_cast<float>(1 + to_end);
  const float spare = need.next_step ? static_cast<float>(k_spare) : 0;
  constexpr std::int64_t k_portion = 1024;  // cells that a thread takes at a time
  share_out(static_cast<std::int64_t>(left_.size()), k_portion, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
    int some_lacking = 0, some_due = 0;
#pragma omp simd reduction(| : some_lacking, some_due)
    for (std::size_t c = first; c < last; ++c) {
      const float step = approach[c] + besides, middle = 0.5F * step + to_middle_of_none;
      const float least = std::max(whole * step, middle), left = left_[c], after = left - step;
      const int is_due = (least > left ? 1 : 0) | (spare * least > after ? 1 : 0);
      some_lacking |= (need.in_middle ? step : middle) > left ? 1 : 0;
      left_[c] = after;
      pace_[c] = step;
      due_[c] = static_cast<std::uint8_t>(is_due);
      some_due |= is_due;
    }
    if (some_lacking != 0) lacking.store(1, std::memory_order_relaxed);
    if (some_due != 0) any_due.store(1, std::memory_order_relaxed);
  });
  any_due_ = any_due != 0;
  return lacking != 0;
}

template <class T, int D>
bool ListMargin<T, D>::follow_walls(const neighbors::WallDisplacement& moved,
                                    const neighbors::FixedPositions& at_rebuild) {
  constexpr float k_farthest = 0x1p30F;
  for (int d = 0; d < D; ++d) {
    const std::size_t rows = moved.x[d].size();
    walls_step_.x[d].resize(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const float to = std::nearbyint(moved.x[d][r]);
      if (!(std::abs(to) < k_farthest)) return false;
      const auto before = static_cast<std::uint32_t>(walls_.x[d][r]);
      const auto now =
          static_cast<std::uint32_t>(at_rebuild.x[d][r]) + static_cast<std::uint32_t>(static_cast<std::int32_t>(to));
      walls_step_.x[d][r] = static_cast<float>(static_cast<std::int32_t>(now - before));
      walls_.x[d][r] = static_cast<std::int32_t>(now);
    }
  }
  return true;
}

template <class T, int D>
std::size_t ListMargin<T, D>::bytes() const {
  std::size_t bytes = cut_squared_.bytes() + left_.bytes() + pace_.bytes() + due_.bytes();
  for (int d = 0; d < D; ++d) bytes += fluid_.x[d].bytes() + walls_.x[d].bytes() + walls_step_.x[d].bytes();
  return bytes;
}

template class ListMargin<float, 2>;
template class ListMargin<float, 3>;
template class ListMargin<double, 2>;
template class ListMargin<double, 3>;

}  // namespace eddyline::integrate
