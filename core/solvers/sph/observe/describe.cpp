#include <string>
#include <vector>

#include "solvers/sph/solver.hpp"
#include "solvers/sph/state/constants.hpp"

namespace eddyline::sph {

namespace {

std::vector<solver::Column> budget(const world::World& world) {
  const int D = world.dimensions;
  const std::string per_length = solver::per_length(D), joule = "J" + per_length;
  std::vector<solver::Column> columns{{"step", "1"}, {"particles", "1"}, {"mass", "kg" + per_length}};
  solver::add_vector(columns, "momentum", "kg m/s" + per_length, D);
  columns.push_back({"kinetic_energy", joule});
  columns.push_back({"potential_energy", joule});
  if (world.method.scheme == world::Scheme::classic) {  // its thermal energy includes the work of compression
    columns.push_back({"thermal_energy", joule});
    columns.push_back({"total_energy", joule});
  } else {
    columns.push_back({"elastic_energy", joule});
  }
  columns.push_back({"max_speed", "m/s"});
  columns.push_back({"left_mass", "kg" + per_length});  // through open sides
  if (has_free_surface(world)) columns.push_back({"under_tension", "1"});
  return columns;
}

std::vector<solver::Column> opening(int D) {
  const std::string per_length = solver::per_length(D);
  std::vector<solver::Column> columns{solver::mass_flow(D), {"mass", "kg" + per_length}};
  solver::add_vector(columns, "momentum", "kg m/s" + per_length, D);
  solver::add_vector(columns, "force", "N" + per_length, D);
  return columns;
}

}  // namespace

solver::Description describe(const world::World& world) {
  solver::Description all{.quantities = solver::flow_quantities(world.dimensions),
                          .probes = solver::flow_probes(world.dimensions)};
  all.series.push_back({"budget", budget(world)});
  for (const auto& each : world.openings) all.series.push_back({"opening." + each.name, opening(world.dimensions)});
  all.quantities.push_back({"density", "kg/m^3"});
  all.quantities.push_back({"cover", "1"});
  return all;
}

}  // namespace eddyline::sph
