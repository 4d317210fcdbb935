// Flow::change: the parameters of a world that may change between two steps.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

namespace {

/// Returns the element of that name. Throws UserError.
template <class Element>
Element& named(std::vector<Element>& all, const char* name, const char* what) {
  const auto found = std::find_if(all.begin(), all.end(), [name](const Element& each) { return each.name == name; });
  if (found == all.end()) throw UserError(std::string("there is no ") + what + " named " + name + ".");
  return *found;
}

}  // namespace

template <class T, int D>
double Flow<T, D>::change(const world::Change& change) {
  using Kind = world::Change::Kind;
  switch (change.kind) {
    case Kind::viscosity:
      world_.fluid.kinematic_viscosity = change.value.x;
      constants_.set_viscosity(world_);
      break;
    case Kind::gravity: world_.gravity = change.value; break;
    case Kind::inflow: {
      std::array<world::Formula, 3> velocity;
      for (std::size_t d = 0; d < D; ++d)
        velocity[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
      auto& opening = named(world_.openings, change.name.data(), "opening");
      if (!opening.inflow)
        throw UserError(std::string(change.name.data()) +
                        " is an outflow; only the velocity of an inflow can be changed.");
      opening.velocity = velocity;
      for (auto& each : openings.all())
        if (each.world.name == opening.name) each.world.velocity = velocity;
      break;
    }
    case Kind::motion: change_motion(change); break;
    case Kind::add_probe: world_.probes.push_back({change.name.data(), change.value}); break;
    case Kind::remove_probe: {
      const auto& probe = named(world_.probes, change.name.data(), "probe");
      world_.probes.erase(world_.probes.begin() + (&probe - world_.probes.data()));
      break;
    }
    case Kind::add_body:
    case Kind::remove_body:
      if (fluid.classic) throw UserError("bodies cannot be moved, added or removed with scheme = \"classic\".");
      if (lazy.is_on()) throw UserError("bodies cannot be added or removed with --lazy.");
      if (change.kind == Kind::add_body) return add_body(change);
      remove_body(change);
      break;
  }
  return 0;
}

/// A body that stood still until now moves from the next step on; its particles have been walls like any other.
template <class T, int D>
void Flow<T, D>::change_motion(const world::Change& change) {
  world::Motion motion;
  for (std::size_t d = 0; d < 3; ++d)
    motion.displacement[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
  motion.rotation = world::Formula(change.formulas[3].data(), world::k_field_variables);
  motion.pivot = change.value;
  auto& body = named(world_.bodies, change.name.data(), "body");
  if (body.motion) motion.axis = body.motion->axis;
  body.motion = motion;
  if (!walls_move_) expect_walls_to_rest();
  walls_move_ = true;
  wall.let_move(static_cast<std::size_t>(wall_rows.computed()));
  for (int d = 0; d < D; ++d) wall_displacement.x[d].resize(static_cast<std::size_t>(wall_rows.real_rows));
}

template double Flow<float, 2>::change(const world::Change&);
template double Flow<float, 3>::change(const world::Change&);
template double Flow<double, 2>::change(const world::Change&);
template double Flow<double, 3>::change(const world::Change&);
template void Flow<float, 2>::change_motion(const world::Change&);
template void Flow<float, 3>::change_motion(const world::Change&);
template void Flow<double, 2>::change_motion(const world::Change&);
template void Flow<double, 3>::change_motion(const world::Change&);

}  // namespace eddyline::sph
