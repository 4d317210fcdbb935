#pragma once
// Residuals of cells: sums of fluxes over their faces.

#include "base/reproducible_sum.hpp"
#include "solvers/multiblock/level.hpp"

namespace eddyline::multiblock {

/// Numbers of the scheme.
struct Scheme {
  double beta = 0;                  // of artificial compressibility [m^2/s^2]
  double viscosity = 0;             // kinematic [m^2/s]
  double third_differences = 0;     // k4, on the finest level
  double first_differences = 0.25;  // kc, on coarse levels
  double cfl = 1;                   // of local steps
  double viscous_share = 4;         // weight of friction in local steps
  bool full_friction = true;        // on the finest level; else, and on coarse levels, the thin-layer approximation
};

/// Coefficients of du/dt by backward differences [1/s]; all 0 for a steady flow.
struct TimeDerivative {
  double now = 0, before = 0, before_that = 0;
};

/// The terms of one level. Cells are computed in parallel; each is a function of its stencil, in one fixed order.
template <int D>
class Residual {
 public:
  explicit Residual(const Scheme& scheme) : scheme_(scheme) {}

  /// Local steps, and spectral radii with their ghosts. Collective.
  void set_local_steps(Level<D>& level) const;
  /// Gradients of all unknowns on the finest level, with ghosts beside faces. Collective.
  void set_gradients(Level<D>& level) const;
  /// residual = sum of convective fluxes - dissipation + V du/dt - V f + forcing. `blend`: share of the new dissipation
  /// and friction; the rest stays from before. 0: all of it. Ghosts of the state, and for blend > 0 spectral radii and
  /// gradients, must be set.
  void evaluate(Level<D>& level, double blend, const TimeDerivative& time, bool forced) const;
  /// A stage: state = stage - alpha step / V residual, with du/dt taken implicitly.
  void update(Level<D>& level, double alpha, const TimeDerivative& time) const;
  /// Adds the squares of all rates of change that are left [1/s^2]: of div u, and of u over the speed `unit` [m/s].
  ReproducibleSum sum_of_squares(Level<D>& level, double unit) const;

  const Scheme& scheme() const { return scheme_; }
  /// Gradients are needed by friction.
  bool needs_gradients(const Level<D>& level) const {
    return level.is_finest() && scheme_.full_friction && scheme_.viscosity > 0;
  }
  void set_viscosity(double viscosity) { scheme_.viscosity = viscosity; }

 private:
  Scheme scheme_;
};

}  // namespace eddyline::multiblock
