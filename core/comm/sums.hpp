#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/block_sum.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/collectives.hpp"

namespace eddyline::comm {

/// Exact sums over all ranks in one reduction. Every rank adds its own terms, each call in the same order on all ranks;
/// add_up() makes them the sums of all ranks; then they are read by the index that add() returned.
class Sums {
 public:
  void clear() { sums_.clear(); }

  /// Adds one sum and returns its index.
  std::size_t add(const ReproducibleSum& own) {
    sums_.push_back(own);
    return sums_.size() - 1;
  }

  /// Adds the total of the `count` sums before this one.
  std::size_t add_total_of_last(std::size_t count) {
    ReproducibleSum total;
    for (std::size_t k = sums_.size() - count; k < sums_.size(); ++k) total.merge(sums_[k]);
    return add(total);
  }

  /// Adds N sums of value(i), an array of N doubles, over i < n, in parallel. Returns the index of the first.
  template <std::size_t N, class Value>
  std::size_t add_over(std::int64_t n, Value&& value) {
    return add_blocks<N>(n, [&](std::size_t first, std::size_t count, Columns<N>& block) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::array<double, N> v = value(first + i);
        for (std::size_t k = 0; k < N; ++k) block[k][i] = v[k];
      }
    });
  }

  template <std::size_t N>
  using Columns = std::array<BlockSum::Numbers, N>;

  /// Adds N sums block by block: fill(first, count, columns) sets the terms first to first + count of each, so that its
  /// loops become vector instructions. Returns the index of the first.
  template <std::size_t N, class Fill>
  std::size_t add_blocks(std::int64_t n, Fill&& fill) {
    constexpr auto k_block = static_cast<std::int64_t>(BlockSum::k_most);
    std::array<ReproducibleSum, N> total;
#pragma omp parallel
    {
      std::array<ReproducibleSum, N> own;
      Columns<N> block;
#pragma omp for schedule(static)
      for (std::int64_t first = 0; first < n; first += k_block) {
        const auto count = static_cast<std::size_t>(std::min(k_block, n - first));
        fill(static_cast<std::size_t>(first), count, block);
        for (std::size_t k = 0; k < N; ++k) BlockSum::add(own[k], block[k], count);
      }
#pragma omp critical
      for (std::size_t k = 0; k < N; ++k) total[k].merge(own[k]);
    }
    sums_.insert(sums_.end(), total.begin(), total.end());
    return sums_.size() - N;
  }

  /// Collective.
  void add_up(Communicator& communicator) { sum(communicator, sums_, "observers"); }

  double value(std::size_t index) const { return sums_.at(index).value(); }

  /// N values from `index` on.
  template <std::size_t N>
  std::array<double, N> values(std::size_t index) const {
    std::array<double, N> values;
    for (std::size_t k = 0; k < N; ++k) values[k] = value(index + k);
    return values;
  }

 private:
  std::vector<ReproducibleSum> sums_;
};

}  // namespace eddyline::comm
