#pragma once

#include <cstdint>
#include <string>

#include "world/world.hpp"

namespace eddyline::amr {

/// Options of the solver, as [method] names them.
struct Options {
  std::string equations = "wave";
  double wave_speed = 1;    // c [m/s]
  std::int64_t order = 4;   // of the differences in space: 2, 4, 6
  double cfl = 0.4;         // dt = cfl dx / (c sqrt(D))
  std::int64_t patch = 32;  // largest number of cells along the edge of a patch; changes no result
};

/// Throws UserError.
Options options_of(const world::World& world);

}  // namespace eddyline::amr
