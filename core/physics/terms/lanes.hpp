#pragma once
// Runs steps of a program on registers of many values. Compiled for each instruction set; every operation is one IEEE
// operation, or a portable function in double precision, so that all give the same bits.

#include <cmath>
#include <limits>
#include <span>

#include "base/pack.hpp"
#include "base/portable_math.hpp"
#include "physics/terms/program.hpp"

namespace eddyline::physics::terms {

/// Calls to[l] = function(a[l], ...) for some lanes, rounded up to whole groups of k_together, which need no loop for
/// what is left over; P: the pack of the instruction set.
template <class P, class T, class Function, class... From>
EDDYLINE_INLINE void for_lanes(int lanes, T* to, Function&& function, const From*... from) {
  for (int first = 0; first < lanes; first += k_together)
#pragma omp simd
    for (int l = first; l < first + k_together; ++l) to[l] = function(from[l]...);
}

/// The same for functions that are evaluated one by one in double precision.
template <class P, class T, class Function, class... From>
EDDYLINE_INLINE void one_by_one(int lanes, T* to, Function&& function, const From*... from) {
  for (int l = 0; l < lanes; ++l) to[l] = static_cast<T>(function(static_cast<double>(from[l])...));
}

template <class T>
EDDYLINE_INLINE bool holds(T a) {
  return a < 0 || a > 0;
}

template <class P, class T = typename P::value_type>
EDDYLINE_INLINE void run_unary(Op op, int n, T* to, const T* a) {
  switch (op) {
    case Op::negate: return for_lanes<P>(n, to, [](T x) { return -x; }, a);
    case Op::logical_not: return for_lanes<P>(n, to, [](T x) { return holds(x) ? T(0) : T(1); }, a);
    case Op::sqrt: return for_lanes<P>(n, to, [](T x) { return std::sqrt(x); }, a);
    case Op::abs: return for_lanes<P>(n, to, [](T x) { return std::abs(x); }, a);
    case Op::floor: return for_lanes<P>(n, to, [](T x) { return std::floor(x); }, a);
    case Op::ceil: return for_lanes<P>(n, to, [](T x) { return std::ceil(x); }, a);
    case Op::sign: return for_lanes<P>(n, to, [](T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; }, a);
    case Op::step: return for_lanes<P>(n, to, [](T x) { return x >= 0 ? T(1) : x < 0 ? T(0) : x; }, a);
    case Op::exp: return one_by_one<P>(n, to, portable::exp, a);
    case Op::log: return one_by_one<P>(n, to, portable::log, a);
    case Op::log10: return one_by_one<P>(n, to, portable::log10, a);
    case Op::sin: return one_by_one<P>(n, to, portable::sin, a);
    case Op::cos: return one_by_one<P>(n, to, portable::cos, a);
    case Op::tan: return one_by_one<P>(n, to, portable::tan, a);
    case Op::asin: return one_by_one<P>(n, to, portable::asin, a);
    case Op::acos: return one_by_one<P>(n, to, portable::acos, a);
    case Op::atan: return one_by_one<P>(n, to, portable::atan, a);
    case Op::sinh: return one_by_one<P>(n, to, portable::sinh, a);
    case Op::cosh: return one_by_one<P>(n, to, portable::cosh, a);
    default: return one_by_one<P>(n, to, portable::tanh, a);
  }
}

template <class P, class T = typename P::value_type>
EDDYLINE_INLINE void run_binary(Op op, int n, T* to, const T* a, const T* b) {
  switch (op) {
    case Op::add: return for_lanes<P>(n, to, [](T x, T y) { return x + y; }, a, b);
    case Op::subtract: return for_lanes<P>(n, to, [](T x, T y) { return x - y; }, a, b);
    case Op::multiply: return for_lanes<P>(n, to, [](T x, T y) { return x * y; }, a, b);
    case Op::divide: return for_lanes<P>(n, to, [](T x, T y) { return x / y; }, a, b);
    case Op::less: return for_lanes<P>(n, to, [](T x, T y) { return x < y ? T(1) : T(0); }, a, b);
    case Op::less_equal: return for_lanes<P>(n, to, [](T x, T y) { return x <= y ? T(1) : T(0); }, a, b);
    case Op::greater: return for_lanes<P>(n, to, [](T x, T y) { return x > y ? T(1) : T(0); }, a, b);
    case Op::greater_equal: return for_lanes<P>(n, to, [](T x, T y) { return x >= y ? T(1) : T(0); }, a, b);
    case Op::equal: return for_lanes<P>(n, to, [](T x, T y) { return x == y ? T(1) : T(0); }, a, b);
    case Op::not_equal: return for_lanes<P>(n, to, [](T x, T y) { return x != y ? T(1) : T(0); }, a, b);
    case Op::logical_and: return for_lanes<P>(n, to, [](T x, T y) { return holds(x) && holds(y) ? T(1) : T(0); }, a, b);
    case Op::logical_or: return for_lanes<P>(n, to, [](T x, T y) { return holds(x) || holds(y) ? T(1) : T(0); }, a, b);
    case Op::min: return for_lanes<P>(n, to, [](T x, T y) { return x != x || x < y ? x : y; }, a, b);
    case Op::max: return for_lanes<P>(n, to, [](T x, T y) { return x != x || x > y ? x : y; }, a, b);
    case Op::power: return one_by_one<P>(n, to, portable::pow, a, b);
    case Op::atan2: return one_by_one<P>(n, to, portable::atan2, a, b);
    default:  // mod
      return for_lanes<P>(n, to, [](T x, T y) { return x - y * std::floor(x / y); }, a, b);
  }
}

/// Two operations in one pass: `inner` on a and b, then the step's tail on the result and c.
template <class P, class T, class Inner>
EDDYLINE_INLINE void run_joined(Step::Tail tail, int n, T* to, Inner&& inner, const T* a, const T* b, const T* c) {
  switch (tail) {
    case Step::Tail::add: return for_lanes<P>(n, to, [=](T x, T y, T z) { return inner(x, y) + z; }, a, b, c);
    case Step::Tail::multiply: return for_lanes<P>(n, to, [=](T x, T y, T z) { return inner(x, y) * z; }, a, b, c);
    case Step::Tail::subtract: return for_lanes<P>(n, to, [=](T x, T y, T z) { return inner(x, y) - z; }, a, b, c);
    default: return for_lanes<P>(n, to, [=](T x, T y, T z) { return z - inner(x, y); }, a, b, c);
  }
}

template <class P, class T = typename P::value_type>
EDDYLINE_INLINE void run_step(const Step& step, int n, T* to, const T* a, const T* b, const T* c) {
  if (step.tail == Step::Tail::fused)
    return for_lanes<P>(n, to, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
  if (step.tail != Step::Tail::none) {
    if (step.op == Op::multiply) return run_joined<P>(step.tail, n, to, [](T x, T y) { return x * y; }, a, b, c);
    if (step.op == Op::add) return run_joined<P>(step.tail, n, to, [](T x, T y) { return x + y; }, a, b, c);
    return run_joined<P>(step.tail, n, to, [](T x, T y) { return x - y; }, a, b, c);
  }
  if (step.op == Op::select) return for_lanes<P>(n, to, [](T x, T y, T z) { return holds(x) ? y : z; }, a, b, c);
  world::formula::arity(step.op) == 1 ? run_unary<P>(step.op, n, to, a) : run_binary<P>(step.op, n, to, a, b);
}

/// Runs some steps on the first `lanes` values of registers, which lie k_lanes apart.
template <class P, class T = typename P::value_type>
EDDYLINE_INLINE void run(std::span<const Step> steps, T* registers, int lanes) {
  const auto at = [&](std::uint16_t number) { return registers + std::size_t{number} * k_lanes; };
  for (const Step& step : steps) run_step<P>(step, lanes, at(step.to), at(step.a), at(step.b), at(step.c));
}

/// Fills registers with values that are the same in all lanes.
template <class P, class T = typename P::value_type>
EDDYLINE_INLINE void fill(std::span<const Program::Filled> values, T* registers) {
  for (const auto& each : values) {
    T* to = registers + std::size_t{static_cast<unsigned>(each.to)} * k_lanes;
    for (int l = 0; l < k_lanes; ++l) to[l] = static_cast<T>(each.value);
  }
}

}  // namespace eddyline::physics::terms
