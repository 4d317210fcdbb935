#pragma once

#include <cstdint>
#include <string>

#include "world/world.hpp"

namespace eddyline::multiblock {

/// The options of [method] of this solver.
struct Options {
  bool steady = false;                      // seek a steady flow; a step is one multigrid cycle
  double tolerance = 1e-6;                  // steady: the residual that ends the search, over the largest one before
  double time_step = 0;                     // [s]; 0: courant spacing / reference speed
  double courant = 1;                       // see time_step
  std::int64_t coarse_start = 0;            // steady: cycles on each coarser level before the first on the finest
  std::int64_t inner_cycles = 20;           // most multigrid cycles of a time step
  double inner_tolerance = 1e-3;            // drop of the residual that ends a time step
  double cfl = 0;                           // of local steps in pseudo-time; 0: 3, of a gas 4 in 2D and 2.5 in 3D
  double compressibility = 2;               // beta / U^2, with the reference speed U
  double dissipation = 1.0 / 64;            // k4: coefficient of third differences
  std::string dissipation_kind = "scalar";  // or "matrix"
  double shock_dissipation = 0.5;           // gas: k2: coefficient of first differences at shocks
  std::int64_t sweeps = -1;                 // of smoothing of residuals; -1: 2 of a gas, else 0
  std::string viscous = "full";             // or "thin_layer"
  std::string cycle = "W";                  // or "V"
  std::int64_t levels = 0;                  // of multigrid; 0: as many as the mesh allows
  double reference_speed = 0;               // U [m/s]; 0: the largest speed that the world imposes

  /// Throws UserError for an option that does not exist, has another type or is out of range.
  static Options of(const world::World& world);
};

}  // namespace eddyline::multiblock
