#include "integrate/openings.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "integrate/flow.hpp"
#include "integrate/migrate.hpp"
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
    copy_particle([&](auto&& visit) { fluid.for_each_array(visit); }, from, to);
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

template <int D>
void Openings<D>::save(ArchiveWriter& archive) const {
  for (const Opening<D>& o : all_) {
    const std::string name = "opening." + o.world.name + ".";
    archive.put_value(name + "ruled", std::array{o.pace, o.pressure, o.reference_speed, o.lead, o.slope});
    archive.put(name + "velocity", std::span<const std::array<double, D>>(o.velocity));
    archive.put_value(name + "known", static_cast<std::uint8_t>(o.is_here));
    archive.put_value(name + "mass", o.mass);
    for (std::size_t d = 0; d < D; ++d) archive.put_value(name + "momentum" + "xyz"[d], o.momentum[d]);
  }
}

template <int D>
void Openings<D>::restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator) {
  for (Opening<D>& o : all_) {
    const std::string name = "opening." + o.world.name + ".";
    std::array<double, 5> ruled{};
    if (communicator.is_root()) parts.at(0).get_value(name + "ruled", ruled);
    ruled = comm::broadcast(communicator, ruled, 0, "checkpoint");
    o.pace = ruled[0], o.pressure = ruled[1], o.reference_speed = ruled[2], o.lead = ruled[3], o.slope = ruled[4];

    // Velocities from a part of a rank that had cells at the opening: they are the same in all of those.
    o.mass = {}, o.momentum = {};
    bool known = false;
    for (const auto& part : parts) {
      ReproducibleSum own;
      part.get_value(name + "mass", own);
      o.mass.merge(own);
      for (std::size_t d = 0; d < D; ++d) {
        part.get_value(name + "momentum" + "xyz"[d], own);
        o.momentum[d].merge(own);
      }
      std::uint8_t was_here = 0;
      part.get_value(name + "known", was_here);
      if (was_here == 0 || known) continue;
      const auto values = part.template get<std::array<double, D>>(name + "velocity");
      if (values.size() != o.velocity.size())
        throw UserError("checkpoint: opening " + o.world.name + " has other sites than the world.");
      o.velocity = values;
      known = true;
    }
    share_velocities(o, known, communicator);
  }
}

template <int D>
void Openings<D>::share(comm::Communicator& communicator) {
  for (Opening<D>& o : all_) share_velocities(o, o.is_here, communicator);
}

/// `known`: whether this rank has the velocities; whoever does has the same.
template <int D>
void Openings<D>::share_velocities(Opening<D>& o, bool known, comm::Communicator& communicator) {
  double source = known ? communicator.rank() : -1;
  comm::maximum(communicator, {&source, 1}, "openings");
  const auto own = std::as_bytes(std::span(o.velocity));
  const auto all =
      comm::broadcast(communicator, std::vector(own.begin(), own.end()), static_cast<int>(source), "openings");
  if (!all.empty()) std::memcpy(o.velocity.data(), all.data(), all.size());
}

template class Openings<2>;
template class Openings<3>;

// --- the time step --------------------------------------------------------------------------------------------------

template <class T, int D>
OpeningStep<T, D>::OpeningStep(Flow<T, D>& flow)
    : flow_(flow), fit_halo_(flow.communicator(), "nonblocking", comm::Tag::fit_halo) {
  fits_.assign(static_cast<std::size_t>(flow_.openings.nodes()), {});
  share_fits();
}

/// All ranks that hold cells at an opening, or in its buffer, get the fits of all its nodes.
template <class T, int D>
void OpeningStep<T, D>::share_fits() {
  auto& openings = flow_.openings;
  const auto& grid = flow_.layout().grid();
  const int self = flow_.communicator().rank();
  shared_ = flow_.balance.times();
  owned_.assign(static_cast<std::size_t>(openings.nodes()), 0);
  std::map<int, std::vector<std::int32_t>> sent, received;
  for (auto& opening : openings.all()) {
    const auto& sites = opening.sites;
    Vec3 low = sites.lower, high = sites.upper;
    low[sites.axis] -= 2 * sites.length(), high[sites.axis] += 2 * sites.length();
    const particles::CellBox around = grid.cells_between(low, high);
    const auto ranks = flow_.partition().ranks_at(around);
    const bool takes_part = opening.is_here = std::binary_search(ranks.begin(), ranks.end(), self);
    const auto nodes = opening.layers * static_cast<std::int32_t>(sites.sites());
    for (std::int32_t node = opening.first_node; node < opening.first_node + nodes; ++node) {
      const int owner = flow_.partition().rank_of(grid.cell_of(openings.node(node)));
      owned_[static_cast<std::size_t>(node)] = owner == self ? 1 : 0;
      for (const int rank : ranks)
        if (owner == self && rank != self) sent[rank].push_back(node);
      if (takes_part && owner != self) received[owner].push_back(node);
    }
  }
  fit_halo_.clear();
  for (int rank = 0; rank < flow_.communicator().size(); ++rank) {
    if (sent.contains(rank))
      for (const std::int32_t node : sent[rank]) fit_halo_.add_sent(rank, node, 1);
    if (received.contains(rank))
      for (const std::int32_t node : received[rank]) fit_halo_.add_received(rank, node, 1, {});
  }
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
      row[2 * D + 2 + d] = static_cast<T>(0.5 * fluid.G[d][i]);
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
  if (shared_ != flow_.balance.times()) share_fits();
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
  const auto n = static_cast<std::int64_t>(flow_.node_rows.slot.size());
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
  fit_halo_.gather(exchange::ArrayField(fits_));
}

/// Share by which running means of an opening follow in a step.
template <class T, int D>
double OpeningStep<T, D>::follow(const Opening<D>& opening, double dt) const {
  const double length = flow_.world().size[opening.sites.axis];
  return dt > 0 ? std::min(1.0, dt * flow_.constants().c0 / (k_passages * length)) : 1.0;
}

template <class T, int D>
bool OpeningStep<T, D>::is_wet(std::int32_t node) const {
  return fits_[static_cast<std::size_t>(node)].weight > k_least_fraction;
}

/// Sums over the sites of all openings, each site by the rank that owns its node. Sums are exact, so that it does not
/// matter which.
template <class T, int D>
std::vector<typename OpeningStep<T, D>::Means> OpeningStep<T, D>::measure(double t) {
  enum { k_wet, k_speed, k_pressure, k_wet_slopes, k_slope, k_volume_flow, k_mass_flow, k_sums };
  const auto& c = flow_.constants();
  const double p_unit = c.rho0 * c.c0 * c.c0;
  auto& openings = flow_.openings.all();
  std::vector<ReproducibleSum> sums(k_sums * openings.size());
  for (std::size_t o = 0; o < openings.size(); ++o) {
    auto& opening = openings[o];
    const auto& sites = opening.sites;
    const auto axis = static_cast<std::size_t>(sites.axis);
    ReproducibleSum* sum = sums.data() + k_sums * o;
    opening.mass_flow = {};
    for (std::int64_t k = 0; k < sites.sites(); ++k) {
      const auto node = static_cast<std::int32_t>(opening.first_node + k);
      const auto inner = static_cast<std::int32_t>(node + k_slope_layer * sites.sites());
      if (owned_[static_cast<std::size_t>(inner)] != 0 && is_wet(inner)) {
        sum[k_wet_slopes].add(1);
        sum[k_slope].add(-sites.inward * fits_[static_cast<std::size_t>(inner)].gradient_p[axis]);
      }
      if (owned_[static_cast<std::size_t>(node)] == 0) continue;
      const auto& fit = fits_[static_cast<std::size_t>(node)];
      const Vec3 x = sites.site(k);
      const double p_file = opening.world.inflow && !opening.world.pressure_imposed
                                ? 0
                                : opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t});
      if (opening.world.inflow) {
        const double p = opening.world.pressure_imposed ? p_file / p_unit : fit.p;
        const double rho = c.rho0 * (1 + StateEquationLinear::density_excess(p));
        const double flow = sites.inward * opening.velocity[static_cast<std::size_t>(k)][axis] * sites.area;
        sum[k_volume_flow].add(flow);
        sum[k_mass_flow].add(rho * flow);
      } else if (is_wet(node)) {
        sum[k_wet].add(1);
        sum[k_speed].add(-sites.inward * fit.v[axis] * c.c0);
        sum[k_pressure].add(fit.p * p_unit - p_file);
      }
    }
    if (opening.world.inflow) opening.mass_flow = sum[k_mass_flow];
  }
  comm::sum(flow_.communicator(), sums, "means over openings");

  std::vector<Means> means(openings.size());
  for (std::size_t o = 0; o < openings.size(); ++o) {
    const ReproducibleSum* sum = sums.data() + k_sums * o;
    const auto mean = [&](int k, int count) {
      const double n = sum[count].value();
      return n > 0 ? sum[k].value() / n : 0.0;
    };
    means[o].speed = mean(k_speed, k_wet);
    means[o].pressure = mean(k_pressure, k_wet);
    means[o].slope = mean(k_slope, k_wet_slopes) * p_unit / c.length.interaction_radius;
    const double mass_flow = sum[k_mass_flow].value(), density = openings[o].world.density;
    if (density > 0 && mass_flow > 0) means[o].pace = density * sum[k_volume_flow].value() / mass_flow;
  }
  return means;
}

/// The pressure's gradient along the normal drives the flow through the opening and goes on beyond it. The pace is that
/// at which the inflow brings the mass of an incompressible stream: pressure upstream of bodies compresses the fluid,
/// which without that would bring more volume to them than the world asks for.
template <class T, int D>
void OpeningStep<T, D>::rule_inflow(Opening<D>& opening, const Means& means, double dt) {
  const double share = follow(opening, dt);
  opening.slope += share * (means.slope - opening.slope);
  const double pace = opening.pace + share * (means.pace - opening.pace);
  opening.pace = std::clamp(pace, 1 - k_largest_easing, 1 + k_largest_easing);
}

/// Non-reflecting outflow. A plane sound wave that runs out carries J = rho0 c0 (<u> - u_ref) + <p - p_ref>, where <>
/// is the mean over the opening's wet sites, and nothing runs in, so that beyond it
///   p = p_ref + J/2,   u = u_g + (u_ref - <u>) + J/(2 rho0 c0)
/// The velocity keeps its profile u_g, and vortices pass: only the means know of sound. u_ref is the running mean of
/// <u>.
template <class T, int D>
void OpeningStep<T, D>::rule_outflow(Opening<D>& opening, const Means& means, double t, double dt, bool at_rest) {
  const auto& c = flow_.constants();
  const auto& sites = opening.sites;
  const double p_unit = c.rho0 * c.c0 * c.c0;
  const auto axis = static_cast<std::size_t>(sites.axis);
  const double share = follow(opening, dt);
  opening.slope += share * (means.slope - opening.slope);
  opening.reference_speed += share * (means.speed - opening.reference_speed);
  const double pressure = means.pressure + 0.5 * sites.pitch * opening.slope;  // from the nodes to the opening
  const double J = c.rho0 * c.c0 * (means.speed - opening.reference_speed) + pressure;
  opening.pressure = J / 2;
  const double most = k_largest_lead * std::abs(opening.reference_speed);
  if (dt > 0) opening.lead = std::clamp(opening.lead + share * J / (2 * c.rho0 * c.c0), -most, most);
  const double correction = opening.reference_speed - means.speed + J / (2 * c.rho0 * c.c0) + opening.lead;
  for (std::int64_t k = 0; k < sites.sites(); ++k) {
    const auto node = static_cast<std::int32_t>(opening.first_node + k);
    const auto& fit = fits_[static_cast<std::size_t>(node)];
    auto& v = opening.velocity[static_cast<std::size_t>(k)];
    const bool dry = !is_wet(node);
    for (std::size_t d = 0; d < D; ++d) v[d] = dry || at_rest ? 0 : fit.v[d] * c.c0;
    const double outward = (dry ? means.speed : fit.v[axis] * c.c0 * -sites.inward) + correction;
    v[axis] = at_rest ? 0 : -sites.inward * std::max(0.0, outward);
    if (dry || owned_[static_cast<std::size_t>(node)] == 0) continue;
    const Vec3 x = sites.site(k);
    const double p = opening.pressure + opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t});
    const double rho = c.rho0 * (1 + StateEquationLinear::density_excess(p / p_unit));
    opening.mass_flow.add(rho * sites.inward * v[axis] * sites.area);
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
  const auto* first = fits_.begin() + opening.first_node + layer * sites.sites() + site;
  const auto* second = opening.layers > 1 ? first + sites.sites() : first;
  for (std::size_t d = 0; d < D; ++d) {
    gradient[d] = (1 - share) * first->gradient_p[d] + share * second->gradient_p[d];
    if (static_cast<int>(d) == sites.axis) gradient[d] = -gradient[d];
  }
  const auto& c = flow_.constants();
  return (1 - share) * first->p + share * second->p + 2 * depth * opening.slope / (c.rho0 * c.c0 * c.c0);
}

template <class T, int D>
void OpeningStep<T, D>::extrapolate(double t, double dt, bool at_rest) {
  fit_nodes();
  set_inflow_velocities(t, at_rest);
  const std::vector<Means> means = measure(t);
  auto& openings = flow_.openings.all();
  for (std::size_t o = 0; o < openings.size(); ++o)
    if (openings[o].world.inflow)
      rule_inflow(openings[o], means[o], dt);
    else
      rule_outflow(openings[o], means[o], t, dt, at_rest);

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
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto i = static_cast<std::size_t>(members[m]);
    const double factor = fluid.mass[i] * acceleration * (viscous ? 1 : -1 / (1 + fluid.s[i]));
    for (std::size_t d = 0; d < D; ++d)
      flow_.openings.all()[fluid.buffer[i] - 1u].force[d].add(factor * static_cast<double>(reaction_[d][m]));
  }
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
