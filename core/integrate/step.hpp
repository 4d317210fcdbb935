#pragma once

#include "integrate/contact.hpp"
#include "integrate/flow.hpp"
#include "integrate/surroundings.hpp"

namespace eddyline::integrate {

/// Advances a flow in time: kick-drift-kick with one evaluation a step. Density and viscosity are evaluated half way,
/// pressure at the end of the step.
template <class T, int D>
class Step {
 public:
  explicit Step(Flow<T, D>& flow);

  /// Accelerations of the start, so that the first step can kick.
  void start();
  /// One time step. `reactions`: also sum the forces on every wall particle (observers ask for them).
  void advance(bool reactions);
  /// The next time step, from the largest values of the last one; also says whether the lists will hold.
  double choose_time_step() const;

  /// Rate of the damping v' = -rate v while a start settles [1/s]; 0: none.
  double damping = 0;

 private:
  void kick_and_drift_half();
  void sum_rates();
  void update_density_and_drift();
  void extrapolate_to_walls();
  void sum_forces();
  void kick_half_and_shift(double dt);
  void react_viscous();
  void react_pressure();
  void write_moving(std::int64_t i, double dt);
  void write_pressed(std::int64_t i);
  void gather(exchange::Routes& routes, neighbors::Rows<T>& rows);

  Flow<T, D>& flow_;
  Contact contact_;
  Surroundings<D> surroundings_;
};

}  // namespace eddyline::integrate
