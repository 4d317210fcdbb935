#include "solvers/multiblock/options.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <variant>

#include "base/errors.hpp"

namespace eddyline::multiblock {

namespace {

using Member = std::variant<bool Options::*, std::int64_t Options::*, double Options::*, std::string Options::*>;

/// An option by name. Numbers must lie between `least` and `most`; a text must be one of `choices`, separated by
/// spaces.
struct Entry {
  std::string_view name;
  Member member;
  double least = 0, most = 0;
  std::string_view choices{};
};

const Entry k_options[] = {
    {"steady", &Options::steady},
    {"tolerance", &Options::tolerance, 1e-14, 1},
    {"time_step", &Options::time_step, 0, 1e30},
    {"courant", &Options::courant, 1e-6, 1e6},
    {"coarse_start", &Options::coarse_start, 0, 10000},
    {"inner_cycles", &Options::inner_cycles, 1, 10000},
    {"inner_tolerance", &Options::inner_tolerance, 1e-14, 1},
    {"cfl", &Options::cfl, 0, 10},
    {"compressibility", &Options::compressibility, 0.1, 1000},
    {"dissipation", &Options::dissipation, 0, 1},
    {"dissipation_kind", &Options::dissipation_kind, 0, 0, "scalar matrix"},
    {"shock_dissipation", &Options::shock_dissipation, 0, 10},
    {"sweeps", &Options::sweeps, 0, 10},
    {"viscous", &Options::viscous, 0, 0, "full thin_layer"},
    {"cycle", &Options::cycle, 0, 0, "V W"},
    {"levels", &Options::levels, 0, 20},
    {"reference_speed", &Options::reference_speed, 0, 1e30},
};

bool is_choice(std::string_view value, std::string_view choices) {
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find(' '), choices.size());
    if (choices.substr(0, end) == value) return true;
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return false;
}

void set(Options& options, const Entry& entry, const world::OptionValue& value) {
  const std::string name = "method." + std::string(entry.name);
  const auto wrong = [&](const std::string& allowed) { return UserError(name + ": must be " + allowed + "."); };
  const auto in_range = [&](double number) {
    if (number >= entry.least && number <= entry.most) return;
    throw wrong("a number from " + std::to_string(entry.least) + " to " + std::to_string(entry.most));
  };
  std::visit(
      [&](auto member) {
        auto& target = options.*member;
        using T = std::remove_reference_t<decltype(target)>;
        if constexpr (std::is_same_v<T, double>) {
          if (const auto* whole = std::get_if<std::int64_t>(&value))
            target = static_cast<double>(*whole);
          else if (const auto* real = std::get_if<double>(&value))
            target = *real;
          else
            throw wrong("a number");
          in_range(target);
        } else {
          const auto* given = std::get_if<T>(&value);
          if (given == nullptr) throw wrong(std::is_same_v<T, bool> ? "true or false" : "of another type");
          target = *given;
          if constexpr (std::is_same_v<T, std::int64_t>) in_range(static_cast<double>(target));
          if constexpr (std::is_same_v<T, std::string>)
            if (!is_choice(target, entry.choices)) throw wrong("one of: " + std::string(entry.choices));
        }
      },
      entry.member);
}

}  // namespace

Options Options::of(const world::World& world) {
  Options options;
  const bool has_module = world.options.contains("library");  // its parameters are options as well
  for (const auto& [name, value] : world.options) {
    const auto* entry = std::ranges::find(k_options, name, &Entry::name);
    if (entry == std::end(k_options) && has_module) continue;
    if (entry == std::end(k_options)) throw UserError("method." + name + ": the solver multiblock has no such option.");
    set(options, *entry, value);
  }
  return options;
}

}  // namespace eddyline::multiblock
