#pragma once
// Instructions of a compiled formula, for a stack machine.

#include <cstdint>

#include "base/host_device.hpp"

namespace eddyline::world::formula {

inline constexpr int k_stack_size = 256;  // values
inline constexpr int k_most_sums = 8;     // one inside the other

/// The operations, by the number of their operands: none, one, two, three.
enum class Op : std::uint8_t {
  // clang-format off
  constant, variable, counter, begin_sum,
  negate, logical_not, sqrt, abs, exp, log, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, floor, ceil, sign, step,
  add, subtract, multiply, divide, power, less, less_equal, greater, greater_equal, equal, not_equal, logical_and, logical_or,
  atan2, min, max, mod, end_term,
  select
  // clang-format on
};

EDDYLINE_HOST_DEVICE constexpr int arity(Op op) {
  return op < Op::negate ? 0 : op < Op::add ? 1 : op < Op::select ? 2 : 3;
}

/// Takes its operands from the stack and leaves its result there.
///
/// A sum is begin_sum, the instructions of a term, end_term. begin_sum puts 0 on the stack, on which the terms are
/// added in order, and lets a counter begin at `constant`; end_term adds a term and, while the counter is below its
/// `constant`, goes back by `variable` instructions for the next. The `variable` of begin_sum and counter is the number
/// of sums around them.
struct Instruction {
  Op op;
  std::int32_t variable = 0;
  double constant = 0;
};

}  // namespace eddyline::world::formula
