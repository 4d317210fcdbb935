#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "base/errors.hpp"
#include "world/world.hpp"

namespace eddyline::physics {

/// Parts of a world that a set of equations reads: its name, the options of [method] that are its own, and the world.
struct Settings {
  std::string name;
  std::map<std::string, world::OptionValue> options;
  const world::World* world = nullptr;

  int dimensions() const { return world->dimensions; }

  /// The value of an option; a whole number serves as a real one. Throws UserError for a value of another type.
  double number(const std::string& option, double otherwise) const {
    const auto found = options.find(option);
    if (found == options.end()) return otherwise;
    if (const auto* real = std::get_if<double>(&found->second)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
    throw UserError("method." + option + ": has a value of another type.");
  }
  std::int64_t whole(const std::string& option, std::int64_t otherwise) const {
    const double value = number(option, static_cast<double>(otherwise));
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) != value) throw UserError("method." + option + ": has a value of another type.");
    return whole;
  }
  std::string text(const std::string& option, const std::string& otherwise) const {
    const auto found = options.find(option);
    if (found == options.end()) return otherwise;
    if (const auto* text = std::get_if<std::string>(&found->second)) return *text;
    throw UserError("method." + option + ": has a value of another type.");
  }
};

}  // namespace eddyline::physics
