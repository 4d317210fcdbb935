#pragma once
// Terms that a world states as formulas: sums over pairs, and accelerations of single particles. A thread runs the
// steps of a program for one pair or particle at a time, with the operations of physics/terms/lanes.hpp.

#include <cmath>
#include <cstdint>

#include "base/pack.hpp"
#include "base/portable_math_impl.hpp"
#include "device/delta.hpp"
#include "device/delta_fluid.hpp"
#include "device/force_formulas.hpp"
#include "device/packed_list.hpp"
#include "neighbors/for_each_pair.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/pair.hpp"
#include "physics/terms/terms.hpp"

namespace eddyline::device {

using physics::terms::Of;
using physics::terms::Op;

/// A program on the device.
struct TermProgram {
  const TermStep *of_target = nullptr, *of_pair = nullptr;
  std::int32_t target_steps = 0, pair_steps = 0;
  const TermValue* filled = nullptr;
  std::int32_t filled_count = 0;
  std::int16_t register_of[k_most_variables] = {};  // of variables; negative: not used
  std::int16_t output[4] = {};
};

/// The registers of one thread.
template <class T>
class TermRegisters {
 public:
  EDDYLINE_INLINE explicit TermRegisters(const TermProgram& program) {
    for (std::int32_t k = 0; k < program.filled_count; ++k)
      value_[program.filled[k].to] = static_cast<T>(program.filled[k].value);
  }
  EDDYLINE_INLINE T& operator[](int number) { return value_[number]; }
  EDDYLINE_INLINE void put(int number, T value) {
    if (number >= 0) value_[number] = value;
  }
  EDDYLINE_HOST_DEVICE void run(const TermStep* steps, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k) {
      const TermStep step = steps[k];
      const T a = value_[step.a], b = value_[step.b], c = value_[step.c];
      value_[step.to] = step.tail == Tail::fused ? std::fma(a, b, c) : follow(step.tail, apply(step.op, a, b, c), c);
    }
  }

 private:
  using Tail = physics::terms::Step::Tail;

  static EDDYLINE_INLINE T follow(Tail tail, T first, T c) {
    switch (tail) {
      case Tail::add: return first + c;
      case Tail::multiply: return first * c;
      case Tail::subtract: return first - c;
      case Tail::subtract_from: return c - first;
      default: return first;
    }
  }
  static EDDYLINE_INLINE bool holds(T a) { return a < 0 || a > 0; }
  static EDDYLINE_HOST_DEVICE T apply(Op op, T a, T b, T c) {
    namespace math = portable::anywhere;
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    switch (op) {
      case Op::negate: return -a;
      case Op::logical_not: return holds(a) ? T(0) : T(1);
      case Op::sqrt: return std::sqrt(a);
      case Op::abs: return std::abs(a);
      case Op::floor: return std::floor(a);
      case Op::ceil: return std::ceil(a);
      case Op::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : a;
      case Op::step: return a >= 0 ? T(1) : a < 0 ? T(0) : a;
      case Op::exp: return static_cast<T>(math::exp(x));
      case Op::log: return static_cast<T>(math::log(x));
      case Op::log10: return static_cast<T>(math::log10(x));
      case Op::sin: return static_cast<T>(math::sin(x));
      case Op::cos: return static_cast<T>(math::cos(x));
      case Op::tan: return static_cast<T>(math::tan(x));
      case Op::asin: return static_cast<T>(math::asin(x));
      case Op::acos: return static_cast<T>(math::acos(x));
      case Op::atan: return static_cast<T>(math::atan(x));
      case Op::sinh: return static_cast<T>(math::sinh(x));
      case Op::cosh: return static_cast<T>(math::cosh(x));
      case Op::tanh: return static_cast<T>(math::tanh(x));
      case Op::add: return a + b;
      case Op::subtract: return a - b;
      case Op::multiply: return a * b;
      case Op::divide: return a / b;
      case Op::less: return a < b ? T(1) : T(0);
      case Op::less_equal: return a <= b ? T(1) : T(0);
      case Op::greater: return a > b ? T(1) : T(0);
      case Op::greater_equal: return a >= b ? T(1) : T(0);
      case Op::equal: return a == b ? T(1) : T(0);
      case Op::not_equal: return a != b ? T(1) : T(0);
      case Op::logical_and: return holds(a) && holds(b) ? T(1) : T(0);
      case Op::logical_or: return holds(a) || holds(b) ? T(1) : T(0);
      case Op::min: return a != a || a < b ? a : b;
      case Op::max: return a != a || a > b ? a : b;
      case Op::power: return static_cast<T>(math::pow(x, y));
      case Op::atan2: return static_cast<T>(math::atan2(x, y));
      case Op::select: return holds(a) ? b : c;
      default: return a - b * std::floor(a / b);  // mod
    }
  }

  T value_[physics::terms::k_most_registers] = {};
};

/// Subtracts the accelerations by terms of pairs from the viscous ones, see physics::terms::PairTerms.
template <class T, int D>
struct SumTerms {
  using P = Pack<T, 1>;

  FluidArrays<T, D> fluid;
  const PackedChunk* neighbors;
  PairTermNumbers<T> by;
  TermProgram program;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t n) const {
    TermRegisters<T> registers(program);
    const Member i(fluid.rows, static_cast<std::int32_t>(fluid.row_of(n)));
    put_fields(registers, i, Of::rho_i);
    registers.run(program.of_target, program.target_steps);
    P place[D];  // at the end of the step [m]
    for (int d = 0; d < D; ++d) place[d] = P(static_cast<T>(fluid.x[d][n] + by.path * static_cast<double>(i.v[d].v)));
    P sum[D];
    const std::int64_t chunk = n / neighbors::k_chunk;
    for_each_neighbor<P>(
        neighbors[chunk], static_cast<int>(n % neighbors::k_chunk),
        [&](const std::int32_t* at) { return Member(fluid.rows, *at / k_row_step); },
        [&](const Member& j) { add_pair(registers, i, j, place, sum); });
    const P mass = (P(1) + i.s) * P(by.density) * (i.V * P(by.volume));
    for (int d = 0; d < D; ++d) {
      const P acceleration = i.V.v > 0 ? sum[d] / mass : P(0);
      neighbors::put(P(fluid.viscous[d][n]) - acceleration * P(by.per_unit), fluid.viscous[d] + n);
    }
  }

 private:
  struct Member {
    P x[D], v[D], s, V;

    EDDYLINE_INLINE Member(const RowParts<T>& rows, std::int32_t row) {
      const T* value = rows.first + std::int64_t{row} * neighbors::k_first_part;
      for (int d = 0; d < D; ++d) x[d] = P(value[d]), v[d] = P(value[D + d]);
      s = P(value[2 * D]), V = P(value[2 * D + 1]);
    }
  };

  EDDYLINE_INLINE int number(Of first, int axis = 0) const {
    return program.register_of[static_cast<int>(first) + axis];
  }
  EDDYLINE_INLINE void put_fields(TermRegisters<T>& registers, const Member& of, Of first) const {
    const P density = (P(1) + of.s) * P(by.density);
    registers.put(number(first), density.v);
    registers.put(number(first, 1), (of.s * P(by.sound_pressure)).v);
    registers.put(number(first, 2), (density * (of.V * P(by.volume))).v);
    registers.put(number(first, 3), (of.V * P(by.volume)).v);
    for (int d = 0; d < D; ++d) registers.put(number(first, 4 + d), (of.v[d] * P(by.sound_speed)).v);
  }
  EDDYLINE_INLINE void add_pair(TermRegisters<T>& registers, const Member& i, const Member& j, const P (&place)[D],
                                P (&sum)[D]) const {
    P r[D], v[D];
    for (int d = 0; d < D; ++d) {
      const P way = i.v[d] - j.v[d];
      r[d] = fma(way, P(by.half_path), fixed_difference(i.x[d], j.x[d]) * P(by.quantum));
      v[d] = way * P(by.sound_speed);
      registers.put(number(Of::rx, d), r[d].v);
      registers.put(number(Of::vx, d), v[d].v);
      registers.put(number(Of::x, d), fma(P(T(-0.5)), r[d], place[d]).v);
    }
    const P r2 = physics::dot<D>(r, r), distance = sqrt(r2), q = distance * P(by.inverse_radius);
    const P rest = max(P(1) - q, P(0)), inverse = P(1) / max(distance, P(by.quantum));
    if (!(rest.v > 0 && j.V.v > 0 && r2.v > 0)) return;
    registers.put(number(Of::r), distance.v);
    registers.put(number(Of::q), q.v);
    const P cube = physics::WendlandC2::gradient(rest);
    registers.put(number(Of::W), (physics::WendlandC2::value(rest, cube, q) * P(by.kernel)).v);
    registers.put(number(Of::dW), (cube * q * P(by.slope)).v);
    registers.put(number(Of::vr), (physics::dot<D>(v, r) * inverse).v);
    put_fields(registers, j, Of::rho_j);
    registers.run(program.of_pair, program.pair_steps);
    int output = 0;
    if (by.central) {
      const P force(registers[program.output[output++]]);
      for (int d = 0; d < D; ++d) sum[d] = fma(force, r[d] * inverse, sum[d]);
    }
    if (by.vector)
      for (int d = 0; d < D; ++d) sum[d] = sum[d] + P(registers[program.output[output + d]]);
  }
};

/// Computes the forces on single particles that formulas give, with the uniform one.
template <class T, int D>
struct ComputeForces {
  FluidArrays<T, D> fluid;
  ForceFormulas formulas;
  TermProgram program;
  ForceNumbers by;
  double* force[D];

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    Vec3 x;
    for (int d = 0; d < D; ++d) x[d] = fluid.x[d][i];
    Vec3 f = formulas.at<D>(by.uniform, x, by.time);
    if (by.by_terms) add_terms(i, x, f);
    for (int d = 0; d < D; ++d) force[d][i] = f[d];
  }

 private:
  EDDYLINE_INLINE void add_terms(std::int64_t i, const Vec3& x, Vec3& f) const {
    constexpr int k_velocity = 4, k_density = 7, k_pressure = 8;  // variables: x y z t vx vy vz rho p
    TermRegisters<double> registers(program);
    for (int d = 0; d < D; ++d) {
      registers.put(program.register_of[d], x[d]);
      registers.put(program.register_of[k_velocity + d], fluid.v[d][i]);
    }
    registers.put(program.register_of[k_density], by.density * (1 + fluid.s[i]));
    registers.put(program.register_of[k_pressure], by.sound_pressure * fluid.s[i]);
    registers.run(program.of_pair, program.pair_steps);
    for (int d = 0; d < D; ++d) f[d] += registers[program.output[d]];
  }
};

}  // namespace eddyline::device
