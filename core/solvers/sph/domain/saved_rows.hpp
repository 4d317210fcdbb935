#pragma once
// Rows that are kept while their particles get a new order.

#include <algorithm>
#include <cstdint>

#include "base/arrays.hpp"
#include "domain/migrate.hpp"
#include "neighbors/pair_data.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::sph {

/// Saves pair rows by particle while particles are sorted, and restores them afterwards.
template <class T>
class SavedRows {
 public:
  explicit SavedRows(const neighbors::PairData<T>& rows) : room_(static_cast<std::size_t>(rows.room())) {}

  /// Saves the rows of the rank's own particles.
  void take(const neighbors::PairData<T>& rows, const particles::CellIndex& where) {
    const std::int64_t n = where.owned();
    resize(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      copy(rows.row(where.row_of(k)), (*this)[k]);
    }
  }
  /// Restores the rows at their new places; see Reordering for `order`.
  void put(const Array<std::int32_t>& order, neighbors::PairData<T>& rows, const particles::CellIndex& where) {
    const auto n = static_cast<std::int64_t>(order.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i), old = static_cast<std::size_t>(order[k]);
      copy((*this)[old], rows.row(where.row_of(k)));
    }
  }

  /// The rows as a field that migrates with its particles.
  domain::Strided<T> field() { return {values_, room_}; }
  Array<T>& values() { return values_; }
  /// Number of values in a row.
  std::size_t room() const { return room_; }
  void resize(std::size_t count) { values_.resize(count * room_); }
  /// Releases the memory.
  void release() { values_ = {}; }
  std::size_t bytes() const { return values_.bytes(); }
  neighbors::RowParts<T> operator[](std::size_t k) {
    T* values = values_.data() + k * room_;
    return {values, values + neighbors::k_first_part};
  }

 private:
  template <class From>
  void copy(const From& from, const neighbors::RowParts<T>& to) const {
    std::copy_n(from.first, neighbors::k_first_part, to.first);
    std::copy_n(from.rest, room_ - neighbors::k_first_part, to.rest);
  }

  Array<T> values_;
  std::size_t room_;  // of a row
};

}  // namespace eddyline::sph
