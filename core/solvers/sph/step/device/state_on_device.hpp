#pragma once
// The state of a flow on a device, for the steps of both schemes.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/flow.hpp"
#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "solver/counters.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

using domain::Contact;
using domain::ExternalForcing;

/// Called while an exception is handled: throws it again, as a UserError if the device has failed.
[[noreturn]] void rethrow_failure(const std::string& device);

/// Tells whether a body force depends on the place.
bool force_varies(const world::World& world);

/// Makes the device that a run asks for; Scheme: device::Delta or device::Classic. Throws UserError if it is missing.
template <template <class, int> class Scheme, class T, int D>
std::unique_ptr<Scheme<T, D>> make_device(Parts<T, D>& parts);

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

/// The state of a flow on a device. The host's arrays hold it after hand_back().
template <class T, int D>
class StateOnDevice {
 public:
  StateOnDevice(const StateOnDevice&) = delete;
  StateOnDevice& operator=(const StateOnDevice&) = delete;
  virtual ~StateOnDevice() = default;

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

  void gather_midpoint_rows() { flow_->gather_midpoint_rows(); }
  // Several ranks: rows pass through the host's.
  /// Copies the rows that other ranks need to the host's rows.
  void fetch_sent(device::RowKind kind);
  /// Takes over rows of other ranks from the host's rows.
  void put_received(device::RowKind kind);

  std::string name() const { return flow_->name(); }
  void count(solver::Counters& counters) const;

 protected:
  /// Throws UserError if the device has too little memory.
  StateOnDevice(Parts<T, D>& parts, const Contact& contact, const ExternalForcing<D>& forcing,
                std::unique_ptr<device::Flow<T, D>> flow);

  /// The fluid's arrays, with those of the scheme.
  virtual device::HostFluid<T, D> host_fluid();
  virtual device::HostWalls<T> host_walls();
  virtual neighbors::PairData<T>& rows_of_kind(device::RowKind kind) = 0;
  /// Uploads what the scheme needs besides fluid and walls.
  virtual void upload_further() {}
  /// The sides at which the host decides about particles.
  virtual device::HostSides sides() { return {}; }
  virtual void adopt(const device::StepMaxima& maxima) = 0;

  /// The maxima of the last step are on the device, and are collected when they are needed.
  void collect_maxima();
  /// Velocities of walls, if they have changed, and the acceleration of the fluid there [m/s^2]: `even`, or
  /// of(k, x) at dummy particle k if that is null.
  device::WallDrive<T, D> drive_walls(const Vec3* even, const std::function<Vec3(std::size_t, const Vec3&)>& of);
  /// Uploads body forces and the bounding boxes of bodies, if they have changed.
  void set_forces_and_bodies();

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  const Contact& contact_;
  const ExternalForcing<D>& forcing_;
  std::unique_ptr<device::Flow<T, D>> flow_;
  std::vector<std::int32_t> moving_;  // dummy particles of bodies that move
  std::int32_t bodies_ = 0;
  bool maxima_are_due_ = false;  // those of the last step are still on the device

 private:
  void check_memory() const;
  void copy_state();
  void upload_walls();
  void build_lists();
  device::Travellers find_travellers(const exchange::Halo& halo) const;

  device::Travellers fluid_travels_, walls_travel_;
  std::vector<T> cargo_;           // rows that travel, side by side
  bool has_state_ = false;         // the device has the state,
  bool host_has_state_ = true;     // and so has the host,
  bool host_has_order_ = true;     // with the order of particles,
  bool host_has_lists_ = true;     // and with lists
  bool walls_are_driven_ = false;  // velocities of walls are on the device,
  bool bodies_are_set_ = false;    // and boxes of bodies
  std::int64_t rebuilds_ = 0;
};

}  // namespace eddyline::sph
