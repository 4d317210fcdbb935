#pragma once
// The four radial functions of a particle method for incompressible flow.

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "base/pack.hpp"
#include "base/vec.hpp"
#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::physics::mps {

/// Families of weights, see Wendland and Classic.
enum class Weights {
  wendland,  // the default
  standard,  // Koshizuka & Oka 1996
  hs,        // with the source of higher order: Khayyer & Gotoh 2009
  hl,        // and with the Laplacian of higher order: Khayyer & Gotoh 2010
  ecs,       // and with error compensation in the source: Khayyer & Gotoh 2011
};

inline constexpr std::array<std::string_view, 5> k_weights_names{"wendland", "standard", "hs", "hl", "ecs"};

/// Values of the four functions at one distance, each up to a constant factor:
///   n_i           = N(0) + sum_j N(r)
///   (grad p)_i    = sum_j B(r) (p_j - p_i) r_ji
///   (div u)_i     = sum_j S(r) (u_j - u_i) . r_ji
///   (laplace p)_i = sum_j A(r) (p_j - p_i)
/// The factors make the sums exact on the start lattice, see Normalized.
template <class S>
struct Radial {
  S N, B, divergence, A;
};

/// Wendland C2: N = W, B = S = A = -W'/r, up to constants.
struct Wendland {
  static constexpr bool k_counts_itself = true;  // N(0) is part of n

  /// q2 = (r/R)^2; `cut` = 1 is the radius of the lists.
  template <class S>
  static EDDYLINE_INLINE Radial<S> at(S q2, S /*cut*/) {
    const S q = sqrt(q2), rest = max(S(1) - q, S(0)), F = WendlandC2::gradient(rest);
    return {WendlandC2::value(rest, F, q), F, F, F};
  }
};

/// w = re/r - 1 for r < re: N = A = w, B = S = w / r^2; Source: S = 1/r^3; Laplacian: A = 1/r^3. `cut` is re/R.
template <bool Source, bool Laplacian>
struct Classic {
  static constexpr bool k_counts_itself = false;
  static constexpr float k_nearest2 = 0.0014f;  // (r/R)^2 below which the weights do not grow, (0.15 dx)^2 at R = 4 dx

  template <class S>
  static EDDYLINE_INLINE Radial<S> at(S q2, S cut) {
    const S r2 = max(q2, S(k_nearest2)), inverse2 = S(1) / r2, inverse = sqrt(inverse2);
    const S w = max(cut * inverse - S(1), S(0)), cube = select(cut * cut > r2, inverse * inverse2, S(0));
    return {w, w * inverse2, Source ? cube : w * inverse2, Laplacian ? cube : w};
  }
};

/// Factors that make the sums over the start lattice exact, lengths in units of R: n = 1, sum B q^2 = sum S q^2 = D,
/// sum A q^2 = 2 D.
struct Factors {
  double N, B, S, A;
  double itself;     // N(0), with its factor
  double laplacian;  // sum A over the lattice, with the factor
  double cut;        // re/R
};

/// `step`: distances between lattice points along the axes; R: radius of the lists. The classic weights reach to
/// re = 2.1 steps.
Factors factors(Weights weights, const Vec3& step, int dimensions, double R);

/// Calls use(policy) with the class of weights.
template <class Use>
auto with_weights(Weights weights, Use&& use) {
  switch (weights) {
    case Weights::wendland: break;
    case Weights::standard: return use(Classic<false, false>{});
    case Weights::hs: return use(Classic<true, false>{});
    case Weights::hl:
    case Weights::ecs: return use(Classic<true, true>{});
  }
  return use(Wendland{});
}

}  // namespace eddyline::physics::mps
