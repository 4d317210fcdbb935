#include <string>
#include <utility>
#include <vector>

#include "physics/modules/load_scalars.hpp"
#include "solvers/multiblock/solver.hpp"

namespace eddyline::multiblock {

solver::Description describe(const world::World& world) {
  const int D = world.dimensions;
  const bool is_gas = world.fluid.matter == world::Matter::ideal_gas;
  const std::string per_length = solver::per_length(D);
  const bool is_turbulent = world.fluid.turbulence != world::TurbulenceModel::none;
  solver::Description all{.quantities = solver::flow_quantities(D), .probes = solver::flow_probes(D)};

  std::vector<solver::Column> budget{{"step", "1"}, {"mass", "kg" + per_length}};
  solver::add_vector(budget, "momentum", "kg m/s" + per_length, D);
  budget.push_back({"kinetic_energy", "J" + per_length});
  if (is_gas) budget.push_back({"total_energy", "J" + per_length});
  budget.push_back({"max_speed", "m/s"});
  all.series.push_back({"budget", std::move(budget)});
  all.series.push_back({"residual", {{"residual", "1/s"}, {"drop", "1"}, {"cycles", "1"}}});
  if (is_turbulent) {
    all.series.push_back(
        {"turbulence", {{"residual", "1/s"}, {"max_ratio", "1"}, {"y_plus_max", "1"}, {"y_plus_mean", "1"}}});
    all.probes.insert(all.probes.end() - 1, {"eddy_viscosity_ratio", "1"});
  }
  if (const auto scalars = physics::scalars_of(world)) {
    std::vector<solver::Column> columns;
    for (const auto& each : scalars->scalars()) {
      const std::string unit = each.unit.empty() ? "1" : each.unit;
      const std::string volume = D == 2 ? "m^2" : "m^3";
      all.quantities.push_back({each.name, unit});
      all.probes.insert(all.probes.end() - 1, {each.name, unit});
      columns.push_back({"total_" + each.name, unit == "1" ? volume : unit + " " + volume});
      for (const char* of : {"mean_", "min_", "max_"}) columns.push_back({of + each.name, unit});
      columns.push_back({"residual_" + each.name, unit == "1" ? "1/s" : unit + "/s"});
    }
    all.series.push_back({"scalars", std::move(columns)});
  }
  for (const auto& each : world.openings) all.series.push_back({"opening." + each.name, {solver::mass_flow(D)}});

  if (is_gas) {
    all.quantities.push_back({"density", "kg/m^3"});
    all.quantities.push_back({"temperature", "K"});
    all.quantities.push_back({"mach", "1"});
    all.quantities.push_back({"pressure_coefficient", "1"});
    if (is_turbulent) all.quantities.push_back({"eddy_viscosity_ratio", "1"});
  }
  return all;
}

}  // namespace eddyline::multiblock
