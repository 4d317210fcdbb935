#include "solvers/amr/options.hpp"

#include <array>

#include "solver/options.hpp"

namespace eddyline::amr {

Options options_of(const world::World& world) {
  static const std::array<solver::Option<Options>, 5> k_table{{
      {"equations", &Options::equations},
      {"wave_speed", &Options::wave_speed},
      {"order", &Options::order},
      {"cfl", &Options::cfl},
      {"patch", &Options::patch},
  }};
  const auto options = solver::read_options<Options>(k_table, world.options);
  if (options.equations != "wave")
    throw UserError("method.equations = \"" + options.equations + "\"; must be \"wave\".");
  if (options.order != 2 && options.order != 4 && options.order != 6)
    throw UserError("method.order = " + std::to_string(options.order) + "; must be 2, 4 or 6.");
  if (!(options.cfl > 0) || !(options.wave_speed > 0) || options.patch < 1)
    throw UserError("method.cfl, method.wave_speed and method.patch must be positive.");
  return options;
}

}  // namespace eddyline::amr
