#include "solvers/sph/step/classic/classic_openings.hpp"

#include "solvers/sph/openings/add_reactions.hpp"

namespace eddyline::sph {

template <class T, int D>
void ClassicOpenings<T, D>::extrapolate(const SweepInput& in, double t, double dt, bool at_rest) {
  this->sum_nodes(this->for_nodes(in), sweeps_.nodes);
  this->evaluate(t, dt, at_rest);

  const auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  for_each_member(k_formulas, [&](std::size_t, std::size_t i) {
    std::array<double, D> unused;
    this->set_density(i, t, unused);
    const auto v = velocity_of(i);
    const auto row = scratch_.end_rows.row(domain_.fluid_rows.row_of(i));
    for (int d = 0; d < D; ++d) row[D + d] = static_cast<T>(v[static_cast<std::size_t>(d)] * c.inverse_c0);
    row[2 * D] = static_cast<T>(fluid.mass[i] * c.inverse_mass);
    row[2 * D + 1] = static_cast<T>(1 + fluid.s[i]);
    row[2 * D + 2] = static_cast<T>(c.state.pressure(fluid.s[i], 0));
    row[2 * D + 3] = static_cast<T>(c.state.sound_speed(fluid.s[i], 0));
  });
}

template <class T, int D>
void ClassicOpenings<T, D>::react(SweepInput in, physics::classic::Terms terms) {
  if (state_.openings.empty()) return;
  for (auto& opening : state_.openings.all()) opening.force = {};
  const std::size_t chunks = lists_.buffer_free.chunks().size(), whole = chunks * neighbors::k_chunk;
  no_walls_.assign(chunks, {});
  unused_.resize(4 * whole);
  for (int d = 0; d < D; ++d) force_[d].resize(whole), drift_[d].resize(whole);
  T* const other = unused_.data();
  physics::classic::RateResults<T, D> out{other, other + whole, {}, {}, other + 2 * whole, other + 3 * whole};
  for (int d = 0; d < D; ++d) out.force[d] = force_[d].data(), out.drift[d] = drift_[d].data();
  in.targets = lists_.buffer_free.targets();
  in.fluid_neighbors = lists_.buffer_free.chunks().data();
  in.wall_neighbors = no_walls_.data();
  sweeps_.rates[terms.index()](in, out, 0, static_cast<std::int64_t>(chunks));

  const auto& c = state_.constants;
  const auto& fluid = state_.fluid;
  const double acceleration = c.rate * c.c0 * c.kernel;
  add_reactions(state_, domain_.fluid_rows.owned(), force_,
                [&](std::size_t i) { return -fluid.mass[i] * acceleration; });
}

template <class T, int D>
void ClassicOpenings<T, D>::discard_rates() {
  auto& sums = *state_.fluid.classic;
  for_each_member(k_light, [&](std::size_t, std::size_t i) {
    sums.s_rate_old[i] = sums.u_rate_old[i] = scratch_.classic.closing()[i] = T(0);
    for (int d = 0; d < D; ++d) sums.v_rate_old[d][i] = T(0);
  });
  this->enforce_jet_cohesion(sums.s_rate_old.data());
}

template <class T, int D>
void ClassicOpenings<T, D>::find_ends(double dt) {
  end_.resize(state_.openings.members().size());
  for_each_member(k_light, [&](std::size_t m, std::size_t i) {
    const int axis = axis_of(i);
    end_[m] = state_.fluid.x[axis][i] + dt * state_.fluid.v[axis][i];
  });
}

template <class T, int D>
void ClassicOpenings<T, D>::hold() {
  auto& fluid = state_.fluid;
  for_each_member(k_light, [&](std::size_t m, std::size_t i) {
    const int axis = axis_of(i);
    for (int d = 0; d < D; ++d) {
      fluid.x[d][i] = d == axis ? end_[m] : lists_.member_places[d][m];
      fluid.classic->v_rate[d][i] = T(0);
    }
    const auto v = velocity_of(i);
    for (int d = 0; d < D; ++d) fluid.v[d][i] = v[static_cast<std::size_t>(d)];
  });
}

template class ClassicOpenings<float, 2>;
template class ClassicOpenings<float, 3>;
template class ClassicOpenings<double, 2>;
template class ClassicOpenings<double, 3>;

}  // namespace eddyline::sph
