#include <string>
#include <utility>
#include <vector>

#include "solvers/mps/solver.hpp"

namespace eddyline::mps {

solver::Description describe(const world::World& world) {
  const int D = world.dimensions;
  const std::string per_length = solver::per_length(D);
  solver::Description all{.quantities = solver::flow_quantities(D), .probes = solver::flow_probes(D)};

  std::vector<solver::Column> budget{{"step", "1"}, {"particles", "1"}, {"mass", "kg" + per_length}};
  solver::add_vector(budget, "momentum", "kg m/s" + per_length, D);
  budget.push_back({"kinetic_energy", "J" + per_length});
  budget.push_back({"potential_energy", "J" + per_length});
  budget.push_back({"max_speed", "m/s"});
  budget.push_back({"left_mass", "kg" + per_length});
  all.series.push_back({"budget", std::move(budget)});

  all.series.push_back(
      {"solver", {{"iterations", "1"}, {"residual", "1"}, {"all_iterations", "1"}, {"time_step", "s"}}});

  std::vector<solver::Column> opening{solver::mass_flow(D), {"mass", "kg" + per_length}};
  solver::add_vector(opening, "momentum", "kg m/s" + per_length, D);
  solver::add_vector(opening, "force", "N" + per_length, D);
  for (const auto& each : world.openings) all.series.push_back({"opening." + each.name, opening});

  all.quantities.push_back({"density", "kg/m^3"});
  all.quantities.push_back({"cover", "1"});
  return all;
}

}  // namespace eddyline::mps
