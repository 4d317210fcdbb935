#pragma once
// The state of particles. SI units.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/arrays.hpp"
#include "domain/walls.hpp"

namespace eddyline::sph {

using domain::WallState;

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

  // Used by the scheme classic, otherwise empty.
  bool classic = false;
  Array<double> u;           // thermal energy [J/kg]
  Array<T> s_rate, u_rate;   // rates of the last evaluation [1/s], [W/kg]
  VectorArray<T, D> v_rate;  // [m/s^2]
  // Rates of the evaluation before, until a step is predicted; then the pair sums of its rates, in whole chunks.
  Array<T> s_rate_old, u_rate_old;
  VectorArray<T, D> v_rate_old;

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }

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
    if (classic) {
      visit("u", u), visit("s_rate", s_rate), visit("u_rate", u_rate);
      visit("s_rate_old", s_rate_old), visit("u_rate_old", u_rate_old);
      visit("v_rate", v_rate), visit("v_rate_old", v_rate_old);
    } else {
      visit("a", a), visit("half_g", half_g);
    }
  }
};

}  // namespace eddyline::sph
