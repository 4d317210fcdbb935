#pragma once
// Results as new NumPy arrays.

#include <nanobind/ndarray.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace eddyline::bindings {

namespace nb = nanobind;

template <class T>
using Owned = nb::ndarray<nb::numpy, T>;

/// A new NumPy array that owns the values.
template <class T>
Owned<T> give(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Owned<T>(kept->data(), shape, owner);
}

template <class T>
Owned<T> give(std::vector<T> values) {
  const std::size_t size = values.size();
  return give(std::move(values), {size});
}

}  // namespace eddyline::bindings
