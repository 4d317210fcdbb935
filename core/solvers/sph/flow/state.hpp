#pragma once
// What particles have. SI units.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/arrays.hpp"

namespace eddyline::sph {

/// Fluid particles, those of buffers among them. T: type of pair sums, which alone see some of these.
template <class T, int D>
struct FluidState {
  Array<std::int64_t> id;
  Array<double> mass;
  Array<double> s;              // density excess rho/rho0 - 1
  Array<std::uint8_t> buffer;   // 1 + the opening whose buffer the particle belongs to; 0: none, it is fluid
  Array<std::uint8_t> surface;  // a physics::Surrounding, as the last evaluation told; with room for whole chunks
  VectorArray<double, D> x, v;

  // Of the scheme delta only, else empty.
  VectorArray<T, D> a;       // acceleration of the last evaluation, everything included
  VectorArray<T, D> half_g;  // half the density gradient for the diffusion as rows have it, in confined flows in halves
                             // of one value with the velocity of shifting in the last step: see physics::MidpointFluid
  bool confined = false;     // whether there is no free surface

  // Of the scheme classic only, else empty.
  bool classic = false;
  Array<double> u;           // thermal energy [J/kg]
  Array<T> s_rate, u_rate;   // of the last evaluation [1/s], [W/kg]
  VectorArray<T, D> v_rate;  // [m/s^2]
  // Of the one before, until a step is predicted: then the pair sums of its rates, in whole chunks.
  Array<T> s_rate_old, u_rate_old;
  VectorArray<T, D> v_rate_old;

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }

  /// Every array that belongs to a particle and goes with it when particles are sorted: visit(array).
  template <class Visit>
  void for_each_array(Visit&& visit) {
    for_each_named([&visit](const char*, auto& array) { visit(array); });
  }
  /// The same with names: visit(name, array).
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

/// Dummy particles of walls and bodies.
template <int D>
struct WallState {
  Array<std::int64_t> id;
  Array<std::int32_t> owner;  // body, or -1 - side
  VectorArray<double, D> x;
  Array<double> volume;
  Array<std::uint8_t> no_slip;

  // Where some wall moves or slides only, else empty: all rest where the world file places them.
  bool can_move = false;
  VectorArray<double, D> v;
  VectorArray<double, D> x_file;  // place at t = 0, as the world file gives it

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }
  double velocity(std::size_t k, int d) const { return can_move ? v[d][k] : 0.0; }
  /// All may move from now on, the first `n` of the arrays among them, and have rested until now.
  void let_move(std::size_t n) {
    if (std::exchange(can_move, true)) return;
    rest(0, n);
    v.resize(id.size()), x_file.resize(id.size());
  }
  /// The last to come, [first, last), have rested until now.
  void rest(std::size_t first, std::size_t last) {
    v.resize(last), x_file.resize(last);
    for (int d = 0; d < D; ++d) {
      std::fill(v[d] + first, v[d] + last, 0.0);
      std::copy(x[d] + first, x[d] + last, x_file[d] + first);
    }
  }

  /// Every array: visit(array).
  template <class Visit>
  void for_each_array(Visit&& visit) {
    for_each_named([&visit](const char*, auto& array) { visit(array); });
  }
  /// The same with names: visit(name, array).
  template <class Visit>
  void for_each_named(Visit&& visit) {
    visit("id", id), visit("owner", owner), visit("x", x), visit("volume", volume), visit("no_slip", no_slip);
    if (can_move) visit("v", v), visit("x_file", x_file);
  }
};

}  // namespace eddyline::sph
