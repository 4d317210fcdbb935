#pragma once
// Loops over the unknowns of a rank.

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arrays.hpp"
#include "base/parallel_for.hpp"

namespace eddyline::linear {

/// Calls each(i) for all i < n, in parallel. Turns must not depend on each other.
template <class Each>
void for_each_unknown(std::size_t n, Each&& each) {
  constexpr double k_seconds = 1e-9;  // a turn, about
  const auto count = static_cast<std::int64_t>(n);
  if (omp_get_max_threads() == 1 || !pays_in_parallel(count, k_seconds)) {
    for (std::size_t i = 0; i < n; ++i) each(i);
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) each(static_cast<std::size_t>(i));
}

template <class T>
std::span<T> span_of(Array<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), array.size()};
}

}  // namespace eddyline::linear
