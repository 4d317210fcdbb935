// Bodies that are added to a running flow or removed from it.
//
// The world changes at once, the particles at the rebuild with which the next step begins. So nothing that reads the
// flow between two steps finds particles in an order that their rows and results do not have.

#include <string>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "domain/remove.hpp"
#include "neighbors/fields.hpp"
#include "solvers/sph/domain/domain.hpp"

namespace eddyline::sph {

namespace {

constexpr std::int64_t k_most_additions = 0xffff;  // the last part of an id, see make_id()

}  // namespace

template <class T, int D>
double Domain<T, D>::add_body(const world::Change& change) {
  std::int64_t addition = 1;
  for (const BodyChange& before : body_changes_) addition += before.addition > 0 ? 1 : 0;
  if (addition > k_most_additions) throw UserError("65,535 bodies have been added to this run, which is the limit.");
  const world::Body body{
      .name = change.name.data(), .shape = world::shape_of(change), .slip = change.slip, .motion = {}};

  ReproducibleSum mass;
  std::int64_t stays = 0;
  for (std::size_t i = 0; i < state_.fluid.id.size(); ++i) {
    if (is_in_the_way(body, i))
      mass.add(state_.fluid.mass[i]);
    else
      ++stays;
  }
  comm::sum(communicator_, {&mass, 1}, "adding a body");
  comm::sum(communicator_, {&stays, 1}, "adding a body");
  if (stays == 0) throw UserError("the body would displace all fluid; make it smaller or move it.");
  body_changes_.push_back({state_.world.bodies.size(), addition});
  state_.world.bodies.push_back(body);
  return mass.value();
}

template <class T, int D>
void Domain<T, D>::remove_body(const world::Change& change) {
  for (std::size_t b = 0; b < state_.world.bodies.size(); ++b) {
    auto& body = state_.world.bodies[b];
    if (body.shape == nullptr || body.name != change.name.data()) continue;
    body = {};
    body_changes_.push_back({b, 0});
    return;
  }
  throw UserError(std::string("there is no body named ") + change.name.data() + ".");
}

/// Tells whether a body displaces fluid particle i.
template <class T, int D>
bool Domain<T, D>::is_in_the_way(const world::Body& body, std::size_t i) const {
  return state_.fluid.buffer[i] == 0 &&
         body.shape->signed_distance(vector_of(state_.fluid.x, i)) < particles::k_clearance * state_.world.spacing;
}

/// Carries out the changes that wait for this rebuild. Rows are still in the order of the last rebuild; those of walls
/// keep what was extrapolated to them.
template <class T, int D>
void Domain<T, D>::change_bodies() {
  saved_wall_rows_.take(scratch_.walls, wall_rows);
  for (; bodies_change(); ++body_changes_made_) {
    const BodyChange& change = body_changes_[static_cast<std::size_t>(body_changes_made_)];
    const world::Body& body = state_.world.bodies[change.body];
    if (change.addition == 0)
      drop_body(change.body);
    else if (body.shape != nullptr)  // and not removed again before it was placed
      clear_room(body), place_added_body(change.body, change.addition);
  }
  move_walls();
  wall_halo.gather(neighbors::RowField(scratch_.walls, D));
}

template <class T, int D>
void Domain<T, D>::clear_room(const world::Body& body) {
  const auto all = [&](auto&& visit) { state_.fluid.for_each_array(visit); };
  domain::remove_particles_if(state_.fluid.size(), all, [&](std::size_t i) {
    if (!is_in_the_way(body, i)) return false;
    state_.left_mass.add(state_.fluid.mass[i]);
    ++state_.left_particles;
    return true;
  });
}

/// Adds the body's dummy particles in this rank's cells, which have no values from the fluid yet.
template <class T, int D>
void Domain<T, D>::place_added_body(std::size_t body, std::int64_t addition) {
  const auto placed = particles::place_body(state_.world, body, addition, [&](Vec3 x) { return is_here(x); });
  const auto before = static_cast<std::size_t>(state_.wall.size());
  state_.wall.for_each_array([&](auto& array) { array.resize(before + placed.size()); });
  saved_wall_rows_.resize(before + placed.size());
  for (std::size_t n = 0; n < placed.size(); ++n) {
    const auto& particle = placed[n];
    const std::size_t k = before + n;
    state_.wall.id[k] = particle.id;
    state_.wall.owner[k] = particle.owner;
    state_.wall.volume[k] = particle.volume;
    state_.wall.no_slip[k] = particle.no_slip;
    for (int d = 0; d < D; ++d) state_.wall.x[d][k] = particle.position[d];
    write_wall_row(saved_wall_rows_[k], k);
  }
  if (state_.wall.can_move) state_.wall.rest(before, before + placed.size());
}

template <class T, int D>
void Domain<T, D>::drop_body(std::size_t body) {
  const auto all = [&](auto&& visit) {
    state_.wall.for_each_array(visit);
    visit(saved_wall_rows_.field());
  };
  domain::remove_particles_if(state_.wall.size(), all,
                              [&](std::size_t i) { return state_.wall.owner[i] == static_cast<std::int32_t>(body); });
}

#define EDDYLINE_SPH_BODIES(T, D)                                          \
  template double Domain<T, D>::add_body(const world::Change&);            \
  template void Domain<T, D>::remove_body(const world::Change&);           \
  template void Domain<T, D>::change_bodies();                             \
  template void Domain<T, D>::clear_room(const world::Body&);              \
  template void Domain<T, D>::place_added_body(std::size_t, std::int64_t); \
  template void Domain<T, D>::drop_body(std::size_t);                      \
  template bool Domain<T, D>::is_in_the_way(const world::Body&, std::size_t) const;

EDDYLINE_SPH_BODIES(float, 2)
EDDYLINE_SPH_BODIES(float, 3)
EDDYLINE_SPH_BODIES(double, 2)
EDDYLINE_SPH_BODIES(double, 3)

#undef EDDYLINE_SPH_BODIES

}  // namespace eddyline::sph
