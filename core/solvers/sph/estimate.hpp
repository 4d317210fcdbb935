#pragma once

#include <cstdint>
#include <string>

#include "particles/place.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

/// The resources that a run will need, found without running it. estimate() throws UserError if there is no fluid, or,
/// of worlds that it places at their own spacing, no particle that is tracked by its id.
struct Estimate {
  std::int64_t fluid_particles, wall_particles, memory_bytes;
  std::int64_t device_bytes;  // on a device, lists included; the host needs its memory as well
  double time_step;           // at the start [s]
  particles::Lengths length;
};
Estimate estimate(const world::World& world);

/// Bytes that a device needs for so many particles, lists included. Scheme delta.
double device_bytes(const world::World& world, double fluid, double walls);

/// Tells, in a sentence without its full stop, that a device with so many bytes left has too little memory, and what
/// would fit; empty: it has enough.
std::string device_memory_refusal(const world::World& world, double fluid, double walls, const std::string& device,
                                  double free);

/// Kinematic viscosity between fluid particles [m^2/s]: that of the fluid, or the equivalent of
/// `method.artificial_viscosity` if that is larger. Scheme delta.
double effective_viscosity(const world::World& world);

}  // namespace eddyline::sph
