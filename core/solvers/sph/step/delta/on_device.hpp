#pragma once
// The delta step with the state on a device.

#include <memory>
#include <string>
#include <vector>

#include "device/delta.hpp"
#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "domain/wall_friction.hpp"
#include "solver/execution.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/delta/delta_sums.hpp"
#include "solvers/sph/step/delta/particle_update.hpp"
#include "solvers/sph/step/moving_walls.hpp"
#include "solvers/sph/sweep_input.hpp"

namespace eddyline::sph {

/// Called while an exception is handled: throws it again, as a UserError if the device has failed.
[[noreturn]] void rethrow_failure(const std::string& device);

/// Tells whether a body force depends on the place.
bool force_varies(const world::World& world);

/// The rows of some particles, as the host has sorted them.
template <int D>
device::SortedRows<D> rows_of(const particles::CellIndex& index, const neighbors::FixedPositions& positions) {
  device::SortedRows<D> rows{index.real_rows, index.rows, {index.slot.data(), index.slot.size()}, {}, {}};
  std::size_t number = 0;
  index.cells.for_each([&](std::int32_t cell) {
    const particles::RowRange own = index.of_number(number++);
    if (own.begin < index.real_rows) rows.cells.push_back({cell, own.begin, own.end});
  });
  for (int d = 0; d < D; ++d) rows.positions[d] = positions.x[d].data();
  return rows;
}

/// The operations of Step on a device, with the numbers that they need from the flow. The state lies on the device; the
/// host's arrays hold it after hand_back(). The host moves bodies, and decides about particles that may touch one.
template <class T, int D>
class OnDevice {
 public:
  /// Throws UserError if the world needs what devices cannot compute, or the device is missing.
  OnDevice(Parts<T, D>& parts, const ParticleUpdate<T, D>& update, const Contact& contact,
           const domain::WallFriction& friction, const ExternalForcing<D>& forcing,
           const MovingWalls<T, D>& moving_walls);

  /// Takes over the host's state, unless the device has it. Returns whether it did; rows of the midpoint are then to be
  /// written again.
  bool upload_state();
  /// Sorts particles and builds lists on the device. Returns false, and changes nothing, if only the host can:
  /// particles leave the domain, or bodies come or go. The host then does it, after hand_back(), without lists.
  bool rebuild(bool by_expected_places);
  /// Copies the state to the host, unless the host has it, and the maxima of the last step.
  void hand_back();
  /// Hands back, and builds the host's lists.
  void find_host_lists();
  /// The host's state has changed, or the order of particles: the next upload_state() copies it. has_lists: whether the
  /// host has built lists since.
  void forget(bool has_lists = true) { has_state_ = false, host_has_lists_ = has_lists; }
  bool has_state() const { return has_state_; }

  void write_midpoint_rows(double dt) { device_->write_midpoint_rows(row_factors(dt)); }
  void gather_midpoint_rows() { device_->gather_midpoint_rows(); }
  /// Takes over what MovingWalls has written to the host's rows.
  void move_walls_to_midpoint();
  void move_walls_to_end() { device_->move_walls_to_end(moved_walls(false)); }
  /// The drift at the end of the step; and_middle: or at its midpoint, if that is larger.
  neighbors::Drift measure_drift(bool and_middle);
  void sum_rates(const DeltaSums<T, D>& sums);
  void kick_and_drift();
  void extrapolate_to_walls();
  void sum_forces() { device_->sum_forces(sweep_input(state_, domain_, scratch_), state_.constants.free_surface); }
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
  /// Sum what OpeningStep asks for.
  void sum_nodes(const physics::delta::SweepInput<T>& in, T* const* value) { device_->sum_nodes(in, value); }
  void sum_buffer_reactions(bool viscous, T* const* force) {
    device_->sum_buffer_reactions(sweep_input(state_, domain_, scratch_), state_.constants.viscosity, viscous, force);
  }

  // Several ranks: rows pass through the host's.
  /// Copies the rows that other ranks need to the host's rows.
  void fetch_sent(device::RowKind kind);
  /// Takes over rows of other ranks from the host's rows.
  void put_received(device::RowKind kind);

  std::string name() const { return device_->name(); }
  const device::Delta<T, D>& device() const { return *device_; }
  /// Number of rebuilds on the device.
  std::int64_t rebuilds() const { return rebuilds_; }

 private:
  void check_memory() const;
  void copy_state();
  neighbors::PairData<T>& rows_of_kind(device::RowKind kind);
  device::Travellers find_travellers(const exchange::Halo& halo) const;
  device::HostFluid<T, D> host_fluid();
  device::HostWalls<T> host_walls();
  void upload_walls();
  void upload_openings();
  void set_inflows();
  void set_force();
  void set_terms(const physics::terms::PairProgram& pairs);
  void compute_forces();
  void build_lists();
  device::MovedWalls<T, D> moved_walls(bool at_midpoint) const;
  device::RowFactors row_factors(double dt) const;
  device::ShiftFactors shift_factors(double dt, double damping) const;
  void check_contact(std::vector<device::Suspect>& suspects, double dt);
  void collect_maxima();

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  const ParticleUpdate<T, D>& update_;
  const Contact& contact_;
  const domain::WallFriction& friction_;
  const ExternalForcing<D>& forcing_;
  const MovingWalls<T, D>& moving_walls_;
  std::unique_ptr<device::Delta<T, D>> device_;
  std::vector<std::int32_t> moving_;  // dummy particles of bodies that move
  device::Travellers fluid_travels_, walls_travel_;
  std::vector<T> cargo_;           // rows that travel, side by side
  bool has_state_ = false;         // the device has the state,
  bool host_has_state_ = true;     // and so has the host,
  bool host_has_order_ = true;     // with the order of particles,
  bool host_has_lists_ = true;     // and with lists
  bool maxima_are_due_ = false;    // those of the last step are still on the device
  bool terms_are_set_ = false;     // the programs of terms are on the device
  bool walls_are_driven_ = false;  // velocities of walls and boxes of bodies are on the device
  std::int32_t bodies_ = 0;
  std::int64_t rebuilds_ = 0;
};

}  // namespace eddyline::sph
