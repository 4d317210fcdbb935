#pragma once
// Pair rows: what a pair sum needs of one particle, side by side, so that one load brings it in.

#include <cstdint>
#include <cstring>

#include "base/arrays.hpp"
#include "base/vec.hpp"

namespace eddyline::neighbors {

/// Rows of `stride` values of type T (float, or double in double precision). The first D values of a row are its
/// fixed-point position (see pack.hpp). Dimensionless: lengths by R, speeds by c0, densities by rho0, volumes by dx^D.
template <class T>
class Rows {
 public:
  explicit Rows(int stride) : Rows(stride, stride) {}
  /// Only the first `width` values of a row mean anything: others need not have the rest.
  Rows(int stride, int width) : stride_(stride), width_(width) {}

  /// Room for `rows` rows and the sentinel after them: a particle without volume, so that every sum gets exact zeros
  /// from it.
  void resize(std::int32_t rows) {
    data_.resize((static_cast<std::size_t>(rows) + 1) * static_cast<std::size_t>(stride_));
    std::memset(row(rows), 0, sizeof(T) * static_cast<std::size_t>(stride_));
  }

  int stride() const { return stride_; }
  int width() const { return width_; }
  T* row(std::int32_t r) { return data_.data() + static_cast<std::int64_t>(r) * stride_; }
  const T* row(std::int32_t r) const { return data_.data() + static_cast<std::int64_t>(r) * stride_; }
  const T* data() const { return data_.data(); }
  std::size_t bytes() const { return data_.bytes(); }

  /// Shifts the position of a row by whole quanta.
  void shift(std::int32_t r, const Int3& by, int dimensions) {
    for (int d = 0; d < dimensions; ++d)
      put_fixed(row(r) + d, static_cast<std::int32_t>(static_cast<std::uint32_t>(get_fixed(row(r) + d)) +
                                                      static_cast<std::uint32_t>(by[static_cast<std::size_t>(d)])));
  }

  static void put_fixed(float* to, std::int32_t value) { std::memcpy(to, &value, sizeof value); }
  static void put_fixed(double* to, std::int32_t value) {
    const std::int64_t wide = value;
    std::memcpy(to, &wide, sizeof wide);
  }
  static std::int32_t get_fixed(const float* from) {
    std::int32_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static std::int32_t get_fixed(const double* from) {
    std::int64_t wide;
    std::memcpy(&wide, from, sizeof wide);
    return static_cast<std::int32_t>(wide);
  }

 private:
  Array<T> data_;
  int stride_, width_;
};

}  // namespace eddyline::neighbors
