#include "solvers/sph/openings/opening_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/collectives.hpp"

namespace eddyline::sph {

namespace {

/// Running means adapt within so many passages of a wave along a length. Over the domain's length they are slow against
/// all waves that fit into it, so that none is reflected.
constexpr double k_passages = 10;
double follow(double length, double dt, double speed) {
  return dt > 0 ? std::min(1.0, dt * speed / (k_passages * length)) : 1.0;
}

/// Limit as a share of the speed: errors of fits to a curved profile are smaller.
constexpr double k_largest_lead = 0.05;
/// Limit as a share of the speed of sound: the highest speed that the world expects.
constexpr double k_largest_lead_of_hole = 0.1;
constexpr double k_largest_rise = 0.5;  // of the speed of long gravity waves
/// Limit of a sound wave's velocity at a stream, as a share of the speed of sound: waves after a start are weaker.
constexpr double k_loudest = 0.01;
/// Limit as a share of the speed: compression in a nearly incompressible flow is smaller.
constexpr double k_largest_easing = 0.05;

/// Sums over the sites of an opening.
enum { k_wet, k_speed, k_pressure, k_wet_slopes, k_slope, k_volume_flow, k_mass_flow, k_carried, k_sums };

}  // namespace

template <int D>
void OpeningRules<D>::apply(double t, double dt, bool at_rest) {
  measure(t);
  if (!at_rest) openings_.far_field().follow(world_, constants_.rho0, t, dt);
  auto& openings = openings_.all();
  for (std::size_t o = 0; o < openings.size(); ++o)
    if (openings[o].world.inflow)
      rule_inflow(openings[o], means_[o], dt);
    else
      rule_outflow(openings[o], means_[o], t, dt, at_rest);
}

template <int D>
void OpeningRules<D>::measure_sound(double dt) {
  for (Opening<D>& opening : openings_.all()) {
    if (!opening.world.stream) continue;
    const bool first = opening.sound.empty();
    const double share = first ? 1.0 : follow(world_.size[opening.sites.axis], dt, constants_.c0);
    opening.sound.resize(static_cast<std::size_t>(opening.sites.sites()));
    for (std::size_t k = 0; k < opening.sound.size(); ++k) {
      auto& sound = opening.sound[k];
      const double p = fits_[opening.first_node + static_cast<std::int64_t>(k)].p;
      sound.mean += share * (p - sound.mean);
      sound.wave = std::clamp(p - sound.mean, -k_loudest, k_loudest);
    }
  }
}

/// Sums over the sites of all openings; the rank that owns a site's node adds it. Sums are exact, so that they do not
/// depend on which rank that is.
template <int D>
void OpeningRules<D>::measure(double t) {
  auto& openings = openings_.all();
  sums_.assign(k_sums * openings.size(), {});
  const auto sums_of = [&](std::size_t o) { return std::span(sums_).subspan(k_sums * o, k_sums); };
  for (std::size_t o = 0; o < openings.size(); ++o) {
    for (std::int64_t site = 0; site < openings[o].sites.sites(); ++site) add_site(openings[o], site, t, sums_of(o));
    openings[o].mass_flow = openings[o].world.inflow ? sums_of(o)[k_mass_flow] : ReproducibleSum{};
    sums_of(o)[k_carried].merge(openings[o].mass);
  }
  const std::span<ReproducibleSum> forces = openings_.far_field().forces();
  sums_.insert(sums_.end(), forces.begin(), forces.end());
  comm::sum(communicator_, sums_, "means over openings");
  std::copy(sums_.end() - std::ssize(forces), sums_.end(), forces.begin());
  means_.clear();
  for (std::size_t o = 0; o < openings.size(); ++o) means_.push_back(means_of(openings[o], sums_of(o)));
}

template <int D>
void OpeningRules<D>::add_site(const Opening<D>& opening, std::int64_t site, double t,
                               std::span<ReproducibleSum> sums) const {
  const auto& c = constants_;
  const double p_unit = c.rho0 * c.c0 * c.c0;
  const auto& sites = opening.sites;
  const auto axis = static_cast<std::size_t>(sites.axis);
  const std::int64_t node = opening.first_node + site, inner = node + k_slope_layer * sites.sites();
  if (fits_.is_own(inner) && fits_.is_wet(inner)) {
    sums[k_wet_slopes].add(1);
    sums[k_slope].add(-sites.inward * fits_[inner].gradient_p[axis]);
  }
  if (!fits_.is_own(node)) return;
  const auto& fit = fits_[node];
  const Vec3 x = sites.site(site);
  const double p_file = opening.world.inflow && !opening.world.pressure_imposed
                            ? 0
                            : opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t});
  if (opening.world.inflow) {
    const double p = opening.world.pressure_imposed ? p_file / p_unit : fit.p;
    const double rho = c.rho0 * (1 + c.state.density_excess(p));
    const double flow = sites.inward * opening.velocity[static_cast<std::size_t>(site)][axis] * sites.area;
    sums[k_volume_flow].add(flow);
    sums[k_mass_flow].add(rho * flow);
  } else if (fits_.is_wet(node)) {
    sums[k_wet].add(1);
    sums[k_speed].add(-sites.inward * fit.v[axis] * c.c0);
    sums[k_pressure].add(fit.p * p_unit - p_file);
  }
}

template <int D>
typename OpeningRules<D>::Means OpeningRules<D>::means_of(const Opening<D>& opening,
                                                          std::span<const ReproducibleSum> sums) const {
  const auto& c = constants_;
  const double p_unit = c.rho0 * c.c0 * c.c0;
  const auto mean = [&](std::size_t k, std::size_t count) {
    const double n = sums[count].value();
    return n > 0 ? sums[k].value() / n : 0.0;
  };
  Means means;
  means.speed = mean(k_speed, k_wet);
  means.pressure = mean(k_pressure, k_wet);
  means.slope = mean(k_slope, k_wet_slopes) * p_unit / c.length.interaction_radius;
  means.full = static_cast<std::int64_t>(sums[k_wet].value()) == opening.sites.sites();
  means.wave = long_wave(opening, static_cast<std::int64_t>(sums[k_wet].value()));
  means.mass_flow = sums[k_mass_flow].value(), means.carried = sums[k_carried].value();
  const double mass_flow = means.mass_flow, density = opening.world.density;
  if (density > 0 && mass_flow > 0) means.pace = density * sums[k_volume_flow].value() / mass_flow;
  return means;
}

/// Updates an inflow. The pressure's gradient along the normal drives the flow through the opening and continues beyond
/// it. The pace is the factor at which the inflow carries the mass of an incompressible stream: pressure upstream of
/// bodies compresses the fluid, and without the factor the inflow would bring more volume than the world asks for.
template <int D>
void OpeningRules<D>::rule_inflow(Opening<D>& opening, const Means& means, double dt) const {
  const double share = follow(world_.size[opening.sites.axis], dt, constants_.c0);
  opening.slope += share * (means.slope - opening.slope);
  const double pace = opening.pace + share * (means.pace - opening.pace);
  opening.pace = std::clamp(pace, 1 - k_largest_easing, 1 + k_largest_easing);
  if (!opening.world.stream) return;
  // Updates a stream. Fluid that drifts over the side does not return, so that more would leave than the velocity says.
  // Fluid is therefore removed farther out, by as much as that excess.
  opening.lead += means.mass_flow * dt;
  const double area = static_cast<double>(opening.sites.sites()) * opening.sites.area;
  opening.reference_speed =
      std::clamp((opening.lead - means.carried) / (constants_.rho0 * area), 0.0, opening.sites.pitch);
}

/// Updates a non-reflecting outflow. A plane sound wave that runs out carries
///   J = rho0 c0 (<u> - u_ref) + <p - p_ref>,
/// where <> is the mean over the opening's wet sites. No wave runs in, so that beyond the opening
///   p = p_ref + J/2,   u = u_g + (u_ref - <u>) + J/(2 rho0 c0)
/// The velocity keeps its profile u_g, so that vortices pass; sound affects the means only. u_ref is the running mean
/// of <u>. With a free surface <p - p_ref>/(rho0 c_g) is added to it: the velocity of a long gravity wave that runs out
/// at c_g with that excess level (Flather 1976). The running mean is then slow against such waves; otherwise the level,
/// which only follows what runs out, would oscillate for ever.
///
/// Fluid reaches a hole in a side from all around, so that it is faster in the hole than in front of it, and the wall
/// beside the hole reflects sound anyway. At a hole that is wet all over, with no surface beyond it, `lead` compensates
/// the missing speed within some passages of sound along the hole's width, so that its pressure becomes p_ref.
template <int D>
void OpeningRules<D>::rule_outflow(Opening<D>& opening, const Means& means, double t, double dt, bool at_rest) const {
  const auto& c = constants_;
  const auto& sites = opening.sites;
  const double p_unit = c.rho0 * c.c0 * c.c0;
  const auto axis = static_cast<std::size_t>(sites.axis);
  const double width = hole_width(opening);
  const bool has_level = means.wave > 0 && !(width > 0 && means.full && !imposes_level(opening, t));
  const double length = width > 0 && !has_level ? width : world_.size[axis];
  const double share = follow(length, dt, c.c0);
  opening.slope += share * (means.slope - opening.slope);
  opening.reference_speed +=
      (has_level ? follow(length, dt, means.wave) : share) * (means.speed - opening.reference_speed);
  const double pressure = means.pressure + 0.5 * sites.pitch * opening.slope;  // distance from the nodes to the opening
  double reference = opening.reference_speed;
  if (has_level) {
    const double most = k_largest_rise * means.wave;
    const double rise = std::clamp(pressure / (c.rho0 * means.wave), -most, most);
    opening.lead += share * (rise - opening.lead);
    reference += opening.lead;
  }
  const double J = c.rho0 * c.c0 * (means.speed - reference) + pressure;
  opening.pressure = J / 2;
  double correction = reference - means.speed + J / (2 * c.rho0 * c.c0);
  if (!has_level) {
    const double most = width > 0 ? k_largest_lead_of_hole * c.c0 : k_largest_lead * std::abs(reference);
    if (dt > 0) opening.lead = std::clamp(opening.lead + share * J / (2 * c.rho0 * c.c0), -most, most);
    correction += opening.lead;
  }
  for (std::int64_t k = 0; k < sites.sites(); ++k) {
    const auto node = static_cast<std::int32_t>(opening.first_node + k);
    const auto& fit = fits_[node];
    auto& v = opening.velocity[static_cast<std::size_t>(k)];
    const bool dry = !fits_.is_wet(node);
    for (std::size_t d = 0; d < D; ++d) v[d] = dry || at_rest ? 0 : fit.v[d] * c.c0;
    const double outward = (dry ? means.speed : fit.v[axis] * c.c0 * -sites.inward) + correction;
    v[axis] = at_rest ? 0 : -sites.inward * std::max(0.0, outward);
    if (dry || !fits_.is_own(node)) continue;
    const Vec3 x = sites.site(k);
    const double p = opening.pressure + opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t});
    const double rho = c.rho0 * (1 + c.state.density_excess(p / p_unit));
    opening.mass_flow.add(rho * sites.inward * v[axis] * sites.area);
  }
}

/// Tells whether the imposed pressure grows downwards, as that of water beyond does; for a jet into air it is uniform.
template <int D>
bool OpeningRules<D>::imposes_level(const Opening<D>& opening, double t) const {
  const Vec3 lower = opening.world.lower, upper = opening.world.upper;
  const auto imposed = [&](const Vec3& x) { return opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t}); };
  const double weight = constants_.rho0 * dot(world_.gravity, lower - upper);
  return std::abs(imposed(lower) - imposed(upper)) > 0.5 * std::abs(weight) && weight != 0;
}

/// Returns the smallest width of an opening that is a hole in a side; 0 for one that covers the whole side.
template <int D>
double OpeningRules<D>::hole_width(const Opening<D>& opening) const {
  double least = INFINITY;
  bool is_hole = false;
  for (int d = 0; d < D; ++d) {
    if (d == opening.sites.axis) continue;
    const double width = opening.world.upper[d] - opening.world.lower[d];
    is_hole = is_hole || width < world_.size[d] - 0.5 * opening.sites.pitch;
    least = std::min(least, width);
  }
  return is_hole ? least : 0;
}

/// Returns sqrt(g h) for the depth h of the wet sites; 0 without a free surface or where gravity points through the
/// opening.
template <int D>
double OpeningRules<D>::long_wave(const Opening<D>& opening, std::int64_t wet) const {
  if (!constants_.free_surface) return 0;
  double g_height = 0;
  for (int d = 0; d < D; ++d)
    g_height += std::abs(world_.gravity[d]) * (opening.world.upper[d] - opening.world.lower[d]);
  return std::sqrt(g_height * static_cast<double>(wet) / static_cast<double>(opening.sites.sites()));
}

template class OpeningRules<2>;
template class OpeningRules<3>;

}  // namespace eddyline::sph
