#pragma once

#include <memory>
#include <string>

#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "domain/wall_friction.hpp"
#include "solver/counters.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/control_point.hpp"
#include "solvers/sph/step/delta/delta_openings.hpp"
#include "solvers/sph/step/delta/delta_sums.hpp"
#include "solvers/sph/step/delta/on_device.hpp"
#include "solvers/sph/step/delta/particle_update.hpp"
#include "solvers/sph/step/delta/row_contents.hpp"
#include "solvers/sph/step/moving_walls.hpp"
#include "solvers/sph/step/overlap.hpp"

namespace eddyline::sph {

using domain::Contact;
using domain::ExternalForcing;

/// Advances a flow in time with the scheme delta: kick-drift-kick with one evaluation a step. Density and viscosity are
/// evaluated at the midpoint, pressure at the end of the step.
template <class T, int D>
class DeltaStep {
 public:
  explicit DeltaStep(Parts<T, D>& parts);
  DeltaStep(const DeltaStep&) = delete;
  DeltaStep& operator=(const DeltaStep&) = delete;
  ~DeltaStep();

  /// Computes the accelerations at the start, for the first half kick.
  void start();
  /// Advances by one time step. `loads`: also sum the forces on every wall particle (observers ask for them).
  void advance(bool loads);
  /// Writes rows of the state, which counts of pairs need; ghosts within this rank only.
  void write_state_rows();
  /// Copies the state from the device, if there is one, to the host's arrays. Everything that reads or changes them
  /// between two steps calls this first.
  void hand_back() const {
    if (device_) device_->hand_back();
  }
  /// Name of the device that computes: cpu, or as OnDevice gives it.
  std::string device() const { return device_ ? device_->name() : "cpu"; }
  /// Adds counts of the device, if there is one.
  void count(solver::Counters& counters) const;
  /// Ends the run: receives what other ranks have sent ahead, before this rank releases the memory. Collective.
  void end();
  /// Adopts the changes of Parts::change().
  void world_changed();
  /// Returns the next time step, from the largest speed at the start of the last one, so that it is known when that
  /// step ends.
  double choose_time_step() const;
  /// Combines the results of the last step over all ranks, at once. Collective.
  void agree() {
    hand_back();
    control_point_.agree();
  }
  /// Steps with cells that were known to hold before ghosts had arrived.
  std::int64_t predicted_steps() const { return predicted_steps_; }

  /// A step keeps no state besides the flow.
  void save(ArchiveWriter&) const {}
  void restore(const ArchiveReader*) {
    contents_.invalidate();
    if (device_) device_->forget();
  }

  /// Rate of the damping v' = -rate v while a start settles [1/s]; 0: none.
  double damping = 0;

 private:
  // The midpoint, see midpoint.cpp.
  bool reach_midpoint();
  void rebuild(bool by_expected_places);
  bool prepare_midpoint(double skin);
  void write_midpoint_rows();
  bool cells_hold(double skin, double start) const;
  StepPath<T> path() const;

  // Computations for a part of the blocks, or for some of the interior.
  void sum_rates(Part part);
  void sum_rates(Blocks some);
  void kick_and_drift(Part part);
  void sum_forces(Part part);
  void sum_forces(Blocks some);
  void kick_and_shift(Part part, double dt);
  void rates_are_pending();
  void forces_are_pending();

  void begin_step();
  void carry_ghosts_to_end();
  void move_walls_to_end();
  void extrapolate_to_walls();
  void extrapolate_to_openings(double t, double dt);
  void sum_viscous_loads(bool of_openings);
  void sum_pressure_loads();
  void begin_kick_and_shift();
  void end_step();

  // Rows that travel.
  Cargo<T> midpoint() { return {domain_.fluid_halo, all_of(scratch_.midpoint_rows), all_of(scratch_.midpoint_rows)}; }
  /// Pressure and volume. Place and velocity follow from the midpoint rows, see RowWriter::write_end_ghosts(), except
  /// for buffers: their rows are set in between.
  neighbors::RowField<T> end_field() {
    return state_.openings.empty() ? neighbors::RowField<T>(scratch_.end_rows, D, {D, 2}) : all_of(scratch_.end_rows);
  }
  Cargo<T> end_state() { return {domain_.fluid_halo, end_field(), all_of(scratch_.end_rows)}; }
  Cargo<T> whole_end_state() { return {domain_.fluid_halo, all_of(scratch_.end_rows), all_of(scratch_.end_rows)}; }
  Cargo<T> wall_state() {
    // Places, volumes and velocities of walls change only if bodies or sides move.
    const auto rows = state_.walls_move || forcing_.walls_change_speed()
                          ? all_of(scratch_.walls)
                          : neighbors::RowField<T>(scratch_.walls, D, {D, D + 2});
    return {domain_.wall_halo, rows, rows};
  }
  Cargo<T> whole_wall_state() { return {domain_.wall_halo, all_of(scratch_.walls), all_of(scratch_.walls)}; }
  static neighbors::RowField<T> all_of(neighbors::PairData<T>& rows) { return {rows, D}; }

  /// True if the device has the state. The host computes the start, and then hands it over.
  bool device_is_in_use() const { return device_ && device_->has_state(); }
  /// True if the device computes now: it computes both parts at once, with the border.
  bool sums_on_device(Part part) const { return device_is_in_use() && part == Part::border; }
  void put_received(device::RowKind kind) {
    if (device_is_in_use()) device_->put_received(kind);
  }
  bool moves_buffers_of_device() const { return device_is_in_use() && !state_.openings.empty(); }
  /// Returns the time for the motion of bodies at flow time t: they rest while a start settles.
  double motion_time(double t) const { return damping > 0 ? -1.0 : t; }

  Parts<T, D>& parts_;
  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  Contact contact_;
  MovingWalls<T, D> moving_walls_;
  DeltaOpenings<T, D> openings_;
  domain::WallFriction friction_;
  ExternalForcing<D> forcing_;
  DeltaSums<T, D> sums_;
  ParticleUpdate<T, D> update_;
  std::unique_ptr<OnDevice<T, D>> device_;  // null: the host computes
  ControlPoint<T, D> control_point_;
  Overlap<T, D> overlap_;
  PendingBlocks rates_, forces_;
  RowContents contents_;
  std::int64_t predicted_steps_ = 0;
};

}  // namespace eddyline::sph
