#pragma once
// Options of a solver as one table: what [method] of a world file may hold beyond the solver's name.

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/errors.hpp"
#include "world/world.hpp"

namespace eddyline::solver {

/// One option: its name in [method], and the member that takes its value. The default is that of the struct.
template <class Options>
struct Option {
  std::string_view name;
  std::variant<bool Options::*, std::int64_t Options::*, double Options::*, std::string Options::*> member;
};

/// Reads a world's options by a table. Throws UserError for an unknown name or a value of another type. A whole number
/// serves as a real one.
template <class Options>
Options read_options(std::span<const Option<Options>> table, const std::map<std::string, world::OptionValue>& given) {
  Options options;
  for (const auto& [name, value] : given) {
    const auto found = std::ranges::find(table, std::string_view(name), &Option<Options>::name);
    if (found == table.end()) throw UserError("method." + name + ": the solver has no such option.");
    std::visit(
        [&](auto member) {
          using Value = std::remove_reference_t<decltype(options.*member)>;
          if (const Value* same = std::get_if<Value>(&value)) {
            options.*member = *same;
            return;
          }
          if constexpr (std::is_same_v<Value, double>)
            if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) {
              options.*member = static_cast<double>(*whole);
              return;
            }
          throw UserError("method." + name + ": has a value of another type.");
        },
        found->member);
  }
  return options;
}

}  // namespace eddyline::solver
