#include "solvers/sph/step/delta/delta_openings.hpp"

#include "physics/state_equations/linear.hpp"
#include "solvers/sph/sweep_input.hpp"

namespace eddyline::sph {

using physics::StateEquationLinear;

template <class T, int D>
DeltaOpenings<T, D>::DeltaOpenings(Parts<T, D>& parts)
    : Base(parts),
      reactions_(parts),
      sweeps_(physics::delta::choose_sweeps<T, D>(parts.domain.execution().instructions)) {}

template <class T, int D>
void DeltaOpenings<T, D>::write_midpoint_rows(double dt, bool at_rest) {
  this->put_midpoint_places(scratch_.midpoint_rows, dt, at_rest);
  for_each_member(k_light, [&](std::size_t, std::size_t i) {
    const auto row = scratch_.midpoint_rows.row(domain_.fluid_rows.row_of(i));
    for (int d = 0; d < D; ++d) row[2 * D + 2 + d] = state_.fluid.half_g[d][i];
  });
}

template <class T, int D>
void DeltaOpenings<T, D>::align_particle_columns() {
  auto& fluid = state_.fluid;
  for_each_member(k_light, [&](std::size_t m, std::size_t i) {
    const int axis = axis_of(i);
    T* x_row = scratch_.end_rows.row(domain_.fluid_rows.row_of(i)).first;
    for (int d = 0; d < D; ++d) {
      if (d == axis) continue;
      fluid.x[d][i] = lists_.member_places[d][m];
      scratch_.end_rows.put_fixed(x_row + d, state_.constants.fixed.wrapped(fluid.x[d][i]));
    }
  });
}

template <class T, int D>
void DeltaOpenings<T, D>::extrapolate(double t, double dt, bool at_rest) {
  const auto in = this->for_nodes(sweep_input(state_, domain_, scratch_));
  if (!sum_nodes_ || !sum_nodes_(in, this->node_results().value)) this->sum_nodes(in, sweeps_.nodes);
  this->evaluate(t, dt, at_rest);

  const auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  gradient_.resize(state_.openings.members().size());
  for_each_member(k_formulas, [&](std::size_t m, std::size_t i) {
    this->set_density(i, t, gradient_[m]);
    const auto v = velocity_of(i);
    const auto row = scratch_.end_rows.row(domain_.fluid_rows.row_of(i));
    row[D] = static_cast<T>(StateEquationLinear::pressure(fluid.s[i]));
    row[D + 1] = static_cast<T>(fluid.mass[i] * c.inverse_mass / (1 + fluid.s[i]));
    for (int d = 0; d < D; ++d) row[D + 2 + d] = static_cast<T>(v[static_cast<std::size_t>(d)] * c.inverse_c0);
  });
}

template <class T, int D>
void DeltaOpenings<T, D>::discard_rates() {
  for_each_member(k_light, [&](std::size_t, std::size_t i) {
    scratch_.delta.divergence()[i] = scratch_.delta.diffusion()[i] = T(0);
    for (int d = 0; d < D; ++d) scratch_.delta.viscous(d)[i] = T(0);
  });
  this->enforce_jet_cohesion(scratch_.delta.divergence());
}

template <class T, int D>
void DeltaOpenings<T, D>::discard_forces() {
  for_each_member(k_light, [&](std::size_t, std::size_t i) {
    for (int d = 0; d < D; ++d) scratch_.delta.pressure_force(d)[i] = scratch_.delta.shift(d)[i] = T(0);
  });
}

template <class T, int D>
void DeltaOpenings<T, D>::hold() {
  auto& fluid = state_.fluid;
  for_each_member(k_light, [&](std::size_t m, std::size_t i) {
    const auto v = velocity_of(i);
    for (int d = 0; d < D; ++d) {
      fluid.v[d][i] = v[static_cast<std::size_t>(d)];
      fluid.a[d][i] = 0;
      T& half_g = fluid.half_g[d][i];
      const T half = static_cast<T>(0.5 * state_.constants.scale * gradient_[m][static_cast<std::size_t>(d)]);
      half_g = fluid.confined ? pack_halves(half, lower_half(Pack<T, 1>(half_g)).v) : half;
    }
  });
}

template class DeltaOpenings<float, 2>;
template class DeltaOpenings<float, 3>;
template class DeltaOpenings<double, 2>;
template class DeltaOpenings<double, 3>;

}  // namespace eddyline::sph
