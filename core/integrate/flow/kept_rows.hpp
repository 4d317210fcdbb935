#pragma once
// Rows that outlast a new order of their particles.

#include <algorithm>
#include <cstdint>

#include "base/arrays.hpp"
#include "integrate/flow/migrate.hpp"
#include "neighbors/rows.hpp"
#include "particles/cells.hpp"

namespace eddyline::integrate {

/// Pair rows taken out by particle, while particles change their places, and put back afterwards.
template <class T>
class KeptRows {
 public:
  explicit KeptRows(int stride) : stride_(static_cast<std::size_t>(stride)) {}

  /// From where the rank's own particles stand.
  void take(const neighbors::Rows<T>& rows, const particles::CellRows& where) {
    const std::int64_t n = where.owned();
    values_.resize(static_cast<std::size_t>(n) * stride_);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      std::copy_n(rows.row(where.slot[k]), stride_, values_.data() + k * stride_);
    }
  }
  /// To where they stand in their new order; see Reordering.
  void put(const Array<std::int32_t>& order, neighbors::Rows<T>& rows, const particles::CellRows& where) const {
    const auto n = static_cast<std::int64_t>(order.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i), old = static_cast<std::size_t>(order[k]);
      std::copy_n(values_.data() + old * stride_, stride_, rows.row(where.slot[k]));
    }
  }

  /// As a field that migrates with its particles.
  Strided<T> field() { return {values_, stride_}; }
  Array<T>& values() { return values_; }

 private:
  Array<T> values_;
  std::size_t stride_;
};

}  // namespace eddyline::integrate
