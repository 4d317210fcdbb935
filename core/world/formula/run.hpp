#pragma once
// The machine that runs the instructions of formulas. Loops on devices call it, too.

#include <cmath>
#include <cstddef>
#include <limits>

#include "base/host_device.hpp"
#include "base/portable_math_impl.hpp"
#include "world/formula/instruction.hpp"

namespace eddyline::world::formula {

EDDYLINE_HOST_DEVICE inline bool holds(double a) { return a < 0 || a > 0; }

EDDYLINE_HOST_DEVICE inline double remainder_like_divisor(double a, double b) {
  const double r = std::fmod(a, b);  // exact by definition
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

EDDYLINE_HOST_DEVICE inline double apply(Op op, double a) {
  switch (op) {
    case Op::negate: return -a;
    case Op::logical_not: return holds(a) ? 0 : 1;
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::abs(a);
    case Op::exp: return portable::anywhere::exp(a);
    case Op::log: return portable::anywhere::log(a);
    case Op::log10: return portable::anywhere::log10(a);
    case Op::sin: return portable::anywhere::sin(a);
    case Op::cos: return portable::anywhere::cos(a);
    case Op::tan: return portable::anywhere::tan(a);
    case Op::asin: return portable::anywhere::asin(a);
    case Op::acos: return portable::anywhere::acos(a);
    case Op::atan: return portable::anywhere::atan(a);
    case Op::sinh: return portable::anywhere::sinh(a);
    case Op::cosh: return portable::anywhere::cosh(a);
    case Op::tanh: return portable::anywhere::tanh(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::sign: return a > 0 ? 1 : a < 0 ? -1 : a;  // keeps NaN
    case Op::step: return a >= 0 ? 1 : a < 0 ? 0 : a;
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

EDDYLINE_HOST_DEVICE inline double apply(Op op, double a, double b) {
  switch (op) {
    case Op::add:
    case Op::end_term: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return portable::anywhere::pow(a, b);
    case Op::less: return a < b ? 1 : 0;
    case Op::less_equal: return a <= b ? 1 : 0;
    case Op::greater: return a > b ? 1 : 0;
    case Op::greater_equal: return a >= b ? 1 : 0;
    case Op::equal: return a == b ? 1 : 0;
    case Op::not_equal: return a != b ? 1 : 0;
    case Op::logical_and: return holds(a) && holds(b) ? 1 : 0;
    case Op::logical_or: return holds(a) || holds(b) ? 1 : 0;
    case Op::atan2: return portable::anywhere::atan2(a, b);
    case Op::min: return a != a || a < b ? a : b;
    case Op::max: return a != a || a > b ? a : b;
    case Op::mod: return remainder_like_divisor(a, b);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

/// The operations on doubles.
struct Doubles {
  EDDYLINE_HOST_DEVICE double operator()(Op op, double a) const { return apply(op, a); }
  EDDYLINE_HOST_DEVICE double operator()(Op op, double a, double b) const { return apply(op, a, b); }
  EDDYLINE_HOST_DEVICE bool is_true(double a) const { return holds(a); }
};

/// Runs the instructions on numbers of type Number; input(v) is that of variable v.
template <class Number, class Operations, class Input>
EDDYLINE_HOST_DEVICE Number run(const Instruction* instructions, std::size_t count, const Operations& operations,
                                Input&& input) {
  Number stack[k_stack_size];  // NOLINT: every element is written before it is read
  Number* top = stack;         // one above the last value
  double counters[k_most_sums] = {};
  std::size_t sums = 0;  // that have begun
  for (std::size_t at = 0; at < count; ++at) {
    const Instruction& instruction = instructions[at];
    switch (arity(instruction.op)) {
      case 0:
        switch (instruction.op) {
          case Op::constant: *top++ = Number{instruction.constant}; break;
          case Op::counter: *top++ = Number{counters[instruction.variable]}; break;
          case Op::begin_sum:
            counters[sums++] = instruction.constant;
            *top++ = Number{0};
            break;
          default: *top++ = input(static_cast<std::size_t>(instruction.variable));
        }
        break;
      case 1: top[-1] = operations(instruction.op, top[-1]); break;
      case 2:
        --top;
        top[-1] = operations(instruction.op, top[-1], top[0]);
        if (instruction.op != Op::end_term) break;
        if (double& counter = counters[sums - 1]; counter < instruction.constant) {
          counter += 1;
          at -= static_cast<std::size_t>(instruction.variable);
        } else {
          --sums;
        }
        break;
      default: top -= 2; top[-1] = operations.is_true(top[-1]) ? top[0] : top[1];
    }
  }
  return top[-1];
}

}  // namespace eddyline::world::formula
