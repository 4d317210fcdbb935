#pragma once
// Small worlds that move, one for each thing that ranks, boxes and threads share: a free surface, openings and a moving
// body, periodic sides in 2D and 3D, the scheme classic. And what a run of one ends with.

#include <cstdint>
#include <cstring>
#include <vector>

#include "driver/simulation.hpp"

namespace fixture {

namespace comm = eddyline::comm;
namespace driver = eddyline::driver;
namespace integrate = eddyline::integrate;
namespace observe = eddyline::observe;
namespace world = eddyline::world;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::int64_t k_slow = 4;  // sanitizers take ten times as long, and find what they find in few steps
#else
inline constexpr std::int64_t k_slow = 1;
#endif

inline world::Formula formula(const char* text) { return world::Formula(text, world::k_field_variables); }

/// A column of water that collapses towards a wall and splashes over an open top, beside a block.
inline world::World dam() {
  world::World w;
  w.size = {1, 0.6, 0};
  w.spacing = 0.02;
  w.gravity = {0, -9.81, 0};
  w.sides[3].kind = world::SideKind::open;
  w.fluid.density = 1000;
  w.fluid.sound_speed = 30;
  world::Region column;
  column.name = "water";
  column.shape = world::make_rectangle({0, 0, 0}, {0.35, 0.5, 0});
  column.pressure_start = world::PressureStart::hydrostatic;
  w.regions = {column};
  world::Body block;
  block.name = "block";
  block.shape = world::make_rectangle({0.55, 0, 0}, {0.65, 0.08, 0});
  w.bodies = {block};
  w.probes = {{"foot", {0.5, 0.02, 0}}};
  w.gauges = {{"level", {0.2, 0, 0}, 1}};
  w.fronts = {{"front", 0}};
  return w;
}

/// A stream past a cylinder that swings across it, in through the left and out through the right.
inline world::World stream() {
  world::World w;
  w.size = {1, 0.5, 0};
  w.spacing = 0.025;
  w.fluid.density = 1.0;
  w.fluid.kinematic_viscosity = 2e-3;
  w.fluid.sound_speed = 25.0;
  w.sides[0].kind = world::SideKind::inflow;
  w.sides[1].kind = world::SideKind::outflow;
  world::Opening in;
  in.name = "left";
  in.upper = {0, 0.5, 0};
  in.velocity[0] = formula("1 + 0.3*sin(20*t)");
  in.density = 1.0;
  world::Opening out;
  out.name = "right";
  out.inflow = false;
  out.inward = -1;
  out.lower = {1, 0, 0};
  out.upper = {1, 0.5, 0};
  out.pressure = formula("2");
  w.openings = {in, out};
  world::Body cylinder;
  cylinder.name = "cylinder";
  cylinder.shape = world::make_circle({0.35, 0.25, 0}, 0.15);
  world::Motion swing;
  swing.displacement[1] = formula("0.06*sin(15*t)");
  swing.rotation = formula("2*t");
  swing.pivot = {0.35, 0.25, 0};
  cylinder.motion = swing;
  w.bodies = {cylinder};
  w.start.velocity[0] = formula("1");
  w.start.pressure_start = world::PressureStart::formula;
  w.start.pressure = formula("2");
  w.probes = {{"wake", {0.6, 0.25, 0}}};
  return w;
}

/// A periodic box of eddies.
inline world::World eddies(int dimensions) {
  world::World w;
  w.dimensions = dimensions;
  w.size = {1, 1, dimensions == 3 ? 1.0 : 0.0};
  w.spacing = dimensions == 3 ? 0.0625 : 0.03125;
  w.fluid.density = 1;
  w.fluid.kinematic_viscosity = 1e-3;
  w.fluid.sound_speed = 10;
  for (int s = 0; s < 2 * dimensions; ++s) w.sides[static_cast<std::size_t>(s)].kind = world::SideKind::periodic;
  w.start.velocity[0] = formula("sin(2*pi*x)*cos(2*pi*y)");
  w.start.velocity[1] = formula("-cos(2*pi*x)*sin(2*pi*y)");
  w.start.jitter = 0.1;
  return w;
}

/// A gas that bursts between two walls, with the scheme classic.
inline world::World burst() {
  auto w = eddies(2);
  w.sides[2].kind = w.sides[3].kind = world::SideKind::wall;
  w.method.scheme = world::Scheme::classic;
  w.method.artificial_viscosity = 1;
  w.method.artificial_viscosity_beta = 2;
  w.fluid.matter = world::Matter::ideal_gas;
  w.fluid.sound_speed = 4;
  w.start.velocity = {};
  w.start.velocity[0] = formula("2");
  w.start.density = formula("1");
  w.start.pressure_start = world::PressureStart::formula;
  w.start.pressure = formula("1 + 10*exp(-50*((x-0.5)^2 + (y-0.2)^2))");
  return w;
}

struct Result {
  driver::Checksum particles;
  std::vector<std::vector<double>> series;
  std::vector<float> picture;
  std::int64_t fluid = 0, migrants = 0, rebuilds = 0;
};

inline Result run(const world::World& world, const integrate::Execution& execution, comm::Communicator& communicator,
                  std::int64_t steps) {
  const auto simulation = driver::Simulation::make(world, execution, 0.01, communicator);
  simulation->advance(1e9, steps, 1e9);
  Result result;
  result.particles = simulation->checksum();
  for (auto& series : simulation->take_series()) result.series.push_back(series.values);
  const observe::Plane plane{40, 25, world.origin, world.origin + world.size};
  result.picture.resize(1000);
  simulation->raster("pressure", plane, result.picture);
  const auto statistics = simulation->statistics();
  result.fluid = statistics.fluid_particles;
  result.migrants = statistics.migrants;
  result.rebuilds = statistics.rebuilds;
  return result;
}

inline integrate::Execution execution() {
  integrate::Execution e;
  e.threads = 1;
  return e;
}

inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace fixture
