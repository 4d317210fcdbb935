#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "physics/mps/weights.hpp"
#include "world/world.hpp"

namespace eddyline::mps {

enum class PressureSolver { multigrid, diagonal };

/// Numerical choices of a world with the solver mps: [method] of its file.
struct Options {
  physics::mps::Weights weights = physics::mps::Weights::wendland;
  PressureSolver pressure_solver = PressureSolver::multigrid;
  double tolerance = 0.03;  // of the pressure equation, relative to its right side
  std::int64_t max_iterations = 500;
  double cfl = 0.8;  // dt <= cfl dx / max |u|
  bool shifting = true;
  double artificial_viscosity = 0.01;  // in units of dx sqrt(g H), added to that of the fluid
  double density_correction = -1;      // gamma; negative: 0.1 with a free surface, else 0.05
};

/// Reads World::options. Throws UserError for an unknown option or a bad value, and for what the solver does not have:
/// openings, gases, a fitted start.
Options options_of(const world::World& world);

}  // namespace eddyline::mps
