#include <map>
#include <string>
#include <variant>

#include "physics/equations/equations.hpp"
#include "solvers/amr/describe.hpp"
#include "solvers/amr/solver.hpp"

namespace eddyline::amr {

solver::Description describe(const physics::Equations& equations, int levels) {
  solver::Description all{.loads = solver::Loaded::bodies};
  solver::Table budget{"budget", {{"step", ""}}};
  for (const auto* part : {&equations.integrals(), &equations.largest()})
    for (const physics::Named& each : *part) budget.columns.push_back({each.name, each.unit});
  all.series.push_back(std::move(budget));
  if (levels > 1) {
    solver::Table cells{"levels", {}};
    for (int level = 0; level < levels; ++level) cells.columns.push_back({"cells_" + std::to_string(level), ""});
    all.series.push_back(std::move(cells));
  }
  if (equations.constraint())
    all.series.push_back({"solver", {{"iterations", ""}, {"residual", ""}, {"all_iterations", ""}}});
  for (const physics::Named& each : equations.quantities()) all.quantities.push_back({each.name, each.unit});
  all.probes = all.quantities;
  if (levels > 1) all.quantities.push_back({"level", ""});
  return all;
}

/// Reads only the options that matter here: a world that is being checked may have others that are wrong.
solver::Description describe(const world::World& world) {
  std::map<std::string, world::OptionValue> options = world.options;
  std::string equations = "wave";
  int levels = 1;
  if (const auto found = options.extract("equations")) equations = std::get<std::string>(found.mapped());
  if (const auto found = options.extract("levels")) levels = static_cast<int>(std::get<std::int64_t>(found.mapped()));
  return describe(*physics::default_equations(equations, world.dimensions, options), levels);
}

}  // namespace eddyline::amr
