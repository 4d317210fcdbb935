#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "physics/equations/settings.hpp"
#include "world/world.hpp"

namespace eddyline::amr {

/// Options of the solver, as [method] names them.
struct Options {
  std::string equations = "wave";
  double cfl = 0.4;               // dt = cfl dx / speed of signals, summed over axes; of the wave equation c sqrt(D)
  std::int64_t patch = 32;        // largest number of cells along the edge of a patch; changes no result
  std::int64_t levels = 1;        // at most; the finest one has the world's spacing
  std::int64_t unit = 8;          // cells along the edge of what is refined together
  double tolerance = 0;           // largest variation that is not refined; 0: none is given
  std::string refine{};           // formula that chooses the cells to refine
  std::int64_t regrid_every = 2;  // steps of the coarsest level
  double residual = 1e-6;         // of the potential, relative to its right side; of equations with a constraint
  std::int64_t cycles = 30;       // of multigrid after a step, at most
  std::int64_t body_layer = 4;    // cells of each level before the surfaces of bodies that are refined
  std::map<std::string, world::OptionValue> of_equations{};  // all others
};

/// Throws UserError.
Options options_of(const world::World& world);

/// Parts of a world that the equations read. `world` must outlive the result.
physics::Settings settings_of(const Options& options, const world::World& world);

}  // namespace eddyline::amr
