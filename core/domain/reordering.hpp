#pragma once
// Puts fields of particles into a new order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/arrays.hpp"

namespace eddyline::domain {

/// Puts the fields of particles into one order: array[i] becomes array[order[i]]. Values pass through scratch memory.
template <int D>
class Reordering {
 public:
  Array<std::int32_t> order;

  /// The places by which the fluid is sorted [m]. They are stored in scratch memory and are valid until the first field
  /// is put in order.
  VectorArray<double, D>& places() { return room_; }
  /// The scratch memory, which may be borrowed from arrays that are not in use.
  VectorArray<double, D>& room() { return room_; }

  template <class T>
  void operator()(Array<T>& array) {
    array.resize(order.size());
    pass_through(array.data());
  }
  template <class T>
  void operator()(VectorArray<T, D>& array) {
    array.resize(order.size());
    for (int d = 0; d < D; ++d) pass_through(array[d]);
  }

  std::size_t bytes() const { return order.bytes() + room_.bytes(); }

 private:
  /// The scratch memory as bytes.
  template <class T>
  void pass_through(T* values) {
    static_assert(sizeof(T) <= sizeof(double));
    room_.resize(std::max(room_.size(), (order.size() + D - 1) / D));
    auto* ordered = reinterpret_cast<std::byte*>(room_[0]);
    const auto n = static_cast<std::int64_t>(order.size());
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(ordered + static_cast<std::size_t>(i) * sizeof(T), values + order[static_cast<std::size_t>(i)],
                    sizeof(T));
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(values + i, ordered + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    }
  }

  VectorArray<double, D> room_;
};

}  // namespace eddyline::domain
