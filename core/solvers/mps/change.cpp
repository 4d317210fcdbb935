// Liquid::change: what may change between two steps.
//
// The world changes at once, the particles at the rebuild with which the next step begins. So nothing that reads the
// liquid between two steps finds particles in an order that their rows and results do not have.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "comm/sums.hpp"
#include "domain/remove.hpp"
#include "solvers/mps/liquid.hpp"

namespace eddyline::mps {

namespace {

constexpr std::int64_t k_most_additions = 0xffff;  // the last part of an id, see particles::make_id()

template <class Element>
Element& named(std::vector<Element>& all, const char* name, const char* what) {
  const auto found = std::ranges::find(all, std::string(name), &Element::name);
  if (found == all.end()) throw UserError(std::string("there is no ") + what + " named " + name + ".");
  return *found;
}

}  // namespace

template <int D>
double Liquid<D>::change(const world::Change& change) {
  using Kind = world::Change::Kind;
  const char* name = change.name.data();
  switch (change.kind) {
    case Kind::viscosity:
      world_.fluid.kinematic_viscosity = change.value.x;
      wall_friction = domain::WallFriction(world_);
      break;
    case Kind::gravity: world_.gravity = change.value; break;
    case Kind::inflow: {
      auto& opening = named(world_.openings, name, "opening");
      if (!opening.inflow)
        throw UserError(std::string(name) + " is an outflow; only the velocity of an inflow can be changed.");
      for (std::size_t d = 0; d < D; ++d)
        opening.velocity[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
      for (auto& each : openings.all())
        if (each.world.name == name) each.world.velocity = opening.velocity;
      break;
    }
    case Kind::motion: set_in_motion(change); break;
    case Kind::add_probe: world_.probes.push_back({name, change.value}); break;
    case Kind::remove_probe: {
      const auto& probe = named(world_.probes, name, "probe");
      world_.probes.erase(world_.probes.begin() + (&probe - world_.probes.data()));
      break;
    }
    case Kind::add_body: return add_body(change);
    case Kind::remove_body: {
      const auto b = static_cast<std::size_t>(&named(world_.bodies, name, "body") - world_.bodies.data());
      world_.bodies[b] = {};
      body_changes_.push_back({b, 0});
      break;
    }
    case Kind::parameter:
    case Kind::term: throw UserError("the solver mps has no parameters that can be changed during a run.");
  }
  return 0;
}

/// A body that stood still until now moves from the next step on.
template <int D>
void Liquid<D>::set_in_motion(const world::Change& change) {
  auto& body = named(world_.bodies, change.name.data(), "body");
  world::Motion motion;
  for (std::size_t d = 0; d < 3; ++d)
    motion.displacement[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
  motion.rotation = world::Formula(change.formulas[3].data(), world::k_field_variables);
  motion.pivot = change.value;
  if (body.motion) motion.axis = body.motion->axis;
  body.motion = motion;
  wall.let_move(wall.id.size());
  if (!walls_move_) {
    walls_move_ = true;
    rest_walls();
  }
  poses_.clear();
  contact = domain::Contact(world_);
  wall_friction = domain::WallFriction(world_);
}

template <int D>
double Liquid<D>::add_body(const world::Change& change) {
  std::int64_t addition = 1;
  for (const BodyChange& before : body_changes_) addition += before.addition > 0 ? 1 : 0;
  if (addition > k_most_additions) throw UserError("65,535 bodies have been added to this run, which is the limit.");
  const world::Body body{
      .name = change.name.data(), .shape = world::shape_of(change), .slip = change.slip, .motion = {}};
  comm::Sums sums;  // mass in the way; number of other particles
  sums.add_over<2>(fluid.size(), [&](std::size_t i) {
    const bool in_the_way = is_in_the_way(body, i);
    return std::array{in_the_way ? mass_of(i) : 0.0, in_the_way ? 0.0 : 1.0};
  });
  sums.add_up(communicator_);
  if (sums.value(1) == 0) throw UserError("the body would displace all fluid; make it smaller or move it.");
  body_changes_.push_back({world_.bodies.size(), addition});
  world_.bodies.push_back(body);
  return sums.value(0);
}

template <int D>
bool Liquid<D>::is_in_the_way(const world::Body& body, std::size_t i) const {
  return fluid.buffer[i] == 0 &&
         body.shape->signed_distance(vector_of(fluid.x, i)) < particles::k_clearance * world_.spacing;
}

/// Carries out the changes of bodies that wait for this rebuild.
template <int D>
void Liquid<D>::change_bodies() {
  for (; bodies_change(); ++body_changes_made_) {
    const BodyChange& change = body_changes_[static_cast<std::size_t>(body_changes_made_)];
    const world::Body& body = world_.bodies[change.body];
    if (change.addition == 0)
      domain::remove_particles_if(
          wall.size(), [&](auto&& visit) { for_each_wall_array(visit); },
          [&](std::size_t k) { return wall.owner[k] == static_cast<std::int32_t>(change.body); });
    else if (body.shape != nullptr)  // and not removed again before it was placed
      place_added_body(body, change);
  }
  contact = domain::Contact(world_);
  wall_friction = domain::WallFriction(world_);
}

/// Removes the fluid in its way, and adds its dummy particles in this rank's cells.
template <int D>
void Liquid<D>::place_added_body(const world::Body& body, const BodyChange& change) {
  const auto all = [&](auto&& visit) {
    fluid.for_each_array(visit);
    visit(middle);
  };
  domain::remove_particles_if(fluid.size(), all, [&](std::size_t i) {
    if (!is_in_the_way(body, i)) return false;
    left_mass.add(mass_of(i));
    ++left_particles;
    return true;
  });
  const auto placed = particles::place_body(world_, change.body, change.addition, [&](Vec3 x) { return is_here(x); });
  const auto before = static_cast<std::size_t>(wall.size());
  for_each_wall_array([&](auto& array) { array.resize(before + placed.size()); });
  for (std::size_t n = 0; n < placed.size(); ++n) {
    const auto& particle = placed[n];
    const std::size_t k = before + n;
    wall.id[k] = particle.id;
    wall.owner[k] = particle.owner;
    wall.volume[k] = particle.volume;
    wall.no_slip[k] = particle.no_slip;
    for (int d = 0; d < D; ++d) wall.x[d][k] = particle.position[d];
  }
  if (wall.can_move) wall.rest(before, before + placed.size());
  if (!walls_move_) return;
  for (std::size_t k = before; k < before + placed.size(); ++k)
    for (int d = 0; d < D; ++d) wall_middle_[d][k] = wall.x[d][k], wall_turn_[d][k] = 0;
}

#define EDDYLINE_LIQUID_CHANGE(D)                                                \
  template double Liquid<D>::change(const world::Change&);                       \
  template void Liquid<D>::set_in_motion(const world::Change&);                  \
  template double Liquid<D>::add_body(const world::Change&);                     \
  template bool Liquid<D>::is_in_the_way(const world::Body&, std::size_t) const; \
  template void Liquid<D>::change_bodies();                                      \
  template void Liquid<D>::place_added_body(const world::Body&, const BodyChange&);

EDDYLINE_LIQUID_CHANGE(2)
EDDYLINE_LIQUID_CHANGE(3)

#undef EDDYLINE_LIQUID_CHANGE

}  // namespace eddyline::mps
