#pragma once
// Columns of tables: of series, and of sets of points or cells; and what a solver records and shows.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "world/world.hpp"

namespace eddyline::solver {

/// A column of a table: of a series, or of a set of points or cells.
struct Column {
  std::string name, unit;
};

/// A series and its columns after the first, which is the time.
struct Table {
  std::string name;
  std::vector<Column> columns;
};

/// The solids whose forces a solver knows: bodies alone; or bodies and walls, with the work that they do.
enum class Loaded { bodies, solids };

/// Names of what a solver records and shows of a world; known without running it. Every name and unit is written here
/// and nowhere else: observers, samplers and the package ask.
struct Description {
  std::vector<Table> series{};       // the solver's own; its budget comes first
  std::vector<Column> quantities{};  // that pictures can show
  std::vector<Column> probes{};      // columns of each probe
  Loaded loads = Loaded::solids;

  const std::vector<Column>& columns(std::string_view table) const;
};

/// The end of units that hold in 2D for each metre of depth: "/m", or "" in 3D.
std::string per_length(int dimensions);
/// Appends a column for each axis: "momentum_x", ...
void add_vector(std::vector<Column>& columns, const std::string& name, const std::string& unit, int dimensions);

// Parts that the descriptions of several solvers of flows share.
std::vector<Column> flow_quantities(int dimensions);  // speed, velocity, vorticity in 2D, pressure
std::vector<Column> flow_probes(int dimensions);      // pressure, velocity, fluid_fraction
Column mass_flow(int dimensions);

/// The way in which pictures show the values of a quantity.
enum class Shade { plain, from_zero, diverging, whole };
/// The words for a quantity in pictures: the same for all solvers.
struct Words {
  std::string label;
  Shade shade = Shade::plain;
};
Words words_of(std::string_view quantity);

/// The solids with known forces, in the order of their series: indices of bodies, then -1 - side of walls.
std::vector<std::int32_t> loaded_solids(const world::World& world, Loaded which = Loaded::solids);
/// Name of a body or side, by its number among loaded_solids().
std::string name_of_solid(const world::World& world, std::int32_t owner);
/// Tells whether any solid does work on the fluid: a body that moves, or a side that slides.
bool has_work(const world::World& world);

}  // namespace eddyline::solver
