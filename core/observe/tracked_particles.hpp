#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/column.hpp"
#include "solver/observer.hpp"
#include "solver/solver.hpp"

namespace eddyline::observe {

/// The column of thermal energy, of particles as of the budget.
inline constexpr const char* k_heat = "thermal_energy";

/// Columns of each tracked particle: its position, velocity, speed, density and pressure, and with `has_heat` its
/// thermal energy. Units of what pictures show are those of a solver's `quantities`.
std::vector<solver::Column> particle_columns(int dimensions, std::span<const solver::Column> quantities, bool has_heat);

bool has_column(std::span<const solver::Column> columns, std::string_view name);

/// The tracked particles of a run and their ids.
class TrackedParticles {
 public:
  /// Finds those that the world names, and checks their ids. Call it at the start, before the fluid moves. Throws
  /// UserError. Collective.
  void find(const solver::Solver& solver);
  /// Adds a particle during the run. Throws UserError if the solver has none.
  void add(const solver::Solver& solver, const std::string& name, std::int64_t id);
  /// Throws UserError if there is none of this name.
  void remove(const std::string& name);
  /// A series for each.
  std::vector<std::unique_ptr<solver::Observer>> observers(solver::Solver& solver, bool has_heat) const;

 private:
  struct Found {
    std::string name;
    std::int64_t id;
  };
  std::vector<Found> found_;
};

}  // namespace eddyline::observe
