#include "solver/column.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "world/sides.hpp"

namespace eddyline::solver {

const std::vector<Column>& Description::columns(std::string_view table) const {
  const auto found = std::ranges::find(series, table, &Table::name);
  if (found == series.end()) throw std::logic_error("no series \"" + std::string(table) + "\" is described.");
  return found->columns;
}

std::string per_length(int dimensions) { return dimensions == 2 ? "/m" : ""; }

void add_vector(std::vector<Column>& columns, const std::string& name, const std::string& unit, int dimensions) {
  for (int d = 0; d < dimensions; ++d) columns.push_back({name + '_' + "xyz"[d], unit});
}

std::vector<Column> flow_quantities(int dimensions) {
  std::vector<Column> all{{"speed", "m/s"}, {"velocity_x", "m/s"}, {"velocity_y", "m/s"}};
  all.push_back(dimensions == 3 ? Column{"velocity_z", "m/s"} : Column{"vorticity", "1/s"});
  all.push_back({"pressure", "Pa"});
  return all;
}

std::vector<Column> flow_probes(int dimensions) {
  std::vector<Column> all{{"pressure", "Pa"}};
  add_vector(all, "velocity", "m/s", dimensions);
  all.push_back({"fluid_fraction", "1"});
  return all;
}

Column mass_flow(int dimensions) { return {"mass_flow", dimensions == 2 ? "kg/(m s)" : "kg/s"}; }

Words words_of(std::string_view quantity) {
  struct Entry {
    std::string_view name, label;
    Shade shade = Shade::plain;
  };
  static constexpr std::array k_words{
      Entry{"speed", "speed", Shade::from_zero},
      Entry{"velocity_x", "velocity along x", Shade::diverging},
      Entry{"velocity_y", "velocity along y", Shade::diverging},
      Entry{"velocity_z", "velocity along z", Shade::diverging},
      Entry{"vorticity", "vorticity", Shade::diverging},
      Entry{"mach", "Mach number", Shade::from_zero},
      Entry{"pressure_coefficient", "pressure coefficient", Shade::diverging},
      Entry{"eddy_viscosity_ratio", "eddy viscosity / viscosity", Shade::from_zero},
      Entry{"u", "displacement u", Shade::diverging},
      Entry{"p", "rate p = du/dt", Shade::diverging},
      Entry{"potential", "potential", Shade::diverging},
      Entry{"h_xx", "strain h_xx", Shade::diverging},
      Entry{"h_xy", "strain h_xy", Shade::diverging},
      Entry{"h_xz", "strain h_xz", Shade::diverging},
      Entry{"h_yy", "strain h_yy", Shade::diverging},
      Entry{"h_yz", "strain h_yz", Shade::diverging},
      Entry{"h_zz", "strain h_zz", Shade::diverging},
      Entry{"level", "level of the cells", Shade::whole},
  };
  const auto* found = std::ranges::find(k_words, quantity, &Entry::name);
  if (found == k_words.end()) return {std::string(quantity)};
  return {std::string(found->label), found->shade};
}

std::vector<std::int32_t> loaded_solids(const world::World& world, Loaded which) {
  std::vector<std::int32_t> owners;
  for (std::size_t b = 0; b < world.bodies.size(); ++b)
    if (world.bodies[b].shape != nullptr) owners.push_back(static_cast<std::int32_t>(b));
  if (which == Loaded::bodies) return owners;
  for (std::size_t s = 0; s < 2 * static_cast<std::size_t>(world.dimensions); ++s)
    if (world.sides[s].kind == world::SideKind::wall) owners.push_back(-1 - static_cast<std::int32_t>(s));
  return owners;
}

std::string name_of_solid(const world::World& world, std::int32_t owner) {
  return owner >= 0 ? world.bodies[static_cast<std::size_t>(owner)].name
                    : std::string(world::k_side_names[static_cast<std::size_t>(-1 - owner)]);
}

bool has_work(const world::World& world) {
  return std::ranges::any_of(world.bodies, [](const world::Body& body) { return body.motion.has_value(); }) ||
         std::ranges::any_of(
             world.sides, [](const world::Side& side) { return side.kind == world::SideKind::wall && side.slides(); });
}

}  // namespace eddyline::solver
