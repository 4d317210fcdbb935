#pragma once

#include "integrate/classic_kick.hpp"
#include "integrate/contact.hpp"
#include "integrate/dry_walls.hpp"
#include "integrate/flow.hpp"
#include "integrate/surroundings.hpp"
#include "physics/classic/sweeps.hpp"

namespace eddyline::integrate {

/// Advances a flow in time by the scheme classic: predictor and corrector with one evaluation a step, half way. Total
/// energy (kinetic, potential, thermal) and momentum are conserved to the rounding of the pair sums.
template <class T, int D>
class ClassicStep {
 public:
  explicit ClassicStep(Flow<T, D>& flow);

  /// Rates of the start, so that the first step can predict.
  void start();
  /// One time step. `reactions`: also sum the forces on every wall particle (observers ask for them).
  void advance(bool reactions);
  /// The rows are those of the state, for who counts pairs; of ghosts only within this rank.
  void show_state();
  /// No step follows; nothing is on its way.
  void end() {}
  /// Takes up what Flow::change() has changed. Bodies rest in this scheme.
  void world_changed();
  /// The next time step, from the largest values of the last one.
  double choose_time_step() const;

  /// The lengths of the last two steps. `part`: on the root; nothing on others. Collective.
  void save(ArchiveWriter& archive) const;
  void restore(const ArchiveReader* part);

  /// Rate of the damping v' = -rate v while a start settles [1/s]; 0: none.
  double damping = 0;

 private:
  Prediction prediction_of(double dt) const;
  void rebuild(bool by_expected_places);
  void put_sentinels();
  Prediction predict_half();
  bool reach_middle(const Prediction& prediction, double skin);
  void extrapolate_to_walls(double t);
  void sum_rates();
  void react();
  void correct(const Prediction& prediction);
  physics::classic::SweepInput<T> input() const;
  void gather(exchange::Halo& halo, neighbors::PairData<T>& rows);

  Flow<T, D>& flow_;
  Contact contact_;
  Surroundings<D> surroundings_;
  DryWalls dry_walls_;
  ClassicKick<T, D> kick_;
  physics::classic::Sweeps<T, D> sweeps_;
  physics::classic::Terms terms_;
  bool rows_show_state_ = false;
  double last_step_ = 0, step_before_ = 0;  // [s]
};

}  // namespace eddyline::integrate
