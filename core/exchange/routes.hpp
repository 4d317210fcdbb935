#pragma once
// Copies between rows of this process. The exchange is independent of particles and physics: the caller supplies the
// function that copies rows to their ghosts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel_for.hpp"
#include "base/vec.hpp"

namespace eddyline::exchange {

/// A run of consecutive rows and the run of ghost rows that repeats it, shifted by a period if it is a periodic image.
struct Run {
  std::int32_t from, to, count;
  Int3 shift;  // quanta
};

/// All runs that are copied from one box to another, or to the same box for periodic images.
struct Route {
  std::int32_t from_box = 0, to_box = 0;
  std::vector<Run> runs;
};

/// The routes between the boxes of this process. They are rebuilt with the cells; between rebuilds gather() repeats the
/// same copies.
class Routes {
 public:
  void clear() { used_ = 0; }

  /// Runs must be added one pair of boxes after the other; adjacent runs are merged.
  void add(std::int32_t from_box, std::int32_t to_box, const Run& run) {
    if (run.count == 0) return;
    if (used_ == 0 || routes_[used_ - 1].from_box != from_box || routes_[used_ - 1].to_box != to_box) {
      if (used_ == routes_.size()) routes_.emplace_back();
      routes_[used_].from_box = from_box;
      routes_[used_].to_box = to_box;
      routes_[used_].runs.clear();
      ++used_;
    }
    auto& runs = routes_[used_ - 1].runs;
    if (!runs.empty()) {
      Run& last = runs.back();
      if (last.from + last.count == run.from && last.to + last.count == run.to && last.shift == run.shift) {
        last.count += run.count;
        return;
      }
    }
    runs.push_back(run);
  }

  /// Copies owners' values to ghosts: calls copy(from_row, to_row, count, shift) for every run, in parallel. Returns
  /// the number of ghost rows.
  template <class Copy>
  std::int64_t gather(Copy&& copy) const {
    constexpr std::int64_t k_block = 16;  // runs per work item
    std::int64_t rows = 0;
    for (std::size_t r = 0; r < used_; ++r) {
      const std::vector<Run>& runs = routes_[r].runs;
      for (const Run& run : runs) rows += run.count;
      parallel_for(static_cast<std::int64_t>(runs.size()), k_block, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const Run& run = runs[static_cast<std::size_t>(i)];
          copy(run.from, run.to, run.count, run.shift);
        }
      });
    }
    return rows;
  }

  std::size_t size() const { return used_; }
  const Route& operator[](std::size_t r) const { return routes_[r]; }

 private:
  std::vector<Route> routes_;
  std::size_t used_ = 0;
};

}  // namespace eddyline::exchange
