#include "solvers/mps/options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <sstream>
#include <string_view>
#include <variant>

#include "base/errors.hpp"
#include "domain/wall_friction.hpp"
#include "particles/tracked.hpp"

namespace eddyline::mps {

namespace {

using world::OptionValue;

[[noreturn]] void refuse(std::string_view name, const std::string& allowed) {
  throw UserError("method." + std::string(name) + ": must be " + allowed + ".");
}

double number(std::string_view name, const OptionValue& value, double least, double most) {
  double x = NAN;
  if (const auto* real = std::get_if<double>(&value)) x = *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) x = static_cast<double>(*whole);
  if (x >= least && x <= most) return x;
  std::ostringstream allowed;
  allowed << "a number from " << least << " to " << most;
  refuse(name, allowed.str());
}

/// The place of a word in a list.
std::size_t word(std::string_view name, const OptionValue& value, std::span<const std::string_view> words) {
  if (const auto* text = std::get_if<std::string>(&value))
    if (const auto found = std::ranges::find(words, *text); found != words.end())
      return static_cast<std::size_t>(found - words.begin());
  std::string allowed = "one of";
  for (const std::string_view each : words) allowed += (each == words.front() ? " " : ", ") + std::string(each);
  refuse(name, allowed);
}

struct Option {
  std::string_view name;
  void (*set)(std::string_view name, const OptionValue& value, Options& options);
};

constexpr std::array<std::string_view, 2> k_pressure_solvers{"multigrid", "diagonal"};

constexpr std::array k_options{
    Option{"weights",
           [](std::string_view name, const OptionValue& value, Options& options) {
             options.weights = static_cast<physics::mps::Weights>(word(name, value, physics::mps::k_weights_names));
           }},
    Option{"pressure_solver",
           [](std::string_view name, const OptionValue& value, Options& options) {
             options.pressure_solver = static_cast<PressureSolver>(word(name, value, k_pressure_solvers));
           }},
    Option{"tolerance", [](std::string_view name, const OptionValue& value,
                           Options& options) { options.tolerance = number(name, value, 1e-12, 0.5); }},
    Option{"max_iterations",
           [](std::string_view name, const OptionValue& value, Options& options) {
             options.max_iterations = static_cast<std::int64_t>(number(name, value, 1, 1e6));
           }},
    Option{"cfl", [](std::string_view name, const OptionValue& value,
                     Options& options) { options.cfl = number(name, value, 1e-3, 2); }},
    Option{"shifting",
           [](std::string_view name, const OptionValue& value, Options& options) {
             if (!std::holds_alternative<bool>(value)) refuse(name, "true or false");
             options.shifting = std::get<bool>(value);
           }},
    Option{"artificial_viscosity", [](std::string_view name, const OptionValue& value,
                                      Options& options) { options.artificial_viscosity = number(name, value, 0, 10); }},
    Option{"density_correction", [](std::string_view name, const OptionValue& value,
                                    Options& options) { options.density_correction = number(name, value, -1, 1); }},
};

void check_world(const world::World& world) {
  const auto lacks = [](const std::string& what, const char* instead) {
    throw UserError("method.name = \"mps\" has no " + what + ": " + instead + ", or use method.name = \"sph\".");
  };
  for (const auto& opening : world.openings)
    if (opening.stream) lacks("sides of type stream", "write inflow, outflow and slip walls");
  if (world.fluid.matter == world::Matter::ideal_gas) lacks("gas", "use a liquid");
}

}  // namespace

Options options_of(const world::World& world) {
  check_world(world);
  Options options;
  for (const auto& [name, value] : world.options) {
    if (domain::Friction::is_option(name) || particles::is_tracked_option(name)) continue;
    const auto* found = std::ranges::find(k_options, std::string_view(name), &Option::name);
    if (found == k_options.end()) throw UserError("method." + name + ": the solver mps has no such option.");
    found->set(name, value, options);
  }
  return options;
}

}  // namespace eddyline::mps
