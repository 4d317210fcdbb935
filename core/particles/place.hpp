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
  std::uint8_t buffer = 0;  // 1 + the index of the opening if the particle is in its buffer; 0: none
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

/// Distance beyond an open side at which fluid is removed, as a fraction of the domain's size along that axis. Walls
/// beside the open side extend as far.
inline constexpr double k_open_margin = 0.5;

/// Least distance of lattice points from a body, in spacings; nearer points hold no fluid.
inline constexpr double k_clearance = 0.25;

/// Fraction of a body's dummy particle at x that is inside the walls of the domain. It is 1 inside and 0 beyond a wall,
/// where the wall has its own dummy particles; in between it is the part of the spacing that is inside.
double fraction_inside_walls(const world::World& world, Vec3 x);

/// Places the particles of a world at the positions that `keeps` accepts; each rank places its own.
Placement place(const world::World& world, const std::function<bool(Vec3)>& keeps);
/// Places all particles. Throws UserError if there is no fluid.
Placement place(const world::World& world);

/// Places the dummy particles of a body that is added to a running flow. addition: number of the addition, from 1,
/// which makes their ids unique.
std::deque<PlacedWall> place_body(const world::World& world, std::size_t body, std::int64_t addition,
                                  const std::function<bool(Vec3)>& keeps);

}  // namespace eddyline::particles
