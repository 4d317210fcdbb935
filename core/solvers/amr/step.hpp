#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/clock.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Advances the equations by the classical Runge-Kutta method: each level takes two steps for one of the next coarser
/// level. `state` must outlive it.
class Step {
 public:
  explicit Step(State& state) : state_(state) {}

  /// One time step of the coarsest level. Collective.
  solver::Outcome advance(bool stop);
  /// Steps of single cells so far, on this rank.
  std::int64_t cell_steps() const { return cell_steps_; }

 private:
  /// The step of a level within one of the coarser level.
  struct Substep {
    int level, number;  // 0 or 1
    double time, time_step;
  };

  void advance_level(const Substep& step);
  void stage(const Substep& step, int number);
  void stage_by_parcels(const Substep& step, int number);
  void compute(std::span<const State::Patch> patches, const Substep& step, int number);
  void sort_patches();
  bool is_sent_ahead(const Substep& step, int number) const;
  void give_memory(std::array<std::vector<double>, 3>& fluxes, const grid::IndexBox& cells,
                   physics::Stage& stage) const;

  /// Patches with cells of other ranks around them that are computed together, so that all threads have work.
  struct Batch {
    std::vector<State::Patch> patches;
    std::uint32_t needed = 0, sent = 0;  // parcels, see patches::Parcels
  };
  /// Memory that a thread keeps between stages.
  struct Memory {
    explicit Memory(const State& state) : scratch(state) {}
    State::Scratch scratch;
    std::array<std::vector<double>, 3> fluxes;
  };
  std::vector<Batch> batches_of(const std::vector<State::Patch>& fringe) const;

  State& state_;
  /// Patches of each level without and with cells of other ranks around them.
  std::vector<std::vector<State::Patch>> interior_, fringe_;
  std::vector<std::vector<Batch>> batches_;
  std::vector<Memory> memory_;  // by thread
  std::int64_t changes_ = -1;   // of the patches when they were sorted
  std::int64_t cell_steps_ = 0;
};

}  // namespace eddyline::amr
