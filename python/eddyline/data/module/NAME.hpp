#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// Advection dc/dt + a dc/dx + b dc/dy = 0: the concentration c moves with the velocity (a, b), in 3D also along z
/// with w. Replace this by your equations: docs/modules.md says what each part is for.
template <int D>
struct Model {
  static constexpr std::size_t k_fields = 1;
  static constexpr Kind k_kind = Kind::fluxes;    // values of cells change by fluxes through their faces
  static constexpr bool k_constant_speed = true;  // the time step never changes

  double velocity[3];  // [m/s]

  /// number() reads a parameter; its default stands in module.toml.
  explicit Model(const Settings& settings)
      : velocity{settings.number("a", 0), settings.number("b", 0), settings.number("w", 0)} {}

  /// Name, unit, what the value of a cell is, and which neighbours it depends on.
  std::vector<Field> fields() const { return {{"c", "kg/m^3", Meaning::average, Reach::star}}; }

  /// The values that are interpolated to faces: here c itself. Q is a number or a pack of them; there are no branches.
  template <class Q>
  EDDYLINE_INLINE ValuesOf<Q, 1> primitive(const ValuesOf<Q, 1>& c) const {
    return c;
  }
  /// Positive where the values are valid: finite numbers.
  template <class Q>
  EDDYLINE_INLINE Q margin_of_primitive(const ValuesOf<Q, 1>& c) const {
    return Q(1.0) - (c[0] - c[0]);
  }
  template <class Q>
  EDDYLINE_INLINE Q margin(const ValuesOf<Q, 1>& c) const {
    return margin_of_primitive(c);
  }
  /// The fastest signals, summed over axes [m/s]; the time step is cfl times the edge of a cell divided by this.
  template <class Q>
  EDDYLINE_INLINE Q speed(const ValuesOf<Q, 1>&) const {
    return abs(Q(velocity[0])) + abs(Q(velocity[1])) + (D == 3 ? abs(Q(velocity[2])) : Q(0.0));
  }
  /// Flux through a face across an axis, from the values on its lower and its upper side: that of the upwind one.
  template <int Axis, class Q>
  EDDYLINE_INLINE ValuesOf<Q, 1> flux(const ValuesOf<Q, 1>& lower, const ValuesOf<Q, 1>& upper) const {
    const Q v(velocity[Axis]);
    return {v * select(v > Q(0.0), lower[0], upper[0])};
  }
};

}  // namespace eddyline::module
