#pragma once
// What a formula is compiled to: instructions for a machine with a stack.

#include <cstdint>

namespace eddyline::world::formula {

inline constexpr int k_stack_size = 256;  // values

/// The operations, by the number of their operands: none, one, two, three.
enum class Op : std::uint8_t {
  // clang-format off
  constant, variable,
  negate, logical_not, sqrt, abs, exp, log, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, floor, ceil, sign, step,
  add, subtract, multiply, divide, power, less, less_equal, greater, greater_equal, equal, not_equal, logical_and, logical_or,
  atan2, min, max, mod,
  select
  // clang-format on
};

constexpr int arity(Op op) { return op < Op::negate ? 0 : op < Op::add ? 1 : op < Op::select ? 2 : 3; }

/// Takes its operands from the stack and leaves its result there.
struct Instruction {
  Op op;
  std::int32_t variable = 0;
  double constant = 0;
};

}  // namespace eddyline::world::formula
