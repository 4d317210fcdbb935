#pragma once
// Changes of a world during a run.

#include <array>
#include <cstdint>

#include "base/vec.hpp"
#include "world/shapes.hpp"
#include "world/world.hpp"

namespace eddyline::world {

/// One change, in the form that ranks send to each other. SI units.
struct Change {
  enum class Kind : std::int32_t {
    viscosity,     // value.x: kinematic [m^2/s]
    gravity,       // value [m/s^2]
    inflow,        // formulas: velocity of the opening `name` [m/s], of x, y, z, t
    motion,        // formulas: displacement [m] of the body `name` and rotation [rad], of t; value: pivot [m]
    add_probe,     // a probe `name` at value [m]
    remove_probe,  // the probe `name`
    add_body,      // a body `name` at rest, its shape as numbers
    remove_body,   // the body `name`
    parameter,     // the option `name` of the world becomes value.x
    term           // formulas: those of the term whose options begin with `name`, "terms.NN.KIND"
  };
  enum class ShapeKind : std::int32_t { circle, rectangle, polygon, line, sphere, box, cylinder };
  static constexpr std::size_t k_longest = 2047, k_longest_name = 63;  // characters
  static constexpr std::size_t k_most_numbers = 768;                   // of a shape: a polygon of 256 corners

  Kind kind = Kind::viscosity;
  std::array<char, k_longest_name + 1> name{};
  Vec3 value;
  std::array<std::array<char, k_longest + 1>, 4> formulas{};

  ShapeKind shape = ShapeKind::circle;
  bool slip = false;
  std::int32_t count = 0;  // of numbers
  /// Arguments of the factories of shapes; points have three coordinates [m]: circle, sphere: centre, diameter;
  /// rectangle: min, max, angle [rad]; polygon: its corners; line, cylinder: from, to, thickness or diameter; box: min,
  /// max.
  std::array<double, k_most_numbers> numbers{};
};

/// The shape of a body that is added. Throws UserError if the numbers define no valid shape.
ShapePtr shape_of(const Change& change);

/// Sets the options of a world that a change of the kind parameter or term names. Throws UserError if it has none.
void set_options(World& world, const Change& change);

}  // namespace eddyline::world
