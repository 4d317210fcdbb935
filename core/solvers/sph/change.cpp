// Parts::change: the parameters of a world that may change between two steps.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "solvers/sph/parts.hpp"

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
double Parts<T, D>::change(const world::Change& change) {
  using Kind = world::Change::Kind;
  switch (change.kind) {
    case Kind::viscosity:
      state.world.fluid.kinematic_viscosity = change.value.x;
      state.constants.set_viscosity(state.world);
      break;
    case Kind::gravity: state.world.gravity = change.value; break;
    case Kind::inflow: {
      std::array<world::Formula, 3> velocity;
      for (std::size_t d = 0; d < D; ++d)
        velocity[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
      auto& opening = named(state.world.openings, change.name.data(), "opening");
      if (!opening.inflow)
        throw UserError(std::string(change.name.data()) +
                        " is an outflow; only the velocity of an inflow can be changed.");
      opening.velocity = velocity;
      for (auto& each : state.openings.all())
        if (each.world.name == opening.name) each.world.velocity = velocity;
      break;
    }
    case Kind::motion: change_motion(change); break;
    case Kind::add_probe: state.world.probes.push_back({change.name.data(), change.value}); break;
    case Kind::remove_probe: {
      const auto& probe = named(state.world.probes, change.name.data(), "probe");
      state.world.probes.erase(state.world.probes.begin() + (&probe - state.world.probes.data()));
      break;
    }
    case Kind::add_body:
    case Kind::remove_body:
      if (state.fluid.classic) throw UserError("bodies cannot be moved, added or removed with scheme = \"classic\".");
      if (domain.lazy.is_on()) throw UserError("bodies cannot be added or removed with --lazy.");
      if (change.kind == Kind::add_body) return domain.add_body(change);
      domain.remove_body(change);
      break;
    case Kind::parameter:
    case Kind::term: world::set_options(state.world, change); break;
  }
  return 0;
}

/// A body that stood still until now moves from the next step on; its particles have been walls like any other.
template <class T, int D>
void Parts<T, D>::change_motion(const world::Change& change) {
  world::Motion motion;
  for (std::size_t d = 0; d < 3; ++d)
    motion.displacement[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
  motion.rotation = world::Formula(change.formulas[3].data(), world::k_field_variables);
  motion.pivot = change.value;
  auto& body = named(state.world.bodies, change.name.data(), "body");
  if (body.motion) motion.axis = body.motion->axis;
  body.motion = motion;
  if (!state.walls_move) lists.expect_walls_to_rest();
  domain.let_walls_move();
}

template double Parts<float, 2>::change(const world::Change&);
template double Parts<float, 3>::change(const world::Change&);
template double Parts<double, 2>::change(const world::Change&);
template double Parts<double, 3>::change(const world::Change&);
template void Parts<float, 2>::change_motion(const world::Change&);
template void Parts<float, 3>::change_motion(const world::Change&);
template void Parts<double, 2>::change_motion(const world::Change&);
template void Parts<double, 3>::change_motion(const world::Change&);

}  // namespace eddyline::sph
