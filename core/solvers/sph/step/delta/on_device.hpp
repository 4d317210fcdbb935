#pragma once
// The delta step with the state on a device.

#include <vector>

#include "device/delta.hpp"
#include "domain/wall_friction.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/delta/delta_sums.hpp"
#include "solvers/sph/step/delta/particle_update.hpp"
#include "solvers/sph/step/device/state_on_device.hpp"
#include "solvers/sph/step/moving_walls.hpp"
#include "solvers/sph/sweep_input.hpp"

namespace eddyline::sph {

/// The operations of DeltaStep on a device, with the numbers that they need from the flow. The host moves bodies, and
/// decides about particles that may touch one.
template <class T, int D>
class OnDevice final : public StateOnDevice<T, D> {
 public:
  /// Throws UserError if the device is missing, or has too little memory.
  OnDevice(Parts<T, D>& parts, const ParticleUpdate<T, D>& update, const Contact& contact,
           const domain::WallFriction& friction, const ExternalForcing<D>& forcing,
           const MovingWalls<T, D>& moving_walls);

  void write_midpoint_rows(double dt) { device_.write_midpoint_rows(row_factors(dt)); }
  /// Takes over what MovingWalls has written to the host's rows.
  void move_walls_to_midpoint();
  void move_walls_to_end() { device_.move_walls_to_end(moved_walls(false)); }
  /// The drift at the end of the step; and_middle: or at its midpoint, if that is larger.
  neighbors::Drift measure_drift(bool and_middle);
  void sum_rates(const DeltaSums<T, D>& sums);
  void kick_and_drift();
  void extrapolate_to_walls();
  void sum_forces() { device_.sum_forces(sweep_input(state_, domain_, scratch_), state_.constants.free_surface); }
  void kick_and_shift(double dt, double damping, double next);
  void react_viscous();
  void react_pressure();

  // Openings: the host moves their buffers, see openings_on_device.cpp.
  /// Copies places and density gradients of the buffers to the host.
  void fetch_buffers();
  /// Take over what the host has set: velocities and rows at the midpoint; pressure, mass and rows at the end;
  /// velocities and density gradients for the next step.
  void put_buffers_at_midpoint();
  void put_buffers_at_end();
  void put_held_buffers();
  /// Sum what DeltaOpenings asks for.
  void sum_nodes(const physics::delta::SweepInput<T>& in, T* const* value) { device_.sum_nodes(in, value); }
  void sum_buffer_reactions(bool viscous, T* const* force) {
    device_.sum_buffer_reactions(sweep_input(state_, domain_, scratch_), state_.constants.viscosity, viscous, force);
  }

 private:
  using StateOnDevice<T, D>::state_, StateOnDevice<T, D>::scratch_, StateOnDevice<T, D>::domain_,
      StateOnDevice<T, D>::lists_, StateOnDevice<T, D>::contact_, StateOnDevice<T, D>::forcing_,
      StateOnDevice<T, D>::flow_, StateOnDevice<T, D>::moving_, StateOnDevice<T, D>::bodies_,
      StateOnDevice<T, D>::maxima_are_due_;

  device::HostFluid<T, D> host_fluid() override;
  neighbors::PairData<T>& rows_of_kind(device::RowKind kind) override;
  void upload_further() override;
  device::HostSides sides() override;
  void adopt(const device::StepMaxima& maxima) override;

  void upload_openings();
  void set_inflows();
  void set_terms(const physics::terms::PairProgram& pairs);
  void compute_forces();
  device::MovedWalls<T, D> moved_walls(bool at_midpoint) const;
  device::RowFactors row_factors(double dt) const;
  device::ShiftFactors shift_factors(double dt, double damping) const;
  void check_contact(std::vector<device::Suspect>& suspects, double dt);

  const ParticleUpdate<T, D>& update_;
  const domain::WallFriction& friction_;
  const MovingWalls<T, D>& moving_walls_;
  device::Delta<T, D>& device_;
  bool terms_are_set_ = false;  // the programs of terms are on the device
};

}  // namespace eddyline::sph
