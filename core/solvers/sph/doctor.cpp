#include "solvers/sph/doctor.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "comm/collectives.hpp"

namespace eddyline::sph {

namespace {

std::string describe(const solver::Diagnosis& d) {
  std::ostringstream text;
  text.precision(6);
  text << "step " << d.step << " at t = " << d.time << " s: ";
  if (d.reason.empty()) {
    text << "a particle had an invalid value within the step but not at its end, or particles approach each other "
            "too fast for any time step: try a smaller method.cfl, or other forces and speeds. The run was stopped.";
    return text.str();
  }
  text << "particle " << d.id << " " << d.reason << " (position " << d.position.x << ", " << d.position.y << ", "
       << d.position.z << " m; velocity " << d.velocity.x << ", " << d.velocity.y << ", " << d.velocity.z
       << " m/s; density " << d.density << " kg/m^3; " << d.neighbors.size() << " near neighbours";
  if (!d.neighbors.empty())
    text << ", the nearest " << d.neighbors.front().id << " at " << d.neighbors.front().distance << " m";
  text << "). The run was stopped.";
  return text.str();
}

/// Values of the bad particle that other ranks need.
struct Offender {
  std::int64_t id;
  double density;
  Vec3 position, velocity, acceleration, reference;
};

template <class T, int D>
Vec3 acceleration_of(const Parts<T, D>& parts, std::size_t i) {
  return parts.state.fluid.classic ? vector_of(parts.state.fluid.classic->v_rate, i)
                                   : vector_of(parts.state.fluid.a, i);
}

/// Tells whether fluid flows in and cannot leave.
bool has_no_way_out(const world::World& world) {
  const auto& openings = world.openings;
  return !openings.empty() &&
         std::all_of(openings.begin(), openings.end(), [](const auto& opening) { return opening.inflow; }) &&
         std::none_of(world.sides.begin(), world.sides.end(),
                      [](const auto& side) { return side.kind == world::SideKind::open; });
}

/// Returns why a particle is bad, or an empty text if it is not.
template <class T, int D>
std::string reason_of(const Parts<T, D>& parts, std::size_t i) {
  const auto& c = parts.state.constants;
  const Vec3 x = vector_of(parts.state.fluid.x, i), v = vector_of(parts.state.fluid.v, i);
  const Vec3 a = acceleration_of(parts, i), moved = x - parts.domain.sorted_place(i);
  std::ostringstream text;
  text.precision(4);
  if (!std::isfinite(norm(x)) || !std::isfinite(norm(v)) || !std::isfinite(norm(a)) ||
      !std::isfinite(parts.state.fluid.s[i]) ||
      (parts.state.fluid.classic && !std::isfinite(parts.state.fluid.classic->u[i])))
    text << "has a value that is not finite"
         << (parts.state.steps == 0
                 ? " at the start: check velocity, pressure and density of [start] and regions for a division by 0"
                 : ": the step before was too long or two particles met; try a smaller method.cfl");
  else if (norm(v) > c.speed_limit && (c.state.is_gas() || parts.state.world.method.speed_limit > 0))
    text << "moves at " << norm(v) << " m/s, above the limit of " << c.speed_limit
         << " m/s: raise method.speed_limit if this speed is correct, or try a smaller method.cfl";
  else if (norm(v) > c.speed_limit)
    text << "moves at " << norm(v) << " m/s, above the limit of " << c.speed_limit
         << " m/s: raise fluid.max_speed (the speed of sound must be well above every speed)";
  else if (norm(moved) > c.length.cell_edge)  // particles are sorted before a step in which one would move that far
    text << "has jumped by " << norm(moved) << " m: try a smaller method.cfl";
  else if (!c.density_is_sound(parts.state.fluid.s[i]) && c.state.is_gas())
    text << "has an invalid density: try a smaller method.cfl or a finer domain.spacing";
  else if (!c.density_is_sound(parts.state.fluid.s[i]))
    text << "has a density that is off by " << 100 * parts.state.fluid.s[i]
         << (parts.state.fluid.s[i] > 0 && has_no_way_out(parts.state.world)
                 ? " %: fluid flows in but cannot leave; end the inflow before the domain is full, or add an outflow"
                 : " %: raise fluid.max_speed or refine domain.spacing");
  return text.str();
}

}  // namespace

template <class T, int D>
solver::Diagnosis diagnose(const Parts<T, D>& parts) {
  constexpr std::string_view k_phase = "diagnosis";
  const auto& fluid = parts.state.fluid;
  auto& communicator = parts.domain.communicator();
  std::int64_t own = std::numeric_limits<std::int64_t>::max();
  std::size_t place = 0;
  for (std::size_t i = 0; i < fluid.id.size(); ++i)
    if (fluid.id[i] < own && !reason_of(parts, i).empty()) own = fluid.id[i], place = i;
  std::int64_t first = own;
  comm::minimum(communicator, {&first, 1}, k_phase);

  solver::Diagnosis found;
  found.step = parts.state.steps;
  found.time = parts.state.time;
  if (first == std::numeric_limits<std::int64_t>::max()) {
    found.text = describe(found);
    return found;
  }
  double owner = own == first ? communicator.rank() : -1;
  comm::maximum(communicator, {&owner, 1}, k_phase);
  const int root = static_cast<int>(owner);
  Offender offender{};
  std::vector<std::byte> reason;
  if (own == first) {
    offender = {first,
                parts.state.constants.rho0 * (1 + fluid.s[place]),
                vector_of(fluid.x, place),
                vector_of(fluid.v, place),
                acceleration_of(parts, place),
                parts.domain.sorted_place(place)};
    const std::string text = reason_of(parts, place);
    const auto bytes = std::as_bytes(std::span(text));
    reason.assign(bytes.begin(), bytes.end());
  }
  offender = comm::broadcast(communicator, offender, root, k_phase);
  reason = comm::broadcast(communicator, std::move(reason), root, k_phase);
  found.id = offender.id;
  found.density = offender.density;
  found.position = offender.position, found.velocity = offender.velocity, found.acceleration = offender.acceleration;
  found.reason.assign(reinterpret_cast<const char*>(reason.data()), reason.size());

  std::vector<solver::Diagnosis::Neighbor> near;
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    // The place by which the particle was sorted at the last rebuild is known even if its position is lost.
    const Vec3 x = vector_of(fluid.x, i);
    const double distance = norm(x - offender.reference);
    if (fluid.id[i] != first && distance < parts.state.constants.length.interaction_radius)
      near.push_back({fluid.id[i], distance, x, vector_of(fluid.v, i), parts.state.constants.rho0 * (1 + fluid.s[i])});
  }
  for (const auto& bytes : comm::gather(communicator, std::as_bytes(std::span(near)), k_phase)) {
    const std::size_t before = found.neighbors.size(), count = bytes.size() / sizeof(solver::Diagnosis::Neighbor);
    found.neighbors.resize(before + count);
    if (count > 0) std::memcpy(found.neighbors.data() + before, bytes.data(), bytes.size());
  }
  std::sort(found.neighbors.begin(), found.neighbors.end(),
            [](const auto& a, const auto& b) { return std::pair(a.distance, a.id) < std::pair(b.distance, b.id); });
  if (found.neighbors.size() > 8) found.neighbors.resize(8);
  found.text = describe(found);
  return found;
}

template <class T, int D>
std::int64_t count_pairs(const Parts<T, D>& parts) {
  const double scale = parts.state.constants.scale;
  const auto count = [&](const neighbors::NeighborList& list, const neighbors::PairData<T>& targets, std::int64_t owned,
                         const neighbors::PairData<T>& sources, std::int32_t sentinel) {
    std::int64_t pairs = 0;
    const auto chunks = list.chunks();
#pragma omp parallel for reduction(+ : pairs)
    for (std::size_t c = 0; c < chunks.size(); ++c)
      for (std::int32_t e = 0; e < chunks[c].length * neighbors::k_chunk; ++e) {
        const std::int64_t i = static_cast<std::int64_t>(c) * neighbors::k_chunk + e % neighbors::k_chunk;
        if (i >= owned) continue;
        const std::int32_t j = chunks[c].entries[e] / k_row_step;
        if (j == sentinel) continue;
        const T* x_i = targets.row(list.targets().row_of(i)).first;
        double r2 = 0;
        for (int d = 0; d < D; ++d) {
          const auto difference = static_cast<std::uint32_t>(targets.get_fixed(x_i + d)) -
                                  static_cast<std::uint32_t>(sources.get_fixed(sources.row(j).first + d));
          const double r = scale * static_cast<std::int32_t>(difference);
          r2 += r * r;
        }
        pairs += r2 < 1;
      }
    return pairs;
  };
  const std::int64_t fluid = parts.domain.fluid_rows.owned(), walls = parts.domain.wall_rows.owned();
  return count(parts.lists.fluid_fluid, parts.scratch.end_rows, fluid, parts.scratch.end_rows,
               parts.domain.fluid_rows.rows) +
         count(parts.lists.fluid_wall, parts.scratch.end_rows, fluid, parts.scratch.walls,
               parts.domain.wall_rows.rows) +
         count(parts.lists.wall_fluid, parts.scratch.walls, walls, parts.scratch.end_rows,
               parts.domain.fluid_rows.rows);
}

template solver::Diagnosis diagnose(const Parts<float, 2>&);
template solver::Diagnosis diagnose(const Parts<float, 3>&);
template solver::Diagnosis diagnose(const Parts<double, 2>&);
template solver::Diagnosis diagnose(const Parts<double, 3>&);
template std::int64_t count_pairs(const Parts<float, 2>&);
template std::int64_t count_pairs(const Parts<float, 3>&);
template std::int64_t count_pairs(const Parts<double, 2>&);
template std::int64_t count_pairs(const Parts<double, 3>&);

}  // namespace eddyline::sph
