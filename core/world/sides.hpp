#pragma once

#include <array>
#include <string_view>

namespace eddyline::world {

/// Names of the sides of the domain, in the order of World::sides: the lower and the upper end of each axis.
inline constexpr std::array<std::string_view, 6> k_side_names{"left", "right", "bottom", "top", "front", "back"};

}  // namespace eddyline::world
