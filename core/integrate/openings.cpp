#include "integrate/openings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "integrate/flow.hpp"
#include "particles/id.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::integrate {

using particles::k_node_reach;
using physics::LinearFit;
using physics::LinearFitSums;
using physics::StateEquationLinear;

namespace {

constexpr std::int32_t k_outflow_layers = 3, k_slope_layer = 2;
constexpr double k_least_fraction = 0.1;  // of a node's neighbourhood that is fluid, for it to count
/// Running means follow within so many passages of a sound wave through the domain: slow against all waves that fit
/// into it, so that none is reflected.
constexpr double k_passages = 10;
constexpr double k_largest_lead = 0.05;    // of the speed: fits to a curved profile are less than that too slow
constexpr double k_largest_easing = 0.05;  // of the speed: compression in a flow that counts as incompressible is less

/// The nearest of 0 ... last; what is not a number becomes 0, and the doctor finds it at the end of the step.
double within(double place, std::int32_t last) { return std::min(std::max(0.0, place), static_cast<double>(last)); }

}  // namespace

// --- membership -----------------------------------------------------------------------------------------------------

template <int D>
Openings<D>::Openings(const world::World& world) {
  for (const auto& opening : world.openings) {
    Opening<D> o;
    o.world = opening;
    o.sites = particles::opening_sites(world, opening);
    o.first_node = nodes_;
    o.layers = opening.inflow ? o.sites.columns : k_outflow_layers;
    o.velocity.assign(static_cast<std::size_t>(o.sites.sites()), {});
    nodes_ += o.layers * static_cast<std::int32_t>(o.sites.sites());
    all_.push_back(std::move(o));
  }
}

template <int D>
Vec3 Openings<D>::node(std::int32_t number) const {
  const auto after = std::upper_bound(all_.begin(), all_.end(), number,
                                      [](std::int32_t n, const Opening<D>& o) { return n < o.first_node; });
  const Opening<D>& o = *(after - 1);
  const std::int64_t local = number - o.first_node, layer = local / o.sites.sites();
  Vec3 x = o.sites.site(local % o.sites.sites());
  x[o.sites.axis] += o.sites.inward * (static_cast<double>(layer) + 0.5) * o.sites.pitch;
  return x;
}

template <int D>
void Openings<D>::pass(FluidState<D>& fluid) {
  const std::int64_t n = fluid.size();
  std::int32_t entering = 0;
  const auto count = [&](Opening<D>& opening, std::size_t i, double sign) {
    opening.mass.add(sign * fluid.mass[i]);
    for (int d = 0; d < D; ++d) opening.momentum[static_cast<std::size_t>(d)].add(sign * fluid.mass[i] * fluid.v[d][i]);
  };
  entering_.resize(0);
  for (std::int64_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Vec3 x = vector_of(fluid.x, i);
    if (fluid.buffer[i] == 0) {
      for (std::size_t o = 0; o < all_.size(); ++o) {
        auto& opening = all_[o];
        if (opening.world.inflow || !opening.sites.is_through(x)) continue;
        fluid.buffer[i] = static_cast<std::uint8_t>(o + 1);
        count(opening, i, -1);
        break;
      }
    } else {
      auto& opening = all_[fluid.buffer[i] - 1u];
      if (!opening.world.inflow || opening.sites.depth(x) > 0) continue;
      count(opening, i, 1);
      entering_.resize(static_cast<std::size_t>(entering) + 1);
      entering_[static_cast<std::size_t>(entering++)] = static_cast<std::int32_t>(i);
    }
  }
  fluid.for_each_array([&](auto& array) { array.resize(static_cast<std::size_t>(n + entering)); });
  for (std::int32_t e = 0; e < entering; ++e) {
    const auto from = static_cast<std::size_t>(entering_[static_cast<std::size_t>(e)]);
    const auto to = static_cast<std::size_t>(n + e);
    const auto& sites = all_[fluid.buffer[from] - 1u].sites;
    fluid.copy(from, to);
    fluid.id[to] += sites.columns;  // the count is the id's last part
    fluid.x[sites.axis][to] -= sites.inward * sites.length();
    fluid.buffer[from] = 0;
  }
}

template <int D>
bool Openings<D>::is_spent(const FluidState<D>& fluid, std::size_t i) const {
  if (fluid.buffer[i] == 0) return false;
  const auto& opening = all_[fluid.buffer[i] - 1u];
  return !opening.world.inflow && opening.sites.depth(vector_of(fluid.x, i)) > opening.sites.length();
}

template <int D>
void Openings<D>::find_members(const FluidState<D>& fluid) {
  std::size_t count = 0;
  for (std::int64_t i = 0; i < fluid.size(); ++i) {
    if (fluid.buffer[static_cast<std::size_t>(i)] == 0) continue;
    members_.resize(count + 1);
    members_[count++] = static_cast<std::int32_t>(i);
  }
  members_.resize(count);
}

template class Openings<2>;
template class Openings<3>;

// --- the time step --------------------------------------------------------------------------------------------------

template <class T, int D>
OpeningStep<T, D>::OpeningStep(Flow<T, D>& flow) : flow_(flow) {
  fits_.resize(static_cast<std::size_t>(flow.openings.nodes()));
}

/// Inflow at its sites. The part along the normal never points out of the flow.
template <class T, int D>
void OpeningStep<T, D>::set_inflow_velocities(double t, bool at_rest) {
  for (auto& opening : flow_.openings.all()) {
    if (!opening.world.inflow) continue;
    const auto& sites = opening.sites;
    const std::int64_t n = sites.sites();
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < n; ++k) {
      auto& v = opening.velocity[static_cast<std::size_t>(k)];
      const Vec3 x = sites.site(k);
      for (std::size_t d = 0; d < D; ++d)
        v[d] = at_rest ? 0 : opening.pace * opening.world.velocity[d].evaluate(std::array{x.x, x.y, x.z, t});
      auto& normal = v[static_cast<std::size_t>(sites.axis)];
      normal = sites.inward * normal < 0 ? 0.0 : normal;  // and what is not a number stays so, for the doctor
    }
  }
}

/// Velocity of a particle in a buffer: that of its site, or between sites in an outflow.
template <class T, int D>
std::array<double, D> OpeningStep<T, D>::velocity_of(std::size_t i) const {
  const auto& fluid = flow_.fluid;
  const auto& opening = flow_.openings.all()[fluid.buffer[i] - 1u];
  if (opening.world.inflow)
    return opening.velocity[static_cast<std::size_t>(particles::site_of_opening_id(fluid.id[i]))];
  const auto& sites = opening.sites;
  std::int64_t lower[2], upper[2];
  double share[2];
  for (int k = 0; k < 2; ++k) {
    const int d = k == 0 ? sites.first : sites.second;
    const double place =
        sites.count[k] == 1 ? 0 : within((fluid.x[d][i] - sites.origin[d]) / sites.step[d], sites.count[k] - 1);
    lower[k] = std::min<std::int64_t>(static_cast<std::int64_t>(place), std::max(0, sites.count[k] - 2));
    upper[k] = std::min<std::int64_t>(lower[k] + 1, sites.count[k] - 1);
    share[k] = place - static_cast<double>(lower[k]);
  }
  const auto at = [&](std::int64_t a, std::int64_t b) -> const std::array<double, D>& {
    return opening.velocity[static_cast<std::size_t>(b * sites.count[0] + a)];
  };
  std::array<double, D> v;
  for (std::size_t d = 0; d < D; ++d) {
    const double low = (1 - share[0]) * at(lower[0], lower[1])[d] + share[0] * at(upper[0], lower[1])[d];
    const double high = (1 - share[0]) * at(lower[0], upper[1])[d] + share[0] * at(upper[0], upper[1])[d];
    v[d] = (1 - share[1]) * low + share[1] * high;
  }
  return v;
}

template <class T, int D>
void OpeningStep<T, D>::write_moving(double dt, bool at_rest) {
  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  set_inflow_velocities(flow_.time + 0.5 * dt, at_rest);
  const auto& members = flow_.openings.members();
  const auto n = static_cast<std::int64_t>(members.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t m = 0; m < n; ++m) {
    const auto i = static_cast<std::size_t>(members[static_cast<std::size_t>(m)]);
    const int axis = flow_.openings.all()[fluid.buffer[i] - 1u].sites.axis;
    const auto v = velocity_of(i);
    T* row = flow_.moving.row(flow_.fluid_rows.slot[i]);
    for (int d = 0; d < D; ++d) {
      fluid.v[d][i] = v[static_cast<std::size_t>(d)];
      const double ahead = d == axis ? 0.5 * dt * fluid.v[d][i] : 0.0;
      flow_.moving.put_fixed(row + d, c.fixed.wrapped(fluid.x[d][i] + ahead));
      row[D + d] = static_cast<T>(fluid.v[d][i] * c.inverse_c0);
    }
  }
}

template <class T, int D>
void OpeningStep<T, D>::keep_files() {
  auto& fluid = flow_.fluid;
  const auto& members = flow_.openings.members();
  const auto n = static_cast<std::int64_t>(members.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t m = 0; m < n; ++m) {
    const auto i = static_cast<std::size_t>(members[static_cast<std::size_t>(m)]);
    const int axis = flow_.openings.all()[fluid.buffer[i] - 1u].sites.axis;
    T* row = flow_.pressed.row(flow_.fluid_rows.slot[i]);
    for (int d = 0; d < D; ++d) {
      if (d == axis) continue;
      fluid.x[d][i] = fluid.x_ref[d][i];
      flow_.pressed.put_fixed(row + d, flow_.constants().fixed.wrapped(fluid.x[d][i]));
    }
  }
}

/// The fluid at the nodes of all openings.
template <class T, int D>
void OpeningStep<T, D>::fit_nodes() {
  auto in = flow_.input();
  in.scale =
      static_cast<T>(flow_.constants().fixed.quantum() / (k_node_reach * flow_.constants().length.interaction_radius));
  in.target_rows = flow_.node_fluid.target_rows();
  in.fluid_neighbors = flow_.node_fluid.chunks().data();
  physics::delta::NodeResults<T, D> out{};
  for (int k = 0; k < LinearFitSums<T, D>::k_values; ++k) out.value[k] = flow_.node_sums[k].data();
  const auto chunks = static_cast<std::int64_t>(flow_.node_fluid.chunks().size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t c = 0; c < chunks; ++c) flow_.sweeps.nodes(in, out, c, c + 1);

  const double fraction = flow_.constants().kernel / (20 * (D == 3 ? k_node_reach : 1.0) * k_node_reach * k_node_reach);
  const std::int64_t n = flow_.openings.nodes();
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < n; ++k) {
    std::array<double, LinearFitSums<double, D>::k_values> sums;
    for (std::size_t s = 0; s < sums.size(); ++s)
      sums[s] = static_cast<double>(flow_.node_sums[s][static_cast<std::size_t>(k)]);
    LinearFit<D>& fit = fits_[static_cast<std::size_t>(flow_.node_number[static_cast<std::size_t>(k)])];
    fit = physics::solve_fit<D>(sums);
    fit.weight *= fraction;
    for (double& component : fit.gradient_p) component /= k_node_reach;  // by R again
  }
}

/// Share by which running means of an opening follow in a step.
template <class T, int D>
double OpeningStep<T, D>::follow(const Opening<D>& opening, double dt) const {
  const double length = flow_.world().size[opening.sites.axis];
  return dt > 0 ? std::min(1.0, dt * flow_.constants().c0 / (k_passages * length)) : 1.0;
}

/// The pressure's gradient along the normal, which drives the flow through the opening and goes on beyond it.
template <class T, int D>
void OpeningStep<T, D>::follow_slope(Opening<D>& opening, double share) {
  const auto& c = flow_.constants();
  const auto& sites = opening.sites;
  const auto fits = fits_.begin() + opening.first_node + k_slope_layer * sites.sites();
  double wet = 0, slope = 0;
  for (std::int64_t k = 0; k < sites.sites(); ++k) {
    if (!(fits[k].weight > k_least_fraction)) continue;
    wet += 1;
    slope -= sites.inward * fits[k].gradient_p[static_cast<std::size_t>(sites.axis)];
  }
  if (wet > 0) slope *= c.rho0 * c.c0 * c.c0 / (wet * c.length.interaction_radius);
  opening.slope += share * (slope - opening.slope);
}

/// Non-reflecting outflow. A plane sound wave that runs out carries J = rho0 c0 (<u> - u_ref) + <p - p_ref>, where <>
/// is the mean over the opening's wet sites, and nothing runs in, so that beyond it
///   p = p_ref + J/2,   u = u_g + (u_ref - <u>) + J/(2 rho0 c0)
/// The velocity keeps its profile u_g, and vortices pass: only the means know of sound. u_ref is the running mean of
/// <u>.
template <class T, int D>
void OpeningStep<T, D>::rule_outflow(Opening<D>& opening, double t, double dt, bool at_rest) {
  const auto& c = flow_.constants();
  const auto& sites = opening.sites;
  const double p_unit = c.rho0 * c.c0 * c.c0;
  const auto fits = fits_.begin() + opening.first_node;
  const auto axis = static_cast<std::size_t>(sites.axis);
  double wet = 0, speed = 0, pressure = 0;
  for (std::int64_t k = 0; k < sites.sites(); ++k) {
    if (!(fits[k].weight > k_least_fraction)) continue;
    const Vec3 x = sites.site(k);
    wet += 1;
    speed -= sites.inward * fits[k].v[axis] * c.c0;
    pressure += fits[k].p * p_unit - opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t});
  }
  if (wet > 0) speed /= wet, pressure /= wet;
  opening.mass_flow = 0;
  const double share = follow(opening, dt);
  follow_slope(opening, share);
  opening.reference_speed += share * (speed - opening.reference_speed);
  pressure += 0.5 * sites.pitch * opening.slope;  // from the nodes to the opening
  const double J = c.rho0 * c.c0 * (speed - opening.reference_speed) + pressure;
  opening.pressure = J / 2;
  const double most = k_largest_lead * std::abs(opening.reference_speed);
  if (dt > 0) opening.lead = std::clamp(opening.lead + share * J / (2 * c.rho0 * c.c0), -most, most);
  const double correction = opening.reference_speed - speed + J / (2 * c.rho0 * c.c0) + opening.lead;
  for (std::int64_t k = 0; k < sites.sites(); ++k) {
    auto& v = opening.velocity[static_cast<std::size_t>(k)];
    const bool dry = !(fits[k].weight > k_least_fraction);
    for (std::size_t d = 0; d < D; ++d) v[d] = dry || at_rest ? 0 : fits[k].v[d] * c.c0;
    const double outward = (dry ? speed : fits[k].v[axis] * c.c0 * -sites.inward) + correction;
    v[axis] = at_rest ? 0 : -sites.inward * std::max(0.0, outward);
    if (dry) continue;
    const Vec3 x = sites.site(k);
    const double p = opening.pressure + opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t});
    const double rho = c.rho0 * (1 + StateEquationLinear::density_excess(p / p_unit));
    opening.mass_flow += rho * sites.inward * v[axis] * sites.area;
  }
}

/// Dimensionless pressure of an inflow at depth `depth` [m] beyond site `site`: even reflection of the fluid's, between
/// the two nodes around the mirror image. Also its gradient.
template <class T, int D>
double OpeningStep<T, D>::reflected(const Opening<D>& opening, std::int64_t site, double depth,
                                    std::array<double, D>& gradient) const {
  const auto& sites = opening.sites;
  const double place = within(depth / sites.pitch - 0.5, opening.layers - 1);
  const auto layer = std::min(static_cast<std::int32_t>(place), std::max(0, opening.layers - 2));
  const double share = place - layer;
  const auto first = fits_.begin() + opening.first_node + layer * sites.sites() + site;
  const auto second = opening.layers > 1 ? first + sites.sites() : first;
  for (std::size_t d = 0; d < D; ++d) {
    gradient[d] = (1 - share) * first->gradient_p[d] + share * second->gradient_p[d];
    if (static_cast<int>(d) == sites.axis) gradient[d] = -gradient[d];
  }
  const auto& c = flow_.constants();
  return (1 - share) * first->p + share * second->p + 2 * depth * opening.slope / (c.rho0 * c.c0 * c.c0);
}

/// Mass flow, and the pace at which it is that of an incompressible stream: pressure upstream of bodies compresses
/// the fluid, which without that would bring more volume to them than the world asks for.
template <class T, int D>
void OpeningStep<T, D>::measure_inflow(Opening<D>& opening, double t, double share) {
  const auto& c = flow_.constants();
  const auto& sites = opening.sites;
  double volume_flow = 0;
  opening.mass_flow = 0;
  for (std::int64_t k = 0; k < sites.sites(); ++k) {
    const Vec3 x = sites.site(k);
    std::array<double, D> gradient;
    const double p = opening.world.pressure_imposed
                         ? opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t}) / (c.rho0 * c.c0 * c.c0)
                         : reflected(opening, k, 0, gradient);
    const double rho = c.rho0 * (1 + StateEquationLinear::density_excess(p));
    const double speed =
        sites.inward * opening.velocity[static_cast<std::size_t>(k)][static_cast<std::size_t>(sites.axis)];
    opening.mass_flow += rho * speed * sites.area;
    volume_flow += speed * sites.area;
  }
  if (opening.world.density <= 0 || opening.mass_flow <= 0) return;
  const double wanted = opening.world.density * volume_flow / opening.mass_flow;
  const double pace = opening.pace + share * (wanted - opening.pace);
  opening.pace = std::clamp(pace, 1 - k_largest_easing, 1 + k_largest_easing);
}

template <class T, int D>
void OpeningStep<T, D>::extrapolate(double t, double dt, bool at_rest) {
  fit_nodes();
  set_inflow_velocities(t, at_rest);
  for (auto& opening : flow_.openings.all())
    if (opening.world.inflow) {
      const double share = follow(opening, dt);
      follow_slope(opening, share), measure_inflow(opening, t, share);
    } else {
      rule_outflow(opening, t, dt, at_rest);
    }

  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const double p_unit = c.rho0 * c.c0 * c.c0;
  const auto& members = flow_.openings.members();
  const auto n = static_cast<std::int64_t>(members.size());
  gradient_.resize(members.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t m = 0; m < n; ++m) {
    const auto i = static_cast<std::size_t>(members[static_cast<std::size_t>(m)]);
    const auto& opening = flow_.openings.all()[fluid.buffer[i] - 1u];
    const auto& sites = opening.sites;
    const Vec3 x = vector_of(fluid.x, i);
    double p = 0;
    auto& G = gradient_[static_cast<std::size_t>(m)] = {};
    if (!opening.world.inflow || opening.world.pressure_imposed)
      p = opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t}) / p_unit;
    if (!opening.world.inflow) {
      p += (opening.pressure + sites.depth(x) * opening.slope) / p_unit;
    } else if (!opening.world.pressure_imposed) {
      p = reflected(opening, particles::site_of_opening_id(fluid.id[i]), sites.depth(x), G);
    }
    fluid.s[i] = StateEquationLinear::density_excess(p);
    if (opening.world.inflow) fluid.mass[i] = c.rho0 * (1 + fluid.s[i]) * c.volume;
    const auto v = velocity_of(i);
    T* row = flow_.pressed.row(flow_.fluid_rows.slot[i]);
    row[D] = static_cast<T>(StateEquationLinear::pressure(fluid.s[i]));
    row[D + 1] = static_cast<T>(fluid.mass[i] * c.inverse_mass / (1 + fluid.s[i]));
    for (int d = 0; d < D; ++d) {
      row[D + 2 + d] = static_cast<T>(v[static_cast<std::size_t>(d)] * c.inverse_c0);
    }
  }
}

template <class T, int D>
void OpeningStep<T, D>::prepare_reactions() {
  flow_.find_free_neighbors();
  const std::size_t chunks = flow_.buffer_free.chunks().size(), whole = chunks * neighbors::k_chunk;
  no_walls_.assign(chunks, {});
  divergence_.resize(whole), diffusion_.resize(whole), surface_.resize(whole);
  for (int d = 0; d < D; ++d) reaction_[d].resize(whole), shift_[d].resize(whole);
  for (auto& opening : flow_.openings.all()) opening.force = {};
}

/// Adds what the fluid does to the buffers, with the opposite sign, to the forces of the openings. Sums are exact.
template <class T, int D>
void OpeningStep<T, D>::add_reactions(bool viscous) {
  const auto& c = flow_.constants();
  const auto& fluid = flow_.fluid;
  const double acceleration = c.rate * c.c0 * c.kernel;
  const auto& members = flow_.openings.members();
  std::vector<std::array<ReproducibleSum, D>> sums(flow_.openings.all().size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto i = static_cast<std::size_t>(members[m]);
    const double factor = fluid.mass[i] * acceleration * (viscous ? 1 : -1 / (1 + fluid.s[i]));
    for (std::size_t d = 0; d < D; ++d)
      sums[fluid.buffer[i] - 1u][d].add(factor * static_cast<double>(reaction_[d][m]));
  }
  for (std::size_t o = 0; o < sums.size(); ++o)
    for (std::size_t d = 0; d < D; ++d) flow_.openings.all()[o].force[static_cast<int>(d)] += sums[o][d].value();
}

template <class T, int D>
void OpeningStep<T, D>::react_viscous() {
  if (flow_.openings.empty()) return;
  prepare_reactions();
  auto in = flow_.input();
  in.target_rows = flow_.buffer_free.target_rows();
  in.fluid_neighbors = flow_.buffer_free.chunks().data();
  in.wall_neighbors = no_walls_.data();
  physics::delta::RateResults<T, D> out{divergence_.data(), diffusion_.data(), {}};
  for (int d = 0; d < D; ++d) out.viscous[d] = reaction_[d].data();
  const auto rates = flow_.constants().viscosity == physics::delta::FluidViscosity::morris
                         ? flow_.sweeps.rates_morris
                         : flow_.sweeps.rates_monaghan_cleary;
  rates(in, out, 0, static_cast<std::int64_t>(no_walls_.size()));
  add_reactions(true);
}

template <class T, int D>
void OpeningStep<T, D>::react_pressure() {
  if (flow_.openings.empty()) return;
  auto in = flow_.input();
  in.target_rows = flow_.buffer_free.target_rows();
  in.fluid_neighbors = flow_.buffer_free.chunks().data();
  in.wall_neighbors = no_walls_.data();
  physics::delta::ForceResults<T, D> out{};
  out.surface = surface_.data();
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = reaction_[d].data();
    out.shift[d] = shift_[d].data();
  }
  flow_.sweeps.forces_confined(in, out, 0, static_cast<std::int64_t>(no_walls_.size()));
  add_reactions(false);
}

template <class T, int D>
void OpeningStep<T, D>::discard_rates() {
  for (const std::int32_t i : flow_.openings.members()) {
    const auto k = static_cast<std::size_t>(i);
    flow_.divergence[k] = flow_.diffusion[k] = T(0);
    for (int d = 0; d < D; ++d) flow_.viscous[d][k] = T(0);
  }
}

template <class T, int D>
void OpeningStep<T, D>::discard_forces() {
  for (const std::int32_t i : flow_.openings.members()) {
    const auto k = static_cast<std::size_t>(i);
    for (int d = 0; d < D; ++d) flow_.pressure_force[d][k] = flow_.shift[d][k] = T(0);
  }
}

template <class T, int D>
void OpeningStep<T, D>::hold() {
  auto& fluid = flow_.fluid;
  const auto& members = flow_.openings.members();
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto i = static_cast<std::size_t>(members[m]);
    const auto v = velocity_of(i);
    for (int d = 0; d < D; ++d) {
      fluid.v[d][i] = v[static_cast<std::size_t>(d)];
      fluid.a[d][i] = 0;
      fluid.G[d][i] = gradient_[m][static_cast<std::size_t>(d)];
    }
  }
}

template class OpeningStep<float, 2>;
template class OpeningStep<float, 3>;
template class OpeningStep<double, 2>;
template class OpeningStep<double, 3>;

}  // namespace eddyline::integrate
