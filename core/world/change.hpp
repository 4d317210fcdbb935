#pragma once
// What may change in a world while it runs.

#include <array>
#include <cstdint>

#include "base/vec.hpp"

namespace eddyline::world {

/// One change, as it travels from rank to rank. SI units.
struct Change {
  enum class Kind : std::int32_t {
    viscosity,    // value.x: kinematic [m^2/s]
    gravity,      // value [m/s^2]
    inflow,       // formulas: velocity of the opening `name` [m/s], of x, y, z, t
    motion,       // formulas: displacement [m] of the body `name` and rotation [rad], of t; value: pivot [m]
    add_probe,    // a probe `name` at value [m]
    remove_probe  // the probe `name`
  };
  static constexpr std::size_t k_longest = 2047, k_longest_name = 63;  // characters

  Kind kind = Kind::viscosity;
  std::array<char, k_longest_name + 1> name{};
  Vec3 value;
  std::array<std::array<char, k_longest + 1>, 4> formulas{};
};

}  // namespace eddyline::world
