#pragma once

#include <cstddef>
#include <span>

#include "base/arrays.hpp"
#include "linear/vectors.hpp"

namespace eddyline::linear {

/// 1 / a_ii; 0 for a row without a diagonal, as of a single cell with Neumann conditions: such an unknown is left
/// alone.
inline void invert_diagonal(std::span<const double> diagonal, std::span<double> inverse) {
  for_each_unknown(diagonal.size(), [&](std::size_t i) { inverse[i] = diagonal[i] != 0 ? 1 / diagonal[i] : 0; });
}

/// The preconditioner z_i = r_i / a_ii (Jacobi).
class DiagonalPreconditioner {
 public:
  explicit DiagonalPreconditioner(std::span<const double> diagonal) {
    inverse_.resize(diagonal.size());
    invert_diagonal(diagonal, span_of(inverse_));
  }
  void apply(std::span<const double> r, std::span<double> z) const {
    for_each_unknown(r.size(), [&](std::size_t i) { z[i] = inverse_[i] * r[i]; });
  }

 private:
  Array<double> inverse_;
};

/// z = r: conjugate gradients without a preconditioner.
struct NoPreconditioner {
  void apply(std::span<const double> r, std::span<double> z) const {
    for_each_unknown(r.size(), [&](std::size_t i) { z[i] = r[i]; });
  }
};

}  // namespace eddyline::linear
