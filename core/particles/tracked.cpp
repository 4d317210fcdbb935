#include "particles/tracked.hpp"

#include <string_view>
#include <variant>

#include "base/errors.hpp"
#include "particles/id.hpp"

namespace eddyline::particles {

std::vector<Tracked> tracked_particles(const world::World& world) {
  constexpr std::string_view k_first = "tracked.";
  std::vector<Tracked> all;
  for (auto option = world.options.lower_bound(std::string(k_first));
       option != world.options.end() && option->first.starts_with(k_first); ++option) {
    const std::size_t dot = option->first.rfind('.');
    const std::string name = option->first.substr(k_first.size(), dot - k_first.size());
    const std::string key = option->first.substr(dot + 1);
    if (all.empty() || all.back().name != name) all.push_back({name, {}, {}});
    if (key == "id")
      all.back().id = std::get<std::int64_t>(option->second);
    else
      all.back().position[key[0] - 'x'] = std::get<double>(option->second);
  }
  return all;
}

void check_tracked(const world::World& world, const std::function<bool(std::int64_t)>& is_fluid) {
  const auto openings = static_cast<std::int64_t>(world.openings.size());
  for (const Tracked& each : tracked_particles(world)) {
    if (!each.id) continue;
    const std::int64_t source = *each.id >> 52;  // see make_id()
    if (source >= k_source_opening ? source - k_source_opening < openings : is_fluid(*each.id)) continue;
    throw UserError("observe." + each.name + ".id = " + std::to_string(*each.id) +
                    "; no fluid particle has this id at the start. Take one from the lab or a snapshot of this world, "
                    "or write position instead of id.");
  }
}

}  // namespace eddyline::particles
