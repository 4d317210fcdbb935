#pragma once
// Sums of products over all unknowns of all ranks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/reproducible_sum.hpp"
#include "comm/collectives.hpp"
#include "linear/block_kernels.hpp"

namespace eddyline::linear {

/// Sum of a_i b_i; without b, of a_i.
template <class T>
struct DotTermOf {
  const T* a;
  const T* b = nullptr;
};
using DotTerm = DotTermOf<double>;

/// Several dot products in one reduction. Each is the exact sum of its products, rounded once:
///
///   result = RN(S),  S = sum_i RN(a_i b_i)
///
/// so it does not depend on the order of the unknowns, on their owners, nor on threads or instruction sets, and with
/// u = 2^-53
///
///   |result - sum_i a_i b_i| <= u |S| + u sum_i |a_i b_i| + n 2^-1075
///
/// however much the products cancel. Special values, the same for any order:
/// - a number that is infinite or NaN, and a product that overflows, makes the result NaN;
/// - a sum of finite products that is beyond the range of doubles is an infinity of its sign;
/// - subnormal numbers count like others; a product below 2^-1022 is rounded to a multiple of 2^-1074 (last term
/// above);
/// - no terms, and terms that cancel, give +0.
///
/// The local sum is a ReproducibleSum, fed with blocks (BlockSum); ranks add these as whole numbers, 552 bytes a
/// result.
class Dots {
 public:
  static constexpr std::size_t k_most = 8;  // results of one reduction

  /// `instructions`: as choose_instructions() takes it.
  explicit Dots(comm::Communicator& communicator, const std::string& instructions = "auto");

  /// Collective. Sums over `n` unknowns of this rank; the numbers may change once this has returned.
  void begin(std::span<const DotTerm> terms, std::size_t n);
  /// Collective. The results of all ranks, the same on each of them, until the next begin().
  std::span<const double> end();

  std::span<const double> of(std::span<const DotTerm> terms, std::size_t n) {
    begin(terms, n);
    return end();
  }
  /// Collective. The same of numbers in single precision, whose products are exact.
  std::span<const double> of(std::span<const DotTermOf<float>> terms, std::size_t n);

 private:
  using Sums = std::array<ReproducibleSum, k_most>;

  template <class T>
  void begin_with(std::span<const DotTermOf<T>> terms, std::size_t n);
  template <class T>
  void add_local(std::span<const DotTermOf<T>> terms, std::size_t n);
  template <class T>
  void add_block(std::span<const DotTermOf<T>> terms, std::size_t n, std::int64_t number, Sums& sums) const;

  comm::Communicator& communicator_;
  comm::Reduction reduction_;
  BlockKernels kernels_;
  std::size_t count_ = 0;
  Sums sums_;
  std::vector<std::int64_t> packed_;
  std::array<double, k_most> values_{};
};

}  // namespace eddyline::linear
