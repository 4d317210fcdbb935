#include "solvers/amr/step.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/parallel_for.hpp"
#include "comm/collectives.hpp"

namespace eddyline::amr {

using patches::Levels;
using patches::Slot;

void Step::sort_patches() {
  const Levels& levels = state_.levels();
  if (changes_ == levels.changes()) return;
  changes_ = levels.changes();
  interior_.assign(static_cast<std::size_t>(levels.size()), {});
  fringe_ = interior_;
  for (const State::Patch& patch : state_.patches())
    (patch.on_level->needs_others ? fringe_ : interior_)[static_cast<std::size_t>(patch.level)].push_back(patch);
  batches_.clear();
  for (const auto& fringe : fringe_) batches_.push_back(batches_of(fringe));
}

/// Whole parcels, in the order in which they leave. A rank computes the patches of a parcel one after the other.
std::vector<Step::Batch> Step::batches_of(const std::vector<State::Patch>& fringe) const {
  std::vector<Batch> batches;
  if (!state_.levels().has_parcels()) return batches;
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  for (const State::Patch& patch : fringe) {
    const patches::Layout& layout = state_.levels()[patch.level].layout;
    const std::size_t number = layout.number_of(*patch.on_level);
    const auto parcel = std::uint32_t{1} << static_cast<unsigned>(layout.parcel(number));
    if (batches.empty() || (batches.back().patches.size() >= threads && (batches.back().sent & parcel) == 0))
      batches.emplace_back();
    Batch& batch = batches.back();
    batch.patches.push_back(patch);
    batch.needed |= layout.ghosts_of_patches().parcels(number);
    batch.sent |= parcel;
  }
  return batches;
}

/// True if the state that a stage gives is the next one whose ghosts travel: no finer level changes it before.
bool Step::is_sent_ahead(const Substep& step, int number) const {
  if (number < 3) return true;
  return step.level + 1 == state_.levels().size() && state_.potential() == nullptr;
}

solver::Outcome Step::advance(bool stop) {
  const double dt = state_.time_step(), time = state_.time;
  state_.timers.start();
  sort_patches();
  advance_level({0, 0, time, dt});
  ++state_.steps;
  const bool is_constant = state_.equations().has_constant_speed();
  state_.time = is_constant ? static_cast<double>(state_.steps) * dt : time + dt;

  const physics::Inspection found = state_.inspect();
  std::array<double, 3> agreed{found.good ? 0.0 : 1.0, stop ? 1.0 : 0.0, found.speed};
  state_.timers.lap(Phase::integrate);
  comm::maximum(state_.communicator(), agreed, "step");
  state_.levels().receive_ahead(0);
  if (!is_constant && agreed[0] == 0) state_.set_speed(agreed[2]);
  state_.timers.lap(Phase::wait);
  if (agreed[0] == 0 && state_.is_adaptive() && state_.steps % state_.options().regrid_every == 0) {
    state_.adapt();
    state_.timers.lap(Phase::sort);
  }
  if (agreed[0] == 0 && state_.potential() != nullptr) {
    state_.satisfy_constraint(dt);
    state_.timers.lap(Phase::integrate);
  }
  return {.good = agreed[0] == 0, .stop = agreed[1] != 0};
}

void Step::advance_level(const Substep& step) {
  Levels& levels = state_.levels();
  for (int number = 0; number < 4; ++number) stage(step, number);
  cell_steps_ += levels[step.level].layout.cells();
  if (const int finer = step.level + 1; finer < levels.size()) {
    const double half = 0.5 * step.time_step;
    levels.prepare(finer, step.time, step.time_step);
    state_.timers.lap(Phase::integrate);
    advance_level({finer, 0, step.time, half});
    advance_level({finer, 1, step.time + half, half});
    levels.restrict_to_coarser(finer, step.time + step.time_step, state_.spacing(step.level));
    state_.timers.lap(Phase::integrate);
  }
  levels.end_step(step.level);
}

/// Parcels leave as soon as their patches have been computed, and patches are computed as soon as theirs are there.
/// Patches in the interior fill the gaps.
void Step::stage_by_parcels(const Substep& step, int number) {
  Levels& levels = state_.levels();
  const int level = step.level;
  const auto next = static_cast<Slot>(number + 1);
  const bool ahead = is_sent_ahead(step, number), all = number == 3 && level > 0 && step.number == 1;
  levels.start(level, static_cast<Slot>(number));
  state_.timers.lap(Phase::pack);
  std::span<const State::Patch> interior = interior_[static_cast<std::size_t>(level)];
  const auto compute_interior = [&](std::size_t most) {
    const std::size_t count = std::min(most, interior.size());
    compute(interior.first(count), step, number);
    interior = interior.subspan(count);
    state_.timers.lap(Phase::rates);
  };
  std::vector<const Batch*> left;
  for (const Batch& batch : batches_[static_cast<std::size_t>(level)]) left.push_back(&batch);
  while (!left.empty()) {
    auto ready = std::ranges::find_if(left, [&](const Batch* batch) { return levels.arrived(level, batch->needed); });
    state_.timers.lap(Phase::wait);
    if (ready == left.end() && !interior.empty()) {
      compute_interior(static_cast<std::size_t>(omp_get_max_threads()));
      continue;
    }
    if (ready == left.end()) {
      ready = left.begin();
      levels.wait(level, (*ready)->needed);
      state_.timers.lap(Phase::wait);
    }
    compute((*ready)->patches, step, number);
    state_.timers.lap(Phase::fringe);
    if (ahead) levels.send_ahead(level, (*ready)->sent, next, all);
    left.erase(ready);
    state_.timers.lap(Phase::pack);
  }
  compute_interior(interior.size());
  levels.finish(level);
  state_.timers.lap(Phase::wait);
  if (ahead) levels.send_rest(level, next, all);
  state_.timers.lap(Phase::pack);
}

/// Patches in the interior of this rank are computed while the ghosts of the others travel.
void Step::stage(const Substep& step, int number) {
  Levels& levels = state_.levels();
  if (levels.has_parcels()) return stage_by_parcels(step, number);
  levels.start(step.level, static_cast<Slot>(number));
  state_.timers.lap(Phase::pack);
  compute(interior_[static_cast<std::size_t>(step.level)], step, number);
  state_.timers.lap(Phase::rates);
  levels.finish(step.level);
  state_.timers.lap(Phase::wait);
  compute(fringe_[static_cast<std::size_t>(step.level)], step, number);
  state_.timers.lap(Phase::fringe);
}

/// Memory for the fluxes of a patch.
void Step::give_memory(std::array<std::vector<double>, 3>& fluxes, const grid::IndexBox& cells,
                       physics::Stage& stage) const {
  for (std::size_t d = 0; d < static_cast<std::size_t>(state_.world().dimensions); ++d) {
    grid::IndexBox faces = cells;
    ++faces.upper[d];
    const std::size_t size = state_.equations().fields().size() * static_cast<std::size_t>(faces.cells());
    fluxes[d].resize(std::max(fluxes[d].size(), size));
    stage.fluxes[d] = fluxes[d].data();
  }
}

void Step::compute(std::span<const State::Patch> patches, const Substep& step, int number) {
  constexpr std::array k_slots{patches::begin, patches::second, patches::third, patches::fourth};
  const double dt = step.time_step;
  const auto of_stage = static_cast<std::size_t>(number);
  const double weight = std::array{0.5 * dt, 0.5 * dt, dt, dt / 6}[of_stage],
               time = step.time + std::array{0.0, 0.5 * dt, 0.5 * dt, dt}[of_stage];
  const double signal = state_.equations().signal(time);
  const patches::StateWeights weights = patches::weights_of_stage(step.number, number);
  const auto count = static_cast<std::int64_t>(patches.size());
  while (memory_.size() < static_cast<std::size_t>(omp_get_max_threads())) memory_.emplace_back(state_);
#pragma omp parallel
  {
    auto& [scratch, fluxes] = memory_[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const State::Patch& patch = patches[static_cast<std::size_t>(k)];
      std::array<std::vector<const double*>, k_slots.size()> values;
      physics::Stage s;
      s.place = state_.place(patch.level, patch.cells());
      s.time = time;
      s.in = scratch.fill(patch, k_slots[of_stage], weights, time);
      s.weight = weight;
      s.solid = state_.solid(patch);
      s.coefficients = state_.coefficients(patch);
      s.signal = signal;
      s.last = number == 3;
      for (std::size_t slot = 0; slot < k_slots.size(); ++slot) {
        values[slot] = std::as_const(state_).values_of(patch, k_slots[slot]);
        s.slots[slot] = values[slot].data();
      }
      const std::vector<double*> to = state_.values_of(patch, static_cast<Slot>(number + 1));
      s.to = to.data();
      const bool needs_fluxes = state_.levels().needs_fluxes(patch.level, *patch.on_level);
      if (needs_fluxes) give_memory(fluxes, patch.cells(), s);
      state_.equations().advance(s);
      if (needs_fluxes)
        state_.levels().add_fluxes(patch.level, *patch.on_level, {s.fluxes[0], s.fluxes[1], s.fluxes[2]},
                                   std::array{dt / 6, dt / 3, dt / 3, dt / 6}[of_stage]);
    }
  }
}

}  // namespace eddyline::amr
