#pragma once
// Types with which a term outside the package is written: a struct eddyline::module::Model<D>, made from Settings, that
// has at least one of
//
//   template <class P> P central(const Pair<P, D>& pair) const;             force on i along r_i - r_j [N], 2D [N/m]
//   template <class P> Vector<P, D> force(const Pair<P, D>& pair) const;    the same as a vector
//   template <class P> Vector<P, D> acceleration(const Particle<P, D>& at) const;   of a single particle [m/s^2]
//
// P is a number or a pack of them.

#include <array>
#include <cstddef>

#include "base/pack.hpp"
#include "physics/equations/settings.hpp"

namespace eddyline::physics::terms {

template <class P, int D>
using Vector = std::array<P, static_cast<std::size_t>(D)>;

/// A fluid particle of a pair. SI units; in 2D masses and volumes are those of a metre of depth.
template <class P, int D>
struct Partner {
  P rho, p, m, V;  // density [kg/m^3], pressure [Pa], mass [kg; 2D kg/m], volume [m^3; 2D m^2]
  Vector<P, D> v;  // velocity [m/s]
};

/// Two particles nearer than R: i, on which the force acts, and its neighbour j.
template <class P, int D>
struct Pair {
  Partner<P, D> i, j;
  P r, q;                     // distance [m], and distance over the reach R of the kernel
  Vector<P, D> r_ij, normal;  // r_i - r_j [m], and that over r
  Vector<P, D> v_ij;          // v_i - v_j [m/s]
  P vr;                       // speed at which the two part [m/s]
  P W, dW;                    // kernel [1/m^D] and its derivative by r [1/m^(D + 1)]
  Vector<P, D> x;             // middle of the pair [m]
  P t;                        // time [s]
};

/// A single fluid particle: place [m], velocity [m/s], density [kg/m^3], pressure [Pa]; time [s].
template <class P, int D>
struct Particle {
  Vector<P, D> x, v;
  P rho, p, t;
};

}  // namespace eddyline::physics::terms
