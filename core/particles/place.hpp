#pragma once
// The particles of a world at the start: fluid on a lattice or along surfaces, dummy particles in walls and bodies.

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "world/world.hpp"

namespace eddyline::particles {

struct PlacedFluid {
  std::int64_t id;
  Vec3 position;
  double volume;            // m^D
  double pressure;          // Pa
  double density;           // kg/m^3; of a gas, else 0
  std::uint8_t buffer = 0;  // 1 + the opening whose buffer it stands in; 0: none
};

struct PlacedWall {
  std::int64_t id;
  Vec3 position;
  double volume;       // m^D
  std::int32_t owner;  // index of the body, or -1 - side for a side of the domain
  bool no_slip;
};

struct Placement {
  std::deque<PlacedFluid> fluid;
  std::deque<PlacedWall> walls;
};

/// Lengths that follow from the method. SI units.
struct Lengths {
  double spacing;             // dx
  double smoothing_length;    // h
  double interaction_radius;  // R = 2 h
  double skin;                // Verlet skin
  double cell_edge;           // R + skin
};
Lengths lengths(const world::World& world);

/// Distance between lattice points along each axis: the domain holds a whole number of them, except along an axis with
/// an open side, where it is dx.
Vec3 lattice_spacing(const world::World& world);

/// How far fluid may go beyond an open side before it has left for good, as a share of the domain's size along that
/// axis. Walls beside the open side go on for as long.
inline constexpr double k_open_margin = 0.5;

/// Lattice points nearer than this to a body are left out, in spacings.
inline constexpr double k_clearance = 0.25;

/// How much of a body's dummy particle at x counts: 1 inside the domain, 0 beyond a side that is a wall, whose own
/// dummy particles are there, and in between by how much of its spacing is inside. What a body has beyond a wall is
/// neutral.
double fraction_inside_walls(const world::World& world, Vec3 x);

/// The particles of a world that stand where `keeps` says so: a rank places its own.
Placement place(const world::World& world, const std::function<bool(Vec3)>& keeps);
/// All of them. Throws UserError if there is no fluid.
Placement place(const world::World& world);

/// Dummy particles of a body that comes into a running flow. addition: its number in the order of coming, from 1, so
/// that their ids are new.
std::deque<PlacedWall> place_body(const world::World& world, std::size_t body, std::int64_t addition,
                                  const std::function<bool(Vec3)>& keeps);

}  // namespace eddyline::particles
