#include "solvers/amr/options.hpp"

#include <algorithm>
#include <array>

#include "solver/options.hpp"

namespace eddyline::amr {

Options options_of(const world::World& world) {
  static const std::array<solver::Option<Options>, 3> k_table{{
      {"equations", &Options::equations},
      {"cfl", &Options::cfl},
      {"patch", &Options::patch},
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
  return options;
}

physics::Settings settings_of(const Options& options, const world::World& world) {
  return {options.equations, options.of_equations, &world};
}

}  // namespace eddyline::amr
