#include "solvers/amr/refinement.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace eddyline::amr {

namespace {

const std::array<std::string, k_place_variables> k_places{"x", "y", "z", "t", "level"};

}  // namespace

world::Formula refinement_of(const Options& options, const physics::Equations& equations) {
  if (options.refine.empty()) return {};
  std::vector<std::string> names(k_places.begin(), k_places.end());
  for (const physics::Named& each : equations.quantities()) names.push_back(each.name);
  try {
    return {options.refine, names};
  } catch (const UserError& error) {
    throw UserError("method.refine: " + std::string(error.what()));
  }
}

bool can_change(const world::Formula& formula) {
  const std::vector<std::string> used = formula.used_variables();
  return std::ranges::any_of(
      used, [](const std::string& name) { return name == "t" || std::ranges::find(k_places, name) == k_places.end(); });
}

}  // namespace eddyline::amr
