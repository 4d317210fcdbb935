#pragma once
// Values of the core as objects of Python, and back.
// All files that bind include it, since a type whose converter is missing compiles, and fails when it is used.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/vec.hpp"
#include "solver/column.hpp"

namespace eddyline::bindings {

namespace nb = nanobind;

/// Python's Vec3 is a tuple of three floats.
using Triple = std::tuple<double, double, double>;
inline Vec3 to_vec(const Triple& t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }
inline Triple to_triple(Vec3 v) { return {v.x, v.y, v.z}; }

inline std::span<const std::byte> content(const nb::bytes& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()};
}
inline nb::bytes bytes_of(const std::vector<std::byte>& content) { return nb::bytes(content.data(), content.size()); }

/// Names with their units.
inline nb::list columns_of(std::span<const solver::Column> columns) {
  nb::list all;
  for (const solver::Column& column : columns) all.append(nb::make_tuple(column.name, column.unit));
  return all;
}

/// (n, columns), read in place.
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

/// (n, 3) places.
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

inline auto points_to_array(const std::vector<Vec3>& points) {
  std::vector<double> values;
  values.reserve(3 * points.size());
  for (const Vec3& p : points) values.insert(values.end(), {p.x, p.y, p.z});
  return give(std::move(values), {points.size(), 3});
}

/// An (n, 3) array of visit(point).
template <class Visit>
auto each_point(const Points& points, Visit&& visit) {
  std::vector<Vec3> result(points.shape(0));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double* p = points.data() + 3 * i;
    result[i] = visit(Vec3{p[0], p[1], p[2]});
  }
  return points_to_array(result);
}

}  // namespace eddyline::bindings
