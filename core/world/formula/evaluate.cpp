#include "world/formula/evaluate.hpp"

#include <cmath>

#include "base/portable_math.hpp"
#include "world/formula/run.hpp"

namespace eddyline::world::formula {

namespace {

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

struct Jets {
  Jet operator()(Op op, Jet a) const { return apply(op, a); }
  Jet operator()(Op op, Jet a, Jet b) const { return apply(op, a, b); }
  bool is_true(Jet a) const { return holds(a.value); }
};

}  // namespace

double evaluate(std::span<const Instruction> instructions, std::span<const double> values) {
  return run<double>(instructions.data(), instructions.size(), Doubles{}, [&](std::size_t v) { return values[v]; });
}

Jet differentiate(std::span<const Instruction> instructions, std::span<const double> values, std::size_t variable) {
  return run<Jet>(instructions.data(), instructions.size(), Jets{},
                  [&](std::size_t v) { return Jet{values[v], v == variable ? 1.0 : 0.0, 0}; });
}

}  // namespace eddyline::world::formula
