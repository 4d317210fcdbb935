#pragma once
// Residuals of cells: sums of fluxes over their faces.

#include "base/reproducible_sum.hpp"
#include "solvers/multiblock/level.hpp"
#include "solvers/multiblock/scheme.hpp"

namespace eddyline::multiblock {

/// The terms of one level. Cells are computed in parallel; each is a function of its stencil, in one fixed order.
template <class E>
class Residual {
  static constexpr int D = E::k_dimensions;

 public:
  explicit Residual(const Scheme& scheme) : scheme_(scheme) {}

  /// Ghosts of the state, local steps, and spectral radii with their ghosts. Collective.
  void set_local_steps(Level<E>& level) const;
  /// Gradients of all unknowns on the finest level, with ghosts beside faces. Collective.
  void set_gradients(Level<E>& level) const;
  /// residual = sum of convective fluxes - dissipation + V du/dt - V f + forcing. `blend`: share of the new dissipation
  /// and friction; the rest stays from before. 0: all of it. Ghosts of the state, and for blend > 0 spectral radii and
  /// gradients, must be set.
  void evaluate(Level<E>& level, double blend, const TimeDerivative& time, bool forced) const;
  /// Smooths the changes that residuals cause, by Jacobi sweeps. Collective.
  void smooth(Level<E>& level) const;
  /// A stage: state = stage - alpha step / V residual, with du/dt taken implicitly.
  void update(Level<E>& level, double alpha, const TimeDerivative& time) const;
  /// Adds the squares of all rates of change that are left [1/s^2]: of div u, and of u over the speed `unit` [m/s].
  ReproducibleSum sum_of_squares(Level<E>& level, double unit) const;

  const Scheme& scheme() const { return scheme_; }
  /// Gradients are needed by friction.
  bool needs_gradients(const Level<E>& level) const {
    return level.is_finest() && scheme_.full_friction && scheme_.viscosity > 0;
  }
  void set_viscosity(double viscosity) { scheme_.viscosity = viscosity; }
  void set_cfl(double cfl) { scheme_.cfl = cfl; }

 private:
  Scheme scheme_;
};

}  // namespace eddyline::multiblock
