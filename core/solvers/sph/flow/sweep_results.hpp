#pragma once
// Results of the sweeps for each fluid particle.

#include <cstddef>

#include "base/arrays.hpp"

namespace eddyline::sph {

/// Results of the scheme delta, in whole chunks. They are not needed after the end of a step: sorting then borrows
/// their memory.
template <class T, int D>
struct DeltaResults : VectorArray<T, 3 * D + 1> {
  T* viscous(int d) { return (*this)[d]; }
  T* pressure_force(int d) { return (*this)[D + d]; }
  T* shift(int d) { return (*this)[2 * D + d]; }
  T* volume_fraction() { return (*this)[3 * D]; }
  Array<T> dissipation;  // with a free surface, else empty
  // Used before forces are summed.
  T* divergence() { return pressure_force(0); }
  T* diffusion() { return pressure_force(1); }
};

/// Results of the scheme classic, see physics/classic/sweeps.hpp. Sums that become rates are stored in place of the
/// rates before the last ones, see FluidState.
template <class T, int D>
struct ClassicResults : VectorArray<T, 2> {
  VectorArray<T, D> drifts;  // with the term XSPH, else empty

  T* drift(int d) { return drifts[d]; }
  T* spread() { return (*this)[0]; }
  T* closing() { return (*this)[1]; }
};

}  // namespace eddyline::sph
