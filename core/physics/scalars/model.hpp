#pragma once
// Types with which scalars outside the package are written: a struct eddyline::module::Model<D>, made from Settings,
// that has
//
//   static constexpr std::size_t k_scalars;      their number
//   std::vector<Scalar> scalars() const;
//
// and may have
//
//   template <class Q> Values<Q, k_scalars> source(const Place<Q, D, k_scalars>& at) const;   rates [unit/s]
//   template <class Q> Values<Q, k_scalars> loss(const Place<Q, D, k_scalars>& at) const;     -d source/d value [1/s]
//
// Q is a number or a pack of them. `loss` must not be negative; it is for the steps to a solution, and does not change
// it.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/pack.hpp"
#include "physics/equations/settings.hpp"

namespace eddyline::physics::scalars {

/// A scalar that a flow carries. meaning: in a few words. start: its value where the world gives none.
struct Scalar {
  std::string name, unit, meaning;
  double diffusivity = 0;  // [m^2/s]
  double start = 0;
};

template <class Q, std::size_t N>
using Values = std::array<Q, N>;

/// A place in the flow at a time, and the scalars there.
template <class Q, int D, std::size_t N>
struct Place {
  std::array<Q, static_cast<std::size_t>(D)> x, u;  // [m], [m/s]
  Q p, rho, t;                                      // pressure [Pa], density [kg/m^3], time [s]
  Values<Q, N> value;
};

}  // namespace eddyline::physics::scalars
