#pragma once

#include "base/arrays.hpp"

namespace eddyline::sph {

/// Fields that the scheme classic stores for each fluid particle besides place, velocity and density. SI units.
template <class T, int D>
struct ClassicFields {
  Array<double> u;           // thermal energy [J/kg]
  Array<T> s_rate, u_rate;   // rates of the last evaluation [1/s], [W/kg]
  VectorArray<T, D> v_rate;  // [m/s^2]
  // Rates of the evaluation before, until a step is predicted; then the pair sums of its rates, in whole chunks.
  Array<T> s_rate_old, u_rate_old;
  VectorArray<T, D> v_rate_old;

  /// Calls visit(name, array) for every array.
  template <class Visit>
  void for_each_named(Visit&& visit) {
    visit("u", u), visit("s_rate", s_rate), visit("u_rate", u_rate);
    visit("s_rate_old", s_rate_old), visit("u_rate_old", u_rate_old);
    visit("v_rate", v_rate), visit("v_rate_old", v_rate_old);
  }
};

}  // namespace eddyline::sph
