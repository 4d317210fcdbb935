#pragma once
// The state equation of a run, chosen by the world.

#include <algorithm>

#include "base/host_device.hpp"
#include "physics/state_equations/ideal_gas.hpp"
#include "physics/state_equations/linear.hpp"
#include "physics/state_equations/tait.hpp"

namespace eddyline::physics {

/// Pressure and speed of sound of a particle, from its density excess s and its thermal energy u. Dimensionless, as in
/// the state equations; only an ideal gas uses u. Loops on devices call these functions, too.
struct StateEquation {
  enum class Kind { linear, tait, ideal_gas };
  Kind kind = Kind::linear;
  double gamma = 1.4;  // of an ideal gas

  EDDYLINE_HOST_DEVICE bool is_gas() const { return kind == Kind::ideal_gas; }

  EDDYLINE_HOST_DEVICE double pressure(double s, double u) const {
    switch (kind) {
      case Kind::linear: return StateEquationLinear::pressure(s);
      case Kind::tait: return StateEquationTait::pressure(s);
      case Kind::ideal_gas: return StateEquationIdealGas{gamma}.pressure(1 + s, warm(u));
    }
    return 0;
  }
  EDDYLINE_HOST_DEVICE double sound_speed(double s, double u) const {
    switch (kind) {
      case Kind::linear: return 1;
      case Kind::tait: return StateEquationTait::sound_speed(s);
      case Kind::ideal_gas: return StateEquationIdealGas{gamma}.sound_speed(warm(u));
    }
    return 0;
  }
  /// s of a liquid at the pressure p.
  EDDYLINE_HOST_DEVICE double density_excess(double p) const {
    return kind == Kind::tait ? StateEquationTait::density_excess(p) : StateEquationLinear::density_excess(p);
  }

 private:
  /// Limits u to zero for pressure and speed of sound. In a cold gas u may fall slightly below zero and keeps this
  /// value, so that energy is conserved.
  EDDYLINE_HOST_DEVICE static double warm(double u) { return std::max(u, 0.0); }
};

}  // namespace eddyline::physics
