#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/block_sum.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/collectives.hpp"

namespace eddyline::observe {

/// The exact sums of one moment. First every rank adds what it has; then all are added up over the ranks, at once; then
/// they are read, in the order in which they were added.
class Tally {
 public:
  void clear() {
    sums_.clear();
    read_ = 0;
  }
  void add(const ReproducibleSum& own) { sums_.push_back(own); }
  /// Of so many sums that were added last.
  void add_total_of_last(std::size_t count) {
    ReproducibleSum total;
    for (std::size_t k = sums_.size() - count; k < sums_.size(); ++k) total.merge(sums_[k]);
    sums_.push_back(total);
  }
  /// N sums of value(i) over n particles, in parallel; value returns an array of N doubles.
  template <std::size_t N, class Value>
  void add_over(std::int64_t n, Value&& value) {
    add_blocks<N>(n, [&](std::size_t first, std::size_t count, Columns<N>& block) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::array<double, N> v = value(first + i);
        for (std::size_t k = 0; k < N; ++k) block[k][i] = v[k];
      }
    });
  }
  template <std::size_t N>
  using Columns = std::array<BlockSum::Numbers, N>;
  /// The same, block by block: fill(first, count, columns) sets what `count` particles have, for loops over vectors.
  template <std::size_t N, class Fill>
  void add_blocks(std::int64_t n, Fill&& fill) {
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
  }

  /// Collective.
  void add_up(comm::Communicator& communicator) { comm::sum(communicator, sums_, "observers"); }

  double next() { return sums_.at(read_++).value(); }
  template <std::size_t N>
  std::array<double, N> next() {
    std::array<double, N> values;
    for (double& value : values) value = next();
    return values;
  }

 private:
  std::vector<ReproducibleSum> sums_;
  std::size_t read_ = 0;
};

}  // namespace eddyline::observe
