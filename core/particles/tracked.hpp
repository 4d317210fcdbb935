#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/vec.hpp"
#include "world/world.hpp"

namespace eddyline::particles {

/// A fluid particle whose values are recorded wherever it goes: the one with an id, or the one that is nearest to
/// `position` at the start.
struct Tracked {
  std::string name;
  std::optional<std::int64_t> id;
  Vec3 position;
};

inline bool is_tracked_option(std::string_view name) { return name.starts_with("tracked."); }
/// The tracked particles of a world, from its options "tracked.NAME.id", or "tracked.NAME.x" and so on.
std::vector<Tracked> tracked_particles(const world::World& world);

/// Throws UserError if one of them has an id that no particle of the fluid has at the start or can have later.
/// is_fluid(id): whether a particle of the fluid has it at the start; not called for particles of openings, which enter
/// later.
void check_tracked(const world::World& world, const std::function<bool(std::int64_t)>& is_fluid);

}  // namespace eddyline::particles
