#include "solvers/sph/openings/opening_step.hpp"

#include <algorithm>
#include <cmath>

#include "particles/id.hpp"
#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::sph {

using particles::k_node_reach;
using physics::LinearFit;
using physics::LinearFitSums;

namespace {

constexpr double k_fit = 2e-7;  // approximate time of one fit [s]

}  // namespace

template <class T, int D>
OpeningStep<T, D>::OpeningStep(Parts<T, D>& parts)
    : state_(parts.state),
      scratch_(parts.scratch),
      domain_(parts.domain),
      lists_(parts.lists),
      fits_(parts.domain.communicator(), parts.domain.tags.take("fits"), parts.state.openings.nodes()),
      rules_(parts.state.world, parts.state.constants, parts.state.openings, fits_, parts.domain.communicator()) {
  share_out();
}

template <class T, int D>
void OpeningStep<T, D>::share_out() {
  shared_ = domain_.balance.times();
  fits_.share_out(state_.openings, domain_.layout().grid(), domain_.partition(), domain_.lazy.depth());
}

template <class T, int D>
void OpeningStep<T, D>::set_allowed_depths(domain::Contact& contact) const {
  std::size_t inflow = 0;
  for (const auto& opening : state_.openings.all())
    if (opening.world.inflow && !opening.world.stream) contact.set_allowed_depth(inflow++, opening.allowed_depth);
}

template <class T, int D>
void OpeningStep<T, D>::put_midpoint_places(neighbors::PairData<T>& rows, double dt, bool at_rest) {
  auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  set_inflow_velocities(state_.time + 0.5 * dt, at_rest);
  for_each_member(k_light, [&](std::size_t, std::size_t i) {
    const int axis = axis_of(i);
    const auto v = velocity_of(i);
    const auto row = rows.row(domain_.fluid_rows.row_of(i));
    for (int d = 0; d < D; ++d) {
      fluid.v[d][i] = v[static_cast<std::size_t>(d)];
      const double ahead = d == axis ? 0.5 * dt * fluid.v[d][i] : 0.0;
      rows.put_fixed(row.first + d, c.fixed.wrapped(fluid.x[d][i] + ahead));
      row[D + d] = static_cast<T>(fluid.v[d][i] * c.inverse_c0);
    }
  });
}

template <class T, int D>
void OpeningStep<T, D>::evaluate(double t, double dt, bool at_rest) {
  fit_nodes();
  rules_.measure_sound(dt);
  set_inflow_velocities(t, at_rest);
  if (takes_forces()) sum_forces_on_bodies();
  rules_.apply(t, dt, at_rest);
}

template <class T, int D>
void OpeningStep<T, D>::set_density(std::size_t i, double t, std::array<double, D>& G) {
  auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  const double p_unit = c.rho0 * c.c0 * c.c0;
  const auto& opening = state_.openings.all()[fluid.buffer[i] - 1u];
  const auto& sites = opening.sites;
  const Vec3 x = vector_of(fluid.x, i);
  double p = 0;
  G = {};
  if (!opening.world.inflow || opening.world.pressure_imposed)
    p = opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t}) / p_unit;
  if (!opening.world.inflow) {
    p += (opening.pressure + sites.depth(x) * opening.slope) / p_unit;
  } else if (!opening.world.pressure_imposed) {
    p = reflected(opening, particles::site_of_opening_id(fluid.id[i]), sites.depth(x), G);
  }
  fluid.s[i] = c.state.density_excess(p);
  if (opening.world.inflow) fluid.mass[i] = c.rho0 * (1 + fluid.s[i]) * c.volume;
}

/// Sums forces over this rank's walls. There are none yet at the start.
template <class T, int D>
void OpeningStep<T, D>::sum_forces_on_bodies() {
  const auto& c = state_.constants;
  const double unit = c.rho0 * c.volume * c.rate * c.c0 * c.kernel;
  auto& far_field = state_.openings.far_field();
  far_field.clear_forces(state_.world.bodies.size());
  const auto n = static_cast<std::size_t>(domain_.wall_rows.owned());
  if (scratch_.pressure_reaction[0].size() < n) return;
  for (std::size_t k = 0; k < n; ++k) {
    if (state_.wall.owner[k] < 0) continue;
    for (int d = 0; d < D; ++d)
      far_field.add_force(state_.wall.owner[k], d,
                          unit * (static_cast<double>(scratch_.pressure_reaction[d][k]) +
                                  static_cast<double>(scratch_.viscous_reaction[d][k])));
  }
}

/// Sets the velocities at the sites of inflows. The part along the normal never points out of the flow, except in a
/// stream, to which the far field of the bodies is added.
template <class T, int D>
void OpeningStep<T, D>::set_inflow_velocities(double t, bool at_rest) {
  for (auto& opening : state_.openings.all()) {
    if (!opening.world.inflow) continue;
    const auto& sites = opening.sites;
    const std::int64_t n = sites.sites();
#pragma omp parallel for schedule(static) if (pays_in_parallel(n, k_formulas))
    for (std::int64_t k = 0; k < n; ++k) {
      auto& v = opening.velocity[static_cast<std::size_t>(k)];
      const Vec3 x = sites.site(k);
      for (std::size_t d = 0; d < D; ++d)
        v[d] = at_rest ? 0 : opening.pace * opening.world.velocity[d].evaluate(std::array{x.x, x.y, x.z, t});
      if (opening.world.stream) {
        const auto caused = at_rest ? std::array<double, D>{} : state_.openings.far_field().velocity(x);
        for (std::size_t d = 0; d < D; ++d) v[d] += opening.pace * caused[d];
        if (!at_rest) let_sound_out(opening, k);
        continue;
      }
      auto& normal = v[static_cast<std::size_t>(sites.axis)];
      normal = sites.inward * normal < 0 ? 0.0 : normal;  // a value that is not a number stays one, for the doctor
    }
  }
}

/// Adds to the velocity of a stream at a site that of a plane sound wave which runs out, p'/(rho0 c0) outwards, so that
/// the side does not reflect it. p' is the pressure above its running mean at the site.
template <class T, int D>
void OpeningStep<T, D>::let_sound_out(Opening<D>& opening, std::int64_t site) const {
  const auto k = static_cast<std::size_t>(site);
  if (k >= opening.sound.size()) return;
  opening.velocity[k][static_cast<std::size_t>(opening.sites.axis)] -=
      opening.sites.inward * opening.sound[k].wave * state_.constants.c0;
}

template <class T, int D>
physics::NodeResults<T, D> OpeningStep<T, D>::node_results() {
  physics::NodeResults<T, D> out{};
  for (int k = 0; k < LinearFitSums<T, D>::k_values; ++k) out.value[k] = scratch_.node_sums[k].data();
  return out;
}

/// Fits the sums at the nodes of all openings.
template <class T, int D>
void OpeningStep<T, D>::fit_nodes() {
  if (shared_ != domain_.balance.times()) share_out();
  const double R = state_.constants.length.interaction_radius, radius = D == 3 ? R * R * R : R * R;
  const double wendland = 20 * physics::WendlandC2::sigma(D) * state_.constants.volume / radius;
  const double fraction = wendland / (20 * (D == 3 ? k_node_reach : 1.0) * k_node_reach * k_node_reach);
  const auto n = domain_.node_rows.computed();
#pragma omp parallel for schedule(static) if (pays_in_parallel(n, k_fit))
  for (std::int64_t k = 0; k < n; ++k) {
    std::array<double, LinearFitSums<double, D>::k_values> sums;
    for (std::size_t s = 0; s < sums.size(); ++s)
      sums[s] = static_cast<double>(scratch_.node_sums[s][static_cast<std::size_t>(k)]);
    LinearFit<D>& fit = fits_[domain_.node_number[static_cast<std::size_t>(k)]];
    fit = physics::solve_fit<D>(sums);
    fit.weight *= fraction;
    for (double& component : fit.gradient_p) component /= k_node_reach;  // divided by R again
  }
  fits_.gather();
}

/// Returns the dimensionless pressure of an inflow at depth `depth` [m] beyond site `site`, and its gradient: the even
/// reflection of the fluid's pressure, interpolated between the two nodes around the mirror image.
template <class T, int D>
double OpeningStep<T, D>::reflected(const Opening<D>& opening, std::int64_t site, double depth,
                                    std::array<double, D>& gradient) const {
  const auto& sites = opening.sites;
  const double place = domain::within(depth / sites.pitch - 0.5, opening.layers - 1);
  const auto layer = std::min(static_cast<std::int32_t>(place), std::max(0, opening.layers - 2));
  const double share = place - layer;
  const std::int64_t node = opening.first_node + layer * sites.sites() + site;
  const LinearFit<D>& first = fits_[node];
  const LinearFit<D>& second = opening.layers > 1 ? fits_[node + sites.sites()] : first;
  for (std::size_t d = 0; d < D; ++d) {
    gradient[d] = (1 - share) * first.gradient_p[d] + share * second.gradient_p[d];
    if (static_cast<int>(d) == sites.axis) gradient[d] = -gradient[d];
  }
  const auto& c = state_.constants;
  return (1 - share) * first.p + share * second.p + 2 * depth * opening.slope / (c.rho0 * c.c0 * c.c0);
}

template <class T, int D>
std::array<double, D> OpeningStep<T, D>::velocity_of(std::size_t i) const {
  const auto& fluid = state_.fluid;
  return state_.openings.all()[fluid.buffer[i] - 1u].velocity_of(fluid.id[i], vector_of(fluid.x, i));
}

template <class T, int D>
void OpeningStep<T, D>::enforce_jet_cohesion(T* divergence) const {
  if (!state_.constants.free_surface) return;
  for (const auto& opening : state_.openings.all())
    if (opening.world.inflow) enforce_cohesion(opening, divergence);
}

/// The wall beside an inflow, at rest, would spread a jet into air; the jet's pressure would then fall and pull at the
/// inflow. Therefore fluid at no more than the pressure of air does not expand within R of it.
template <class T, int D>
void OpeningStep<T, D>::enforce_cohesion(const Opening<D>& opening, T* divergence) const {
  const double R = state_.constants.length.interaction_radius;
  const int axis = opening.sites.axis;
  const Vec3 lower = opening.world.lower, upper = opening.world.upper;
  const auto& fluid = state_.fluid;
  const auto is_near = [&](std::size_t i) {
    const double depth = opening.sites.inward * (fluid.x[axis][i] - lower[axis]);
    bool near = depth >= 0 && depth < R;
    for (int d = 0; d < D; ++d)
      if (d != axis) near = near && fluid.x[d][i] > lower[d] - R && fluid.x[d][i] < upper[d] + R;
    return near;
  };
  const auto n = static_cast<std::int64_t>(fluid.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (divergence[i] > T(0) && fluid.s[i] <= 0 && is_near(i)) divergence[i] = T(0);
  }
}

template class OpeningStep<float, 2>;
template class OpeningStep<float, 3>;
template class OpeningStep<double, 2>;
template class OpeningStep<double, 3>;

}  // namespace eddyline::sph
