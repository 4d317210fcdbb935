#pragma once
// Fields of particles in a new order.

#include <cstdint>
#include <tuple>

#include "base/arrays.hpp"

namespace eddyline::integrate {

/// Puts the fields of particles into one order: array[i] becomes array[order[i]]. What a field was is left in an array
/// of its type, which the next one of that type takes.
template <int D>
class Reordering {
 public:
  Array<std::int32_t> order;

  template <class T>
  void operator()(Array<T>& array) {
    auto& before = std::get<Array<T>>(scratch_);
    before.swap(array);
    array.resize(before.size());
    take(before.data(), array.data());
  }
  template <class T>
  void operator()(VectorArray<T, D>& array) {
    auto& before = std::get<VectorArray<T, D>>(scratch_);
    before.swap(array);
    array.resize(before.size());
    for (int d = 0; d < D; ++d) take(before[d], array[d]);
  }

  std::size_t bytes() const {
    return std::apply([&](const auto&... array) { return (order.bytes() + ... + array.bytes()); }, scratch_);
  }

 private:
  template <class T>
  void take(const T* from, T* to) const {
    const auto n = static_cast<std::int64_t>(order.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[order[static_cast<std::size_t>(i)]];
  }

  std::tuple<Array<double>, Array<std::int64_t>, Array<std::int32_t>, Array<std::uint8_t>, VectorArray<double, D>>
      scratch_;
};

}  // namespace eddyline::integrate
