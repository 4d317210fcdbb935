#pragma once

#include <cstdint>

#include "particles/place.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

/// What a run will need, found without running it.
struct Estimate {
  std::int64_t fluid_particles, wall_particles, memory_bytes;
  double time_step;  // at the start [s]
  particles::Lengths length;
};
Estimate estimate(const world::World& world);

/// Kinematic viscosity between fluid particles [m^2/s]: that of the fluid, or what `method.artificial_viscosity` is
/// worth if that is more. Scheme delta.
double effective_viscosity(const world::World& world);

}  // namespace eddyline::sph
