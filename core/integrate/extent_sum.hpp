#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "integrate/flow.hpp"

namespace eddyline::integrate {

/// Gathers an Extent over particles.
template <int D>
struct ExtentSum {
  std::array<double, D> lower{}, upper{};
  double largest2 = 0;

  void add(const std::array<double, D>& v, double v2) {
    for (std::size_t d = 0; d < D; ++d) {
      lower[d] = std::min(lower[d], v[d]);
      upper[d] = std::max(upper[d], v[d]);
    }
    largest2 = std::max(largest2, v2);
  }
  void merge(const ExtentSum& other) {
    for (std::size_t d = 0; d < D; ++d) {
      lower[d] = std::min(lower[d], other.lower[d]);
      upper[d] = std::max(upper[d], other.upper[d]);
    }
    largest2 = std::max(largest2, other.largest2);
  }
  Extent extent() const {
    Extent e;
    for (int d = 0; d < D; ++d) {
      e.lower[d] = lower[static_cast<std::size_t>(d)];
      e.upper[d] = upper[static_cast<std::size_t>(d)];
    }
    e.largest = std::sqrt(largest2);
    return e;
  }
};

}  // namespace eddyline::integrate
