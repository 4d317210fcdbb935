#pragma once
// Fields of particles in a new order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/arrays.hpp"

namespace eddyline::integrate {

/// Puts the fields of particles into one order: array[i] becomes array[order[i]]. Beside the fields there is room for
/// one vector of each fluid particle.
template <int D>
class Reordering {
 public:
  Array<std::int32_t> order;

  /// By where the fluid is to be sorted [m]. The first field that is put in order takes the room.
  VectorArray<double, D>& places() { return room_; }

  /// Of the fluid. Vectors take turns to stand in the room, other fields pass through it.
  void operator()(VectorArray<double, D>& array) {
    room_.swap(array);
    array.resize(order.size());
    const auto n = static_cast<std::int64_t>(order.size());
    for (int d = 0; d < D; ++d) {
      const double* from = room_[d];
      double* to = array[d];
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[order[static_cast<std::size_t>(i)]];
    }
  }
  template <class Field>
  void operator()(Field& array) {
    pass_through(array);
  }
  /// Of walls, of which there may be far more: nothing else but what the room is large enough for.
  template <class T>
  void pass_through(Array<T>& array) {
    array.resize(order.size());
    pass_through(array.data());
  }
  template <class T>
  void pass_through(VectorArray<T, D>& array) {
    array.resize(order.size());
    for (int d = 0; d < D; ++d) pass_through(array[d]);
  }

  std::size_t bytes() const { return order.bytes() + room_.bytes(); }

 private:
  /// As bytes, whatever the room is made for.
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

}  // namespace eddyline::integrate
