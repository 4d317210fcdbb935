#pragma once

#include <memory>
#include <string>

#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "physics/classic/sweeps.hpp"
#include "solver/counters.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/classic/classic_on_device.hpp"
#include "solvers/sph/step/classic/classic_openings.hpp"
#include "solvers/sph/step/classic/classic_update.hpp"
#include "solvers/sph/step/control_point.hpp"
#include "solvers/sph/step/inactive_walls.hpp"

namespace eddyline::sph {

using domain::Contact;
using domain::ExternalForcing;

/// Advances a flow in time by the scheme classic: predictor and corrector with one evaluation a step, at the midpoint.
/// Total energy (kinetic, potential, thermal) and momentum are conserved to the rounding of the pair sums.
template <class T, int D>
class ClassicStep {
 public:
  explicit ClassicStep(Parts<T, D>& parts);

  /// Computes the rates at the start, from which the first step predicts.
  void start();
  /// Advances by one time step. `reactions`: also sum the forces on every wall particle (observers ask for them).
  void advance(bool reactions);
  /// Copies the state from the device, if there is one, to the host's arrays. Everything that reads or changes them
  /// between two steps calls this first.
  void hand_back() const {
    if (device_) device_->hand_back();
  }
  /// Name of the device that computes: cpu, or as ClassicOnDevice gives it.
  std::string device() const { return device_ ? device_->name() : "cpu"; }
  /// Adds counts of the device, if there is one.
  void count(solver::Counters& counters) const {
    if (device_) device_->count(counters);
  }
  /// Writes rows of the state, which counts of pairs need; ghosts within this rank only.
  void write_state_rows();
  /// Ends the run. Nothing is under way in this scheme.
  void end() {}
  /// Adopts the changes of Parts::change(). Bodies rest in this scheme.
  void world_changed();
  /// Returns the next time step, from the largest values of the last one.
  double choose_time_step() const;
  /// Combines the results of the last step over all ranks, at once. Collective.
  void agree() {
    hand_back();
    control_point_.agree();
  }

  /// The lengths of the last two steps. `part`: given on the root, null on other ranks. Collective.
  void save(ArchiveWriter& archive) const;
  void restore(const ArchiveReader* part);

  /// Rate of the damping v' = -rate v while a start settles [1/s]; 0: none.
  double damping = 0;

 private:
  MidpointPrediction prediction_of(double dt) const;
  void rebuild(bool by_expected_places);
  void put_sentinels();
  MidpointPrediction predict_midpoint();
  bool prepare_midpoint(const MidpointPrediction& prediction, double skin);
  void extrapolate_to_walls(double t);
  void react();
  void extrapolate_to_openings(double t, double dt);
  void sum_rates();
  void correct(const MidpointPrediction& prediction);
  physics::classic::SweepInput<T> input() const;
  StepPath<T> path() const;
  void gather(exchange::Halo& halo, neighbors::PairData<T>& rows, device::RowKind kind);
  /// True if the device has the state. The host computes the start, and then hands it over.
  bool device_is_in_use() const { return device_ && device_->has_state(); }

  Parts<T, D>& parts_;
  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  Contact contact_;
  ClassicOpenings<T, D> openings_;
  ExternalForcing<D> forcing_;
  InactiveWalls inactive_walls_;
  ClassicUpdate<T, D> update_;
  std::unique_ptr<ClassicOnDevice<T, D>> device_;  // null: the host computes
  physics::classic::Sweeps<T, D> sweeps_;
  physics::classic::Terms terms_;
  ControlPoint<T, D> control_point_;
  bool rows_hold_state_ = false;
  double last_step_ = 0, step_before_ = 0;  // [s]
};

}  // namespace eddyline::sph
