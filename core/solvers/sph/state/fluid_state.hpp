#pragma once
// The fields of fluid particles, as arrays in canonical order. SI units.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/arrays.hpp"
#include "solvers/sph/state/classic_fields.hpp"

namespace eddyline::sph {

/// Fluid particles, with those of buffers. T: type of pair sums, in which some values are stored.
template <class T, int D>
struct FluidState {
  Array<std::int64_t> id;
  Array<double> mass;
  Array<double> s;              // density excess rho/rho0 - 1
  Array<std::uint8_t> buffer;   // 1 + the number of the opening, for particles in its buffer; 0: none, it is fluid
  Array<std::uint8_t> surface;  // a physics::Surrounding from the last evaluation; the array has space for whole chunks
  VectorArray<double, D> x, v;

  // Used by the scheme delta, otherwise empty.
  VectorArray<T, D> a;       // acceleration of the last evaluation, with all terms
  VectorArray<T, D> half_g;  // half the density gradient for the diffusion as rows have it; in confined flows
                             // packed in one value with the velocity of shifting in the last step: see
                             // physics::MidpointFluid
  bool confined = false;     // true if there is no free surface

  /// The further fields of the scheme classic; null with the scheme delta.
  std::unique_ptr<ClassicFields<T, D>> classic;

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }

  /// Makes room for what sweeps write here, in whole chunks.
  void reserve_sums(std::size_t whole) {
    surface.reserve(whole);
    if (!classic) return;
    classic->s_rate_old.reserve(whole);
    classic->u_rate_old.reserve(whole);
  }

  /// Calls visit(array) for every array that belongs to particles and is sorted with them.
  template <class Visit>
  void for_each_array(Visit&& visit) {
    for_each_named([&visit](const char*, auto& array) { visit(array); });
  }
  /// Calls visit(name, array) for these arrays.
  template <class Visit>
  void for_each_named(Visit&& visit) {
    visit("id", id), visit("mass", mass), visit("s", s), visit("buffer", buffer), visit("surface", surface);
    visit("x", x), visit("v", v);
    if (classic)
      classic->for_each_named(visit);
    else
      visit("a", a), visit("half_g", half_g);
  }
};

}  // namespace eddyline::sph
