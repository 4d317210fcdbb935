#include "solvers/sph/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "particles/tracked.hpp"
#include "solvers/sph/state/constants.hpp"

namespace eddyline::sph {

namespace {

/// Upper bound of the number of places that may hold fluid.
double places_of(const world::World& world) {
  const auto within = [&](const std::pair<Vec3, Vec3>& bounds) {
    double places = 1;
    for (int d = 0; d < world.dimensions; ++d) {
      const double low = std::max(bounds.first[d], world.origin[d]);
      const double high = std::min(bounds.second[d], world.origin[d] + world.size[d]);
      places *= std::max(0.0, high - low) / world.spacing;
    }
    return places;
  };
  if (world.regions.empty()) return within({world.origin, world.origin + world.size});
  double places = 0;
  for (const auto& region : world.regions) places += within(region.shape->bounds());
  return places;
}

/// Returns how much coarser a world is placed to count its particles: it has no more than `k_most` places, but at least
/// eight across its narrowest side.
double coarser(const world::World& world) {
  constexpr double k_most = 4e6, k_fewest_across = 8;
  const double places = places_of(world);
  if (!(places > k_most)) return 1;
  double narrowest = std::numeric_limits<double>::infinity();
  for (int d = 0; d < world.dimensions; ++d) narrowest = std::min(narrowest, world.size[d] / world.spacing);
  return std::max(1.0, std::min(std::pow(places / k_most, 1.0 / world.dimensions), narrowest / k_fewest_across));
}

/// Rounds an inexact count to three digits.
std::int64_t about(double count) {
  if (count < 1000) return std::llround(count);
  const double digit = std::pow(10.0, std::floor(std::log10(count)) - 2);
  return std::llround(std::round(count / digit) * digit);
}

}  // namespace

Estimate estimate(const world::World& world) {
  Estimate e{};
  e.length = particles::lengths(world);
  const double ratio = coarser(world);
  world::World placed = world;
  placed.spacing *= ratio;
  const particles::Placement placement = particles::place(placed);
  if (ratio == 1)
    particles::check_tracked(world, [&](std::int64_t id) {
      return std::ranges::any_of(placement.fluid, [id](const auto& particle) { return particle.id == id; });
    });
  const auto fluid = static_cast<double>(placement.fluid.size()), walls = static_cast<double>(placement.walls.size());
  e.fluid_particles = ratio == 1 ? std::llround(fluid) : about(fluid * std::pow(ratio, world.dimensions));
  e.wall_particles = ratio == 1 ? std::llround(walls) : about(walls * std::pow(ratio, world.dimensions - 1));
  // Measured bytes: state, rows and results of a particle with its ghosts, a stored neighbour, and all of a wall
  // particle.
  const double reach = 1.05 * e.length.interaction_radius / world.spacing;
  const double neighbors = world.dimensions == 2 ? 3.14 * reach * reach : 4.19 * reach * reach * reach;
  const bool classic = world.method.scheme == world::Scheme::classic;
  const double state = world.dimensions == 2 ? (classic ? 300 : 230) : (classic ? 350 : 300), wall = 200;
  const double bytes =
      static_cast<double>(e.fluid_particles) * (state + 4.7 * neighbors) + static_cast<double>(e.wall_particles) * wall;
  e.memory_bytes = static_cast<std::int64_t>(bytes);
  e.device_bytes = static_cast<std::int64_t>(
      device_bytes(world, static_cast<double>(e.fluid_particles), static_cast<double>(e.wall_particles)));
  const double h = e.length.smoothing_length, nu = world.fluid.kinematic_viscosity;
  const double signal = classic ? 1 + 0.6 * world.method.artificial_viscosity : 1.1;
  e.time_step = world.method.cfl * h / (signal * world.fluid.sound_speed);
  if (nu > 0) e.time_step = std::min(e.time_step, world.method.viscous_cfl * h * h / nu);
  return e;
}

double device_bytes(const world::World& world, double fluid, double walls) {
  const particles::Lengths length = particles::lengths(world);
  const double D = world.dimensions, number = world.method.double_precision ? 8 : 4;
  const double reach = (length.interaction_radius + length.skin) / world.spacing;
  const double neighbors = D == 2 ? 3.14 * reach * reach : 4.19 * reach * reach * reach;
  constexpr double k_padding = 1.06, k_growth = 1.03;  // of lists: measured
  double cells = 1, with_images = 1;
  for (int d = 0; d < world.dimensions; ++d) {
    const double along = world.size[d] / length.cell_edge;
    cells *= along + 4;
    if (world.sides[static_cast<std::size_t>(2 * d)].kind == world::SideKind::periodic) with_images *= 1 + 2 / along;
  }
  const bool moves = std::ranges::any_of(world.bodies, [](const auto& body) { return body.motion.has_value(); });
  double row_count = fluid;  // as far apart as neighbours in one list may be
  double codes = neighbors;  // see device::PackedChunk: one more wherever the next neighbour is far away
  for (int d = world.dimensions - 1; d > 0 && row_count >= 0xf000; --d) {
    codes += d == world.dimensions - 1 ? 1 : 2;
    row_count /= world.size[d] / length.cell_edge;
  }
  const double list = 2 * k_padding * k_growth * codes;
  const double row = (D == 2 ? 8 : 12) * number, wall_row = (D == 2 ? 12 : 16) * number, place = 4 * D;
  const bool classic = world.method.scheme == world::Scheme::classic;
  const double state = 24 + 1 + 16 * D + (classic ? 8 + (2 * D + 4) * number : 2 * D * number);
  const double sums = (classic ? D + 2 : 3 * D + 2) * number, extrapolated = classic ? 16 : 0,
               moved = 3 * D * number + 4 * D + 24;
  return fluid * (state + sums + row + place + 3 + list) + fluid * (with_images - 1) * (row + place + 20) +
         walls * (wall_row + place + 4 + extrapolated + (moves ? moved : 0)) + 0.5 * std::min(fluid, walls) * list +
         cells * (16 + 8 * D);
}

std::string device_memory_refusal(const world::World& world, double fluid, double walls, const std::string& device,
                                  double free) {
  const double needed = device_bytes(world, fluid, walls);
  if (needed <= free) return {};
  const auto text = [](const char* form, double value) {
    char found[32];
    std::snprintf(found, sizeof found, form, value);
    return std::string(found);
  };
  const double coarser = std::pow(needed / (0.95 * free), 1.0 / world.dimensions);
  return text("%.3g", fluid) + " particles need about " + text("%.3g GB", needed * 1e-9) + ", and " + device + " has " +
         text("%.3g GB", free * 1e-9) + " left, enough for about " + text("%.2g", fluid * free / needed) +
         ". Use domain.spacing of at least " + text("%.3g m", world.spacing * coarser);
}

double effective_viscosity(const world::World& world) { return sph::Constants(world).nu_fluid; }

}  // namespace eddyline::sph
