#pragma once
// The sweep over pairs for a term outside the package, compiled with its model for one instruction set.

#include "neighbors/for_each_pair.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/terms/model.hpp"
#include "physics/terms/pair_input.hpp"

namespace eddyline::physics::terms {

template <class Model, class P, int D>
inline constexpr bool k_has_central = requires(const Model& model, const Pair<P, D>& pair) { model.central(pair); };
template <class Model, class P, int D>
inline constexpr bool k_has_force = requires(const Model& model, const Pair<P, D>& pair) { model.force(pair); };
template <class Model, class P, int D>
inline constexpr bool k_acts_on_pairs = k_has_central<Model, P, D> || k_has_force<Model, P, D>;

/// Adds the forces of a model on particle i of a pair, where `interact` holds.
template <class Model, class P, int D, class M>
EDDYLINE_INLINE void add_forces(const Model& model, const Pair<P, D>& pair, M interact, P* sum) {
  const P zero(0);
  if constexpr (k_has_central<Model, P, D>) {
    const P force = select(interact, model.central(pair), zero);
    for (int d = 0; d < D; ++d) sum[d] = fma(force, pair.normal[static_cast<std::size_t>(d)], sum[d]);
  }
  if constexpr (k_has_force<Model, P, D>) {
    const Vector<P, D> force = model.force(pair);
    for (int d = 0; d < D; ++d) sum[d] = sum[d] + select(interact, force[static_cast<std::size_t>(d)], zero);
  }
}

template <int D, class P>
EDDYLINE_INLINE P product(const P* a, const P* b) {
  P sum = a[0] * b[0];
  for (int d = 1; d < D; ++d) sum = fma(a[d], b[d], sum);
  return sum;
}

template <class P, int D, class T = typename P::value_type>
EDDYLINE_INLINE Partner<P, D> partner(const PairInput<T>& in, const Member<P, D>& of) {
  Partner<P, D> made;
  made.rho = (P(1) + of.s) * P(in.density);
  made.p = of.s * P(in.sound_pressure);
  made.V = of.V * P(in.volume);
  made.m = made.rho * made.V;
  for (std::size_t d = 0; d < D; ++d) made.v[d] = of.v[d] * P(in.sound_speed);
  return made;
}

template <class Model, class P, int D, class T = typename P::value_type>
EDDYLINE_INLINE void sweep_chunk(const Model& model, const PairInput<T>& in, T* const* out, std::int64_t c, int part) {
  const P zero(0), one(1);
  const std::int64_t first = c * neighbors::k_chunk + part;
  const Member<P, D> i(in.rows, in.targets.template places<P::width>(first).data());
  P place[D], sum[D];
  find_places<P, D>(in, first, i, place);
  const Partner<P, D> target = partner<P, D>(in, i);
  const P time(static_cast<T>(in.time));
  neighbors::for_each_neighbor<P>(
      in.neighbors[c], part,
      [&](const std::int32_t* places) __attribute__((always_inline)) { return Member<P, D>(in.rows, places); },
      [&](const Member<P, D>& j) __attribute__((always_inline)) {
        Pair<P, D> pair;
        P r[D];
        for (std::size_t d = 0; d < D; ++d) {
          const P way = i.v[d] - j.v[d];
          r[d] = fma(way, P(in.half_path), fixed_difference(i.x[d], j.x[d]) * P(in.quantum));
          pair.r_ij[d] = r[d];
          pair.v_ij[d] = way * P(in.sound_speed);
          pair.x[d] = fma(P(T(-0.5)), r[d], place[d]);
        }
        const P r2 = product<D>(r, r);
        pair.r = sqrt(r2), pair.q = pair.r * P(in.inverse_radius);
        const P rest = max(one - pair.q, zero), cube = WendlandC2::gradient(rest);
        const P inverse = one / max(pair.r, P(in.quantum));
        pair.vr = product<D>(pair.v_ij.data(), r) * inverse;
        for (std::size_t d = 0; d < D; ++d) pair.normal[d] = r[d] * inverse;
        pair.W = WendlandC2::value(rest, cube, pair.q) * P(in.kernel);
        pair.dW = cube * pair.q * P(in.slope);
        pair.t = time;
        pair.i = target, pair.j = partner<P, D>(in, j);
        add_forces<Model, P, D>(model, pair, (rest > zero) & (j.V > zero) & (r2 > zero), sum);
      });
  subtract_accelerations<P, D>(in, first, i, sum, out);
}

/// Subtracts the accelerations by a model's forces of pairs from out[d], see PairInput.
template <class Model, class P, int D, class T = typename P::value_type>
void sweep_model(const void* model, const PairInput<T>& in, T* const* out, std::int64_t first_chunk,
                 std::int64_t last_chunk) {
  if constexpr (k_acts_on_pairs<Model, P, D>)
    neighbors::for_each_part<P>(first_chunk, last_chunk, [&](std::int64_t c, int part) {
      sweep_chunk<Model, P, D>(*static_cast<const Model*>(model), in, out, c, part);
    });
}

}  // namespace eddyline::physics::terms
