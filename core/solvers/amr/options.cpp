#include "solvers/amr/options.hpp"

#include <algorithm>
#include <array>

#include "solver/options.hpp"

namespace eddyline::amr {

Options options_of(const world::World& world) {
  static const std::array<solver::Option<Options>, 11> k_table{{
      {"equations", &Options::equations},
      {"cfl", &Options::cfl},
      {"patch", &Options::patch},
      {"levels", &Options::levels},
      {"unit", &Options::unit},
      {"tolerance", &Options::tolerance},
      {"refine", &Options::refine},
      {"regrid_every", &Options::regrid_every},
      {"residual", &Options::residual},
      {"cycles", &Options::cycles},
      {"body_layer", &Options::body_layer},
  }};
  std::map<std::string, world::OptionValue> own, others;
  for (const auto& [name, value] : world.options) {
    const bool is_own =
        std::ranges::find(k_table, std::string_view(name), &solver::Option<Options>::name) != k_table.end();
    (is_own ? own : others).emplace(name, value);
  }
  auto options = solver::read_options<Options>(k_table, own);
  options.of_equations = std::move(others);
  if (!(options.cfl > 0) || options.patch < 1) throw UserError("method.cfl and method.patch must be positive.");
  if (options.levels < 1 || options.levels > 10)
    throw UserError("method.levels = " + std::to_string(options.levels) + "; must be 1 to 10.");
  if (!(options.residual > 0) || options.cycles < 1)
    throw UserError("method.residual and method.cycles must be positive.");
  if (options.levels == 1) return options;
  if (options.unit != 4 && options.unit != 8)
    throw UserError("method.unit = " + std::to_string(options.unit) + "; must be 4 or 8.");
  if (options.body_layer < 2) throw UserError("method.body_layer must be at least 2.");
  if (options.tolerance < 0 || (options.tolerance == 0 && options.refine.empty() && world.bodies.empty()))
    throw UserError("method.levels = " + std::to_string(options.levels) +
                    " needs method.tolerance, above 0, or method.refine.");
  if (options.regrid_every < 1) throw UserError("method.regrid_every must be at least 1.");
  return options;
}

physics::Settings settings_of(const Options& options, const world::World& world) {
  return {options.equations, options.of_equations, &world};
}

}  // namespace eddyline::amr
