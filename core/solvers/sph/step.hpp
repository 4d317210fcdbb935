#pragma once

#include <memory>
#include <string>

#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "solvers/sph/flow.hpp"
#include "solvers/sph/inactive_walls.hpp"
#include "solvers/sph/moving_walls.hpp"
#include "solvers/sph/on_device.hpp"
#include "solvers/sph/opening_step.hpp"
#include "solvers/sph/particle_update.hpp"

namespace eddyline::sph {

using domain::Contact;
using domain::ExternalForcing;

/// Advances a flow in time: kick-drift-kick with one evaluation a step. Density and viscosity are evaluated at the
/// midpoint, pressure at the end of the step.
template <class T, int D>
class Step {
 public:
  explicit Step(Flow<T, D>& flow);
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step();

  /// Computes the accelerations at the start, for the first half kick.
  void start();
  /// Advances by one time step. `reactions`: also sum the forces on every wall particle (observers ask for them).
  void advance(bool reactions);
  /// Writes rows of the state, which counts of pairs need; ghosts within this rank only.
  void write_state_rows();
  /// Copies the state from the device, if there is one, to the flow. Everything that reads or changes the flow between
  /// two steps calls this first.
  void hand_back() const {
    if (device_) device_->hand_back();
  }
  /// Name of the device that computes: cpu, or as OnDevice gives it.
  std::string device() const { return device_ ? device_->name() : "cpu"; }
  /// Ends the run: receives what other ranks have sent ahead, before this rank releases the memory. Collective.
  void end();
  /// Adopts the changes of Flow::change().
  void world_changed();
  /// Returns the next time step, from the largest speed at the start of the last one, so that it is known when that
  /// step ends.
  double choose_time_step() const;

  /// A step keeps no state besides the flow.
  void save(ArchiveWriter&) const {}
  void restore(const ArchiveReader*) {
    invalidate_rows();
    if (device_) device_->forget();
  }

  /// Rate of the damping v' = -rate v while a start settles [1/s]; 0: none.
  double damping = 0;

 private:
  void drift_to_midpoint();
  void rebuild(bool by_expected_places);
  bool prepare_midpoint(double skin);
  bool cells_hold(double skin, double start) const;
  double step_displacement() const;
  void sum_all_rates_later();
  void sum_fringe_rates();
  void sum_rates_of(std::span<const Block> blocks, Phase phase);
  void half_kick_and_drift(std::span<const Block> blocks);
  void extrapolate_to_walls();
  void sum_forces_of(std::span<const Block> blocks, Phase phase);
  template <class Arrived>
  void sum_rates_until(Arrived&& arrived);
  template <class Arrived>
  void sum_forces_until(Arrived&& arrived);
  void begin_half_kick_and_shift();
  void half_kick_and_shift(std::span<const Block> blocks, double dt);
  void react_viscous();
  void react_pressure();
  void write_midpoint_rows();
  void invalidate_rows();
  void send_ahead();
  void recall_midpoint_rows();
  bool sends_ahead() const;
  /// Returns the time for the motion of bodies at flow time t: they rest while a start settles.
  double motion_time(double t) const { return damping > 0 ? -1.0 : t; }
  void gather(exchange::Halo& halo, neighbors::PairData<T>& rows);
  static neighbors::RowField<T> all_of(neighbors::PairData<T>& rows) { return {rows, D}; }
  neighbors::RowField<T> wall_field() { return flow_.wall_field(forcing_.walls_change_speed()); }
  void send(exchange::Halo& halo, const neighbors::RowField<T>& rows);
  void gather_within(exchange::Halo& halo, neighbors::PairData<T>& rows);
  void begin_exchange(exchange::Halo& halo, const neighbors::RowField<T>& rows);
  void end_exchange(exchange::Halo& halo, const neighbors::RowField<T>& rows);
  /// Whether the device has the state. The host computes the start, and then hands it over.
  bool device_is_in_use() const { return device_ && device_->has_state(); }
  Phase of_fringe(Phase phase) const {
    return flow_.communicator().is_alone() || flow_.lazy.computes_copies() ? phase : Phase::fringe;
  }
  void extrapolate_to_openings(double t, double dt);

  Flow<T, D>& flow_;
  Contact contact_;
  domain::WallFriction friction_;
  MovingWalls<T, D> moving_walls_;
  OpeningStep<T, D> openings_;
  ExternalForcing<D> forcing_;
  InactiveWalls inactive_walls_;
  ParticleUpdate<T, D> update_;
  std::unique_ptr<OnDevice<T, D>> device_;         // null: the host computes
  WorkPortions interior_rates_, interior_forces_;  // blocks that are still to be summed in this step
  bool fringe_rates_summed_ = false;
  bool midpoint_is_sent_ = false;  // whether it was sent before the step began
  static constexpr double k_none = -1;
  double rows_time_step_ = k_none;  // the time step of the midpoint in flow_.midpoint_rows
  bool rows_hold_state_ = false;    // whether flow_.end_rows holds the state, of this rank's particles
  std::int64_t end_rows_of_ = -1;   // steps after which flow_.end_rows holds the end, also of ghosts
};

}  // namespace eddyline::sph
