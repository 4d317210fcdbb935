#include "world/formula/evaluate.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "base/portable_math.hpp"

namespace eddyline::world::formula {

namespace {

bool holds(double a) { return a < 0 || a > 0; }

double remainder_like_divisor(double a, double b) {
  const double r = std::fmod(a, b);  // exact by definition
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

double apply(Op op, double a) {
  switch (op) {
    case Op::negate: return -a;
    case Op::logical_not: return holds(a) ? 0 : 1;
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::abs(a);
    case Op::exp: return portable::exp(a);
    case Op::log: return portable::log(a);
    case Op::log10: return portable::log10(a);
    case Op::sin: return portable::sin(a);
    case Op::cos: return portable::cos(a);
    case Op::tan: return portable::tan(a);
    case Op::asin: return portable::asin(a);
    case Op::acos: return portable::acos(a);
    case Op::atan: return portable::atan(a);
    case Op::sinh: return portable::sinh(a);
    case Op::cosh: return portable::cosh(a);
    case Op::tanh: return portable::tanh(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::sign: return a > 0 ? 1 : a < 0 ? -1 : a;  // keeps NaN
    case Op::step: return a >= 0 ? 1 : a < 0 ? 0 : a;
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::add:
    case Op::end_term: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return portable::pow(a, b);
    case Op::less: return a < b ? 1 : 0;
    case Op::less_equal: return a <= b ? 1 : 0;
    case Op::greater: return a > b ? 1 : 0;
    case Op::greater_equal: return a >= b ? 1 : 0;
    case Op::equal: return a == b ? 1 : 0;
    case Op::not_equal: return a != b ? 1 : 0;
    case Op::logical_and: return holds(a) && holds(b) ? 1 : 0;
    case Op::logical_or: return holds(a) || holds(b) ? 1 : 0;
    case Op::atan2: return portable::atan2(a, b);
    case Op::min: return a != a || a < b ? a : b;
    case Op::max: return a != a || a > b ? a : b;
    case Op::mod: return remainder_like_divisor(a, b);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

Jet apply(Op op, Jet a) {
  const double x = a.value, f = apply(op, x);
  switch (op) {
    case Op::negate: return -a;
    case Op::sqrt: return chain(a, f, 0.5 / f, -0.25 / (f * x));
    case Op::abs: return chain(a, f, x < 0 ? -1 : 1, 0);
    case Op::exp: return chain(a, f, f, f);
    case Op::log: return chain(a, f, 1 / x, -1 / (x * x));
    case Op::log10: {
      const double ln10 = portable::log(10);
      return chain(a, f, 1 / (x * ln10), -1 / (x * x * ln10));
    }
    case Op::sin: return chain(a, f, portable::cos(x), -f);
    case Op::cos: return chain(a, f, -portable::sin(x), -f);
    case Op::tan: return chain(a, f, 1 + f * f, 2 * f * (1 + f * f));
    case Op::asin: {
      const double slope = 1 / std::sqrt(1 - x * x);
      return chain(a, f, slope, x * slope * slope * slope);
    }
    case Op::acos: {
      const double slope = -1 / std::sqrt(1 - x * x);
      return chain(a, f, slope, x * slope * slope * slope);
    }
    case Op::atan: {
      const double slope = 1 / (1 + x * x);
      return chain(a, f, slope, -2 * x * slope * slope);
    }
    case Op::sinh: return chain(a, f, portable::cosh(x), f);
    case Op::cosh: return chain(a, f, portable::sinh(x), f);
    case Op::tanh: return chain(a, f, 1 - f * f, -2 * f * (1 - f * f));
    default: return {f, 0, 0};  // not, floor, ceil, sign, step
  }
}

/// a^b: by the power rule where b is a constant, so that a may be 0 or negative; else from b log(a).
Jet power(Jet a, Jet b) {
  const double x = a.value, n = b.value, f = portable::pow(x, n);
  if (is_still(b)) {
    const double first = n == 0 ? 0 : n * portable::pow(x, n - 1);
    const double second = n == 0 || n == 1 ? 0 : n * (n - 1) * portable::pow(x, n - 2);
    return chain(a, f, first, second);
  }
  const Jet exponent = b * apply(Op::log, a);
  return {f, f * exponent.first, f * (exponent.first * exponent.first + exponent.second)};
}

Jet atan2(Jet y, Jet x) {
  const double square = x.value * x.value + y.value * y.value;
  const double first = (x.value * y.first - y.value * x.first) / square;
  const double turned = x.value * y.second - y.value * x.second;
  const double outward = 2 * (x.value * x.first + y.value * y.first);
  return {portable::atan2(y.value, x.value), first, (turned - first * outward) / square};
}

Jet apply(Op op, Jet a, Jet b) {
  const double f = apply(op, a.value, b.value);
  switch (op) {
    case Op::add:
    case Op::end_term: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return power(a, b);
    case Op::atan2: return atan2(a, b);
    case Op::min: return std::isnan(a.value) || a.value < b.value ? a : b;
    case Op::max: return std::isnan(a.value) || a.value > b.value ? a : b;
    case Op::mod: {
      const double times = std::floor(a.value / b.value);
      return {f, a.first - times * b.first, a.second - times * b.second};
    }
    default: return {f, 0, 0};  // comparisons, and, or
  }
}

double value_of(double a) { return a; }
double value_of(Jet a) { return a.value; }

/// Runs the instructions on numbers of type Number (double or Jet); input(v) is that of variable v.
template <class Number, class Input>
Number run(std::span<const Instruction> instructions, Input&& input) {
  std::array<Number, k_stack_size> stack;  // NOLINT: every element is written before it is read
  Number* top = stack.data();              // one above the last value
  std::array<double, k_most_sums> counters{};
  std::size_t sums = 0;  // that have begun
  for (std::size_t at = 0; at < instructions.size(); ++at) {
    const Instruction& instruction = instructions[at];
    switch (arity(instruction.op)) {
      case 0:
        switch (instruction.op) {
          case Op::constant: *top++ = Number{instruction.constant}; break;
          case Op::counter: *top++ = Number{counters[static_cast<std::size_t>(instruction.variable)]}; break;
          case Op::begin_sum:
            counters[sums++] = instruction.constant;
            *top++ = Number{0};
            break;
          default: *top++ = input(static_cast<std::size_t>(instruction.variable));
        }
        break;
      case 1: top[-1] = apply(instruction.op, top[-1]); break;
      case 2:
        --top;
        top[-1] = apply(instruction.op, top[-1], top[0]);
        if (instruction.op != Op::end_term) break;
        if (double& counter = counters[sums - 1]; counter < instruction.constant) {
          counter += 1;
          at -= static_cast<std::size_t>(instruction.variable);
        } else {
          --sums;
        }
        break;
      default: top -= 2; top[-1] = holds(value_of(top[-1])) ? top[0] : top[1];
    }
  }
  return top[-1];
}

}  // namespace

double evaluate(std::span<const Instruction> instructions, std::span<const double> values) {
  return run<double>(instructions, [&](std::size_t v) { return values[v]; });
}

Jet differentiate(std::span<const Instruction> instructions, std::span<const double> values, std::size_t variable) {
  return run<Jet>(instructions, [&](std::size_t v) { return Jet{values[v], v == variable ? 1.0 : 0.0, 0}; });
}

}  // namespace eddyline::world::formula
