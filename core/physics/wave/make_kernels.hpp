#pragma once

#include "physics/wave/kernels.hpp"
#include "physics/wave/laplacian.hpp"

namespace eddyline::physics::wave {

/// P: the pack of the instruction set. Rows end with packs of one number, in the same arithmetic.
template <class P, int Order, int D>
struct Loops {
  using One = Pack<double, 1>;

  /// Calls cell(type of pack, cell's index in the patch, its place in the memory with ghosts) for all cells.
  template <class Cell>
  static EDDYLINE_INLINE void for_each(const Stage& s, Cell&& cell) {
    std::ptrdiff_t at = 0;
    for (std::int32_t z = 0; z < s.count[2]; ++z)
      for (std::int32_t y = 0; y < s.count[1]; ++y) {
        const double* u = s.u + y * s.stride[1] + z * s.stride[2];
        std::int32_t x = 0;
        for (; x + P::width <= s.count[0]; x += P::width) cell(P(), at + x, u + x);
        for (; x < s.count[0]; ++x) cell(One(), at + x, u + x);
        at += s.count[0];
      }
  }

  static void advance(const Stage& s) {
    for_each(s, [&]<class Q>(Q, std::ptrdiff_t i, const double* u) {
      const Q rate = Q(s.stiffness) * laplacian<Order, D, Q>(u, s.stride);
      (Q::load(s.first.u + i) + Q(s.weight) * Q::load(s.p + i)).store(s.u_to + i);
      (Q::load(s.first.p + i) + Q(s.weight) * rate).store(s.p_to + i);
    });
  }

  static void finish(const Stage& s) {
    const auto combined = [&]<class Q>(Q, const double* y0, const double* y2, const double* y3, const double* y4,
                                       std::ptrdiff_t i) {
      const Q sum = (Q::load(y2 + i) - Q::load(y0 + i)) + Q(2.0) * Q::load(y3 + i) + Q::load(y4 + i);
      return Q(1.0 / 3) * sum;
    };
    for_each(s, [&]<class Q>(Q one, std::ptrdiff_t i, const double* u) {
      const Q rate = Q(s.stiffness) * laplacian<Order, D, Q>(u, s.stride);
      const Q p4 = Q::load(s.p + i);
      const Q du = combined(one, s.first.u, s.second.u, s.third.u, s.fourth.u, i);
      const Q dp = combined(one, s.first.p, s.second.p, s.third.p, s.fourth.p, i);
      (du + Q(s.weight) * p4).store(s.u_to + i);
      (dp + Q(s.weight) * rate).store(s.p_to + i);
    });
  }
};

template <class P>
Kernels make_kernels(int order, int dimensions) {
  const auto of = [&]<int Order>() -> Kernels {
    if (dimensions == 2) return {Loops<P, Order, 2>::advance, Loops<P, Order, 2>::finish};
    return {Loops<P, Order, 3>::advance, Loops<P, Order, 3>::finish};
  };
  if (order == 2) return of.template operator()<2>();
  if (order == 4) return of.template operator()<4>();
  return of.template operator()<6>();
}

}  // namespace eddyline::physics::wave
