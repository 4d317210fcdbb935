#include "solvers/amr/step.hpp"

#include <array>

#include "comm/collectives.hpp"

namespace eddyline::amr {

using patches::Layout;

Step::Step(State& state) : state_(state) {
  const auto& patches = state.layout().patches();
  for (std::size_t k = 0; k < patches.size(); ++k)
    (patches[k].needs_others ? fringe_ : interior_).push_back(static_cast<std::int32_t>(k));
}

solver::Outcome Step::advance(bool stop) {
  const double dt = state_.time_step(), time = state_.time;
  state_.timers.start();
  stage(State::begin, State::second, 0.5 * dt, time);
  stage(State::second, State::third, 0.5 * dt, time + 0.5 * dt);
  stage(State::third, State::fourth, dt, time + 0.5 * dt);
  stage(State::fourth, State::end, dt / 6, time + dt);
  state_.end_step();
  ++state_.steps;
  const bool is_constant = state_.equations().has_constant_speed();
  state_.time = is_constant ? static_cast<double>(state_.steps) * dt : time + dt;

  const physics::Inspection found = state_.inspect();
  std::array<double, 3> agreed{found.good ? 0.0 : 1.0, stop ? 1.0 : 0.0, found.speed};
  state_.timers.lap(Phase::integrate);
  comm::maximum(state_.communicator(), agreed, "step");
  if (!is_constant && agreed[0] == 0) state_.set_speed(agreed[2]);
  state_.timers.lap(Phase::wait);
  return {.good = agreed[0] == 0, .stop = agreed[1] != 0};
}

/// Patches in the interior of this rank are computed while the ghosts of the others travel.
void Step::stage(State::Slot from, State::Slot to, double weight, double time) {
  const State::Travel travel(state_, from, false);
  state_.halo().start(travel.fields());
  state_.timers.lap(Phase::pack);
  compute(interior_, from, to, weight, time);
  state_.timers.lap(Phase::rates);
  state_.halo().finish(travel.fields());
  state_.timers.lap(Phase::wait);
  compute(fringe_, from, to, weight, time);
  state_.timers.lap(Phase::fringe);
}

void Step::compute(const std::vector<std::int32_t>& patches, State::Slot from, State::Slot to, double weight,
                   double time) {
  constexpr std::array k_slots{State::begin, State::second, State::third, State::fourth};
  const auto count = static_cast<std::int64_t>(patches.size());
#pragma omp parallel
  {
    State::Scratch scratch(state_);
    std::vector<double*> target;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const auto number = static_cast<std::size_t>(patches[static_cast<std::size_t>(k)]);
      const Layout::Patch& patch = state_.layout().patches()[number];
      std::array<std::vector<const double*>, k_slots.size()> values;
      physics::Stage s;
      s.place = state_.place(patch.cells);
      s.time = time;
      s.in = scratch.fill(patch, from, time, false);
      s.weight = weight;
      s.last = to == State::end;
      for (std::size_t slot = 0; slot < k_slots.size(); ++slot) {
        values[slot] = state_.values_of(patch, k_slots[slot]);
        s.slots[slot] = values[slot].data();
      }
      target.clear();
      for (Array<double>& field : state_.fields(to)) target.push_back(field.data() + patch.first);
      s.to = target.data();
      state_.equations().advance(s);
    }
  }
}

}  // namespace eddyline::amr
