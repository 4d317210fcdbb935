#pragma once
// Loops that all kinds of models share. Included by the files of instruction sets only.

#include "physics/equations/kernels.hpp"

namespace eddyline::physics {

using One = Pack<double, 1>;

/// Calls visit(type of pack, x) for all x of a row from `first` to below `last`; rows end with packs of one number, in
/// the same arithmetic.
template <class P, class Visit>
EDDYLINE_INLINE void for_row(std::int32_t first, std::int32_t last, Visit&& visit) {
  std::int32_t x = first;
  for (; x + P::width <= last; x += P::width) visit(P(), x);
  for (; x < last; ++x) visit(One(), x);
}

/// The value of a field after a stage in the cells of a pack; i: the first of them in the patch.
template <class Q>
EDDYLINE_INLINE Q after_stage(const Stage& s, std::size_t f, std::ptrdiff_t i, Q rate) {
  const Q y0 = Q::load(s.slots[0][f] + i);
  if (!s.last) return y0 + Q(s.weight) * rate;
  const Q sum = (Q::load(s.slots[1][f] + i) - y0) + Q(2.0) * Q::load(s.slots[2][f] + i) + Q::load(s.slots[3][f] + i);
  return Q(1.0 / 3) * sum + Q(s.weight) * rate;
}

/// Stores the result of a stage, which at the end of a step a model may project.
template <class Q, class Model>
EDDYLINE_INLINE void store_stage(const Model& model, const Stage& s, std::ptrdiff_t i,
                                 const ValuesOf<Q, Model::k_fields>& rates) {
  constexpr std::size_t N = Model::k_fields;
  if constexpr (requires { model.project(rates); }) {
    if (s.last) {
      ValuesOf<Q, N> values;
      for (std::size_t f = 0; f < N; ++f) values[f] = after_stage<Q>(s, f, i, rates[f]);
      values = model.project(values);
      for (std::size_t f = 0; f < N; ++f) values[f].store(s.to[f] + i);
      return;
    }
  }
  for (std::size_t f = 0; f < N; ++f) after_stage<Q>(s, f, i, rates[f]).store(s.to[f] + i);
}

template <class P, class Model>
struct Inspect {
  static Inspection run(const void* opaque, std::span<const double* const> fields, std::int64_t cells, double spacing) {
    constexpr std::size_t N = Model::k_fields;
    const Model& model = *static_cast<const Model*>(opaque);
    Lanes<P> lanes;
    Lanes<One> rest;
    std::int64_t i = 0;
    for (; i + P::width <= cells; i += P::width) lanes.add(model, load<P, N>(fields, i), spacing);
    for (; i < cells; ++i) rest.add(model, load<One, N>(fields, i), spacing);
    std::array<double, P::width> fastest, worst;
    lanes.fastest.store(fastest.data()), lanes.bad.store(worst.data());
    Inspection found{rest.fastest.v, !(rest.bad.v > 0)};
    for (std::size_t k = 0; k < P::width; ++k) {
      found.speed = fastest[k] > found.speed ? fastest[k] : found.speed;
      found.good = found.good && !(worst[k] > 0);
    }
    return found;
  }

 private:
  template <class Q>
  struct Lanes {
    Q fastest = Q(0.0), bad = Q(0.0);

    EDDYLINE_INLINE void add(const Model& model, const ValuesOf<Q, Model::k_fields>& u, double spacing) {
      const Q speed = speed_of(model, u, spacing), zero = speed - speed;  // not 0 if it is not finite
      fastest = max(speed, fastest);
      bad = max(select((model.margin(u) > Q(0.0)) & (Q(1.0) > zero), Q(0.0), Q(1.0)), bad);
    }
  };
  template <class Q>
  static EDDYLINE_INLINE Q speed_of(const Model& model, const ValuesOf<Q, Model::k_fields>& u, double spacing) {
    if constexpr (requires { model.speed(u, spacing); })
      return model.speed(u, spacing);
    else
      return model.speed(u);
  }
  template <class Q, std::size_t N>
  static EDDYLINE_INLINE ValuesOf<Q, N> load(std::span<const double* const> fields, std::int64_t i) {
    ValuesOf<Q, N> u;
    for (std::size_t f = 0; f < N; ++f) u[f] = Q::load(fields[f] + i);
    return u;
  }
};

/// Integrals and largest values of the cells of a row.
template <class P, class Model>
struct Account {
  static void run(const void* opaque, const Row& row, double* const* densities, double* largest) {
    const Model& model = *static_cast<const Model*>(opaque);
    Most<P> most;
    Most<One> rest;
    for (std::size_t n = 0; n < Model::k_largest; ++n) most[n] = P(largest[n]), rest[n] = One(largest[n]);
    const auto add = [&]<class Q>(Most<Q>& highest, std::int32_t x) {
      const auto found = model.account(Stencil<Q>{row.in, x, 0, 0, row.place.spacing, row.coefficients, row.cell + x});
      for (std::size_t n = 0; n < Model::k_integrals; ++n) found.densities[n].store(densities[n] + x);
      for (std::size_t n = 0; n < Model::k_largest; ++n) highest[n] = max(found.largest[n], highest[n]);
    };
    const std::int32_t cells = row.place.cells.count(0);
    std::int32_t x = 0;
    for (; x + P::width <= cells; x += P::width) add(most, x);
    for (; x < cells; ++x) add(rest, x);
    for (std::size_t n = 0; n < Model::k_largest; ++n) {
      std::array<double, P::width> lane;
      most[n].store(lane.data());
      largest[n] = rest[n].v;
      for (const double each : lane) largest[n] = each > largest[n] ? each : largest[n];
    }
  }

 private:
  template <class Q>
  using Most = ValuesOf<Q, Model::k_largest>;
};

/// Null for models without an account of packs.
template <class P, class Model>
constexpr auto account_of() -> decltype(Kernels::account) {
  if constexpr (requires { Model::k_integrals; })
    return &Account<P, Model>::run;
  else
    return nullptr;
}

}  // namespace eddyline::physics
