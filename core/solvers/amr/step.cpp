#include "solvers/amr/step.hpp"

#include <array>
#include <cmath>

#include "comm/collectives.hpp"

namespace eddyline::amr {

using patches::Layout;

Step::Step(State& state, const std::string& instructions)
    : state_(state),
      kernels_(
          physics::wave::kernels(instructions, static_cast<int>(state.options().order), state.world().dimensions)) {
  const auto& patches = state.layout().patches();
  for (std::size_t k = 0; k < patches.size(); ++k)
    (patches[k].needs_others ? fringe_ : interior_).push_back(static_cast<std::int32_t>(k));
}

solver::Outcome Step::advance(bool stop) {
  const double dt = state_.time_step();
  state_.timers.start();
  stage(State::begin, State::second, 0.5 * dt);
  stage(State::second, State::third, 0.5 * dt);
  stage(State::third, State::fourth, dt);
  stage(State::fourth, State::end, dt / 6);
  state_.end_step();
  ++state_.steps;
  state_.time = static_cast<double>(state_.steps) * dt;

  std::array<double, 2> flags{is_finite() ? 0.0 : 1.0, stop ? 1.0 : 0.0};
  state_.timers.lap(Phase::integrate);
  comm::maximum(state_.communicator(), flags, "step");
  state_.timers.lap(Phase::wait);
  return {.good = flags[0] == 0, .stop = flags[1] != 0};
}

/// Patches in the interior of this rank are computed while the ghosts of the others travel.
void Step::stage(State::Slot from, State::Slot to, double weight) {
  const Layout::Views views = state_.layout().views(state_.fields(from).u.data(), state_.foreign().u.data());
  state_.halo().start(views.field());
  state_.timers.lap(Phase::pack);
  compute(interior_, from, to, weight);
  state_.timers.lap(Phase::rates);
  state_.halo().finish(views.field());
  state_.timers.lap(Phase::wait);
  compute(fringe_, from, to, weight);
  state_.timers.lap(Phase::fringe);
}

void Step::compute(const std::vector<std::int32_t>& patches, State::Slot from, State::Slot to, double weight) {
  const Layout& layout = state_.layout();
  const patches::Values u{state_.fields(from).u.data(), state_.foreign().u.data()};
  const auto count = static_cast<std::int64_t>(patches.size());
#pragma omp parallel
  {
    std::vector<double> scratch(layout.scratch_size());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const auto number = static_cast<std::size_t>(patches[static_cast<std::size_t>(k)]);
      const Layout::Patch& patch = layout.patches()[number];
      layout.fill(patch, u, scratch.data());
      const grid::IndexBox grown = patch.cells.grown(layout.ghosts(), layout.dimensions());
      const auto own = [&](State::Slot slot) {
        State::Fields& fields = state_.fields(slot);
        return physics::wave::Fields{fields.u.data() + patch.first, fields.p.data() + patch.first};
      };
      physics::wave::Stage s;
      for (std::size_t d = 0; d < 3; ++d) s.count[d] = patch.cells.count(d);
      s.u = scratch.data() + grown.index(patch.cells.lower);
      s.stride = {1, grown.count(0), static_cast<std::ptrdiff_t>(grown.count(0)) * grown.count(1)};
      s.p = own(from).p;
      s.weight = weight;
      s.stiffness = std::pow(state_.options().wave_speed / state_.spacing(), 2);
      s.first = own(State::begin), s.second = own(State::second), s.third = own(State::third),
      s.fourth = own(State::fourth);
      s.u_to = state_.fields(to).u.data() + patch.first;
      s.p_to = state_.fields(to).p.data() + patch.first;
      (to == State::end ? kernels_.finish : kernels_.advance)(s);
    }
  }
}

bool Step::is_finite() const {
  const State::Fields& now = state_.fields(State::begin);
  const auto n = static_cast<std::int64_t>(now.u.size());
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    finite = finite && std::isfinite(now.u[k]) && std::isfinite(now.p[k]);
  }
  return finite;
}

}  // namespace eddyline::amr
