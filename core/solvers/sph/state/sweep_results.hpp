#pragma once
// Results of the sweeps for each fluid particle.

#include <cassert>
#include <cstddef>

#include "base/arrays.hpp"

namespace eddyline::sph {

/// Results of the scheme delta, in whole chunks. The sums of forces take the place of those of rates that are used up
/// by then: begin() says which are alive, and no other can be read or written.
template <class T, int D>
class DeltaResults : public VectorArray<T, 3 * D + 1> {
 public:
  enum class Sums { none, rates, forces };
  void begin(Sums sums) { sums_ = sums; }

  // Sums of rates; viscosity is needed until the step ends.
  T* divergence() { return of(Sums::rates, D); }
  T* diffusion() { return of(Sums::rates, D + 1); }
  T* viscous(int d) {
    assert(sums_ != Sums::none);
    return (*this)[d];
  }
  Array<T> dissipation;  // with a free surface, else empty
  // Sums of forces.
  T* pressure_force(int d) { return of(Sums::forces, D + d); }
  T* shift(int d) { return of(Sums::forces, 2 * D + d); }
  T* volume_fraction() { return of(Sums::forces, 3 * D); }

 private:
  T* of(Sums sums, int column) {
    assert(sums_ == sums);
    return (*this)[column];
  }

  Sums sums_ = Sums::none;
};

/// Results of the scheme classic, see physics/classic/sweeps.hpp. Sums that become rates are stored in place of the
/// rates before the last ones, see ClassicFields.
template <class T, int D>
struct ClassicResults : VectorArray<T, 2> {
  VectorArray<T, D> drifts;  // with the term XSPH, else empty

  T* drift(int d) { return drifts[d]; }
  T* spread() { return (*this)[0]; }
  T* closing() { return (*this)[1]; }
};

}  // namespace eddyline::sph
