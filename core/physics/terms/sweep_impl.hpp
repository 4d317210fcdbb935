#pragma once
// Implementation of the sweep as a template over the pack type P and the dimension D, included by flavours/.

#include <array>

#include "neighbors/for_each_pair.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/pair.hpp"
#include "physics/terms/lanes.hpp"
#include "physics/terms/sweep.hpp"

namespace eddyline::physics::terms {

/// Registers of one thread, and where variables go.
template <class P>
class Bench {
 public:
  using T = typename P::value_type;

  explicit Bench(const SweepInput<T>& in) : program_(in.program->program) {
    fill<P>(in.filled, registers_);
    for (std::size_t v = 0; v < k_pair_variables; ++v) {
      const int number = program_.register_of(v);
      place_[v] = number == k_no_register ? nullptr : at(number);
      if (place_[v] != nullptr)
        for (int l = 0; l < k_lanes; ++l) place_[v][l] = T(0);  // components that the dimension does not have
    }
  }

  EDDYLINE_INLINE bool uses(Of variable) const { return place_[static_cast<std::size_t>(variable)] != nullptr; }
  /// Stores a variable's values for the lanes from `lane` on, if formulas use it.
  EDDYLINE_INLINE void put(Of variable, int lane, P value) {
    if (T* const to = place_[static_cast<std::size_t>(variable)]) value.store(to + lane);
  }
  EDDYLINE_INLINE P output(int number, int lane) {
    return P::load(at(program_.outputs()[static_cast<std::size_t>(number)]) + lane);
  }
  /// Computes what is the same for all pairs of a pack of targets.
  EDDYLINE_INLINE void run_of_target() {
    run<P>(program_.of_target(), registers_, P::width);
    for (const int number : program_.shared()) {
      T* const values = at(number);
      const P value = P::load(values);
      for (int l = P::width; l < k_lanes; l += P::width) value.store(values + l);
    }
  }
  EDDYLINE_INLINE void run_of_pair(int lanes) { run<P>(program_.of_pair(), registers_, lanes); }

 private:
  T* at(int number) { return registers_ + std::ptrdiff_t{number} * k_lanes; }

  const Program& program_;
  std::array<T*, k_pair_variables> place_;
  alignas(64) T registers_[std::size_t{k_most_registers} * k_lanes];
};

constexpr Of component(Of first, int axis) { return static_cast<Of>(static_cast<int>(first) + axis); }

/// Stores the fields of a particle: density, pressure, mass, volume, velocity.
template <class P, int D, class T = typename P::value_type>
EDDYLINE_INLINE void put_fields(Bench<P>& bench, const SweepInput<T>& in, const Member<P, D>& of, Of first, int lane) {
  const P density = (P(1) + of.s) * P(in.density);
  bench.put(first, lane, density);
  bench.put(component(first, 1), lane, of.s * P(in.sound_pressure));
  bench.put(component(first, 2), lane, density * (of.V * P(in.volume)));
  bench.put(component(first, 3), lane, of.V * P(in.volume));
  for (int d = 0; d < D; ++d) bench.put(component(first, 4 + d), lane, of.v[d] * P(in.sound_speed));
}

template <class P, int D, class T = typename P::value_type>
EDDYLINE_INLINE void sweep_of(Bench<P>& bench, const SweepInput<T>& in, T* const* out, std::int64_t c, int part) {
  const P zero(0), one(1);
  const std::int64_t first = c * neighbors::k_chunk + part;
  const Member<P, D> i(in.rows, in.targets.template places<P::width>(first).data());
  put_fields<P, D>(bench, in, i, Of::rho_i, 0);
  bench.run_of_target();
  P place[D];  // at the end of the step [m]
  const bool uses_place = bench.uses(Of::x) || bench.uses(Of::y) || bench.uses(Of::z);
  if (uses_place) find_places<P, D>(in, first, i, place);

  const auto& program = *in.program;
  constexpr int k_batch = k_lanes / P::width;
  alignas(64) T unit[D][k_lanes], near[k_lanes];
  P sum[D];
  const neighbors::Chunk& chunk = in.neighbors[c];
  for (std::int32_t begin = 0; begin < chunk.length; begin += k_batch) {
    const int count = chunk.length - begin < k_batch ? chunk.length - begin : k_batch;
    for (int k = 0; k < count; ++k) {
      const int lane = k * P::width;
      const Member<P, D> j(in.rows, chunk.entries + std::int64_t{begin + k} * neighbors::k_chunk + part);
      P r[D], v[D];
      for (int d = 0; d < D; ++d) {
        const P way = i.v[d] - j.v[d];
        r[d] = fma(way, P(in.half_path), fixed_difference(i.x[d], j.x[d]) * P(in.quantum));
        v[d] = way * P(in.sound_speed);
        bench.put(component(Of::rx, d), lane, r[d]);
        bench.put(component(Of::vx, d), lane, v[d]);
        if (uses_place) bench.put(component(Of::x, d), lane, fma(P(T(-0.5)), r[d], place[d]));
      }
      const P r2 = dot<D>(r, r), distance = sqrt(r2), q = distance * P(in.inverse_radius);
      const P rest = max(one - q, zero), inverse = one / max(distance, P(in.quantum));
      const auto interact = (rest > zero) & (j.V > zero) & (r2 > zero);
      select(interact, one, zero).store(near + lane);
      for (int d = 0; d < D; ++d) (r[d] * inverse).store(unit[d] + lane);
      bench.put(Of::r, lane, distance);
      bench.put(Of::q, lane, q);
      if (bench.uses(Of::W))
        bench.put(Of::W, lane, WendlandC2::value(rest, WendlandC2::gradient(rest), q) * P(in.kernel));
      if (bench.uses(Of::dW)) bench.put(Of::dW, lane, WendlandC2::gradient(rest) * q * P(in.slope));
      if (bench.uses(Of::vr)) bench.put(Of::vr, lane, dot<D>(v, r) * inverse);
      put_fields<P, D>(bench, in, j, Of::rho_j, lane);
    }
    bench.run_of_pair(count * P::width);
    for (int k = 0; k < count; ++k) {
      const int lane = k * P::width;
      const auto interact = P::load(near + lane) > zero;
      int output = 0;
      if (program.central) {
        const P force = select(interact, bench.output(output++, lane), zero);
        for (int d = 0; d < D; ++d) sum[d] = fma(force, P::load(unit[d] + lane), sum[d]);
      }
      if (program.vector)
        for (int d = 0; d < D; ++d) sum[d] = sum[d] + select(interact, bench.output(output + d, lane), zero);
    }
  }
  subtract_accelerations<P, D>(in, first, i, sum, out);
}

template <class P, int D, class T = typename P::value_type>
void sweep(const SweepInput<T>& in, T* const* out, std::int64_t first_chunk, std::int64_t last_chunk) {
  Bench<P> bench(in);
  neighbors::for_each_part<P>(first_chunk, last_chunk,
                              [&](std::int64_t c, int part) { sweep_of<P, D>(bench, in, out, c, part); });
}

}  // namespace eddyline::physics::terms
