// Domain: the order of dummy particles of walls, with their rows.
#include "solvers/sph/domain/domain.hpp"

#include <algorithm>

#include "domain/migrate.hpp"
#include "neighbors/fields.hpp"

namespace eddyline::sph {

/// Puts walls in canonical order, with their rows, and finds their ghosts. If no body moves, this is done once: order,
/// rows and ghosts then last until cells change ranks.
template <class T, int D>
void Domain<T, D>::sort_walls() {
  saved_wall_rows_.take(scratch_.walls, wall_rows);
  move_walls();
}

/// Sends walls to the ranks of their cells, by their places, with their rows.
template <class T, int D>
void Domain<T, D>::move_walls() {
  wall_places_.resize(state_.wall.id.size());
  for (int d = 0; d < D; ++d)
    std::transform(state_.wall.x[d], state_.wall.x[d] + state_.wall.size(), wall_places_[d],
                   [this](double x) { return state_.constants.fixed.round(x); });
  move_walls_by_places();
}

/// Sends walls to the ranks of `wall_places_`, which are in whole quanta like those of the fluid.
template <class T, int D>
void Domain<T, D>::move_walls_by_places() {
  const auto for_each_field = [&](auto&& visit) {
    state_.wall.for_each_array(visit);
    visit(saved_wall_rows_.field());
    visit(wall_places_);
  };
  domain::migrate(communicator_, subdomain_.ranks_of(wall_places_), subdomain_.neighbors(), for_each_field);
  send_copies(wall_places_, for_each_field);
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = wall_places_[d];
  scratch_.with_order(state_.wall.id.size(), scratch_.list_places.walls, [&](Array<std::int32_t>& room) {
    subdomain_.sort({position, D}, {state_.wall.id.data(), state_.wall.id.size()}, wall_rows, scratch_.order(), room);
    put_positions(wall_rows, wall_places_, wall_positions_);
    state_.wall.for_each_array([&](auto& array) { scratch_.reorder(array); });
    scratch_.walls.resize(wall_rows.rows);
    saved_wall_rows_.put(scratch_.order(), scratch_.walls, wall_rows);
  });
  if (!state_.walls_move) saved_wall_rows_.release(), wall_places_ = {}, scratch_.list_places.walls = {};
  subdomain_.find_ghosts(wall_rows, wall_halo);
  subdomain_.find_copies(wall_rows, wall_copies);
  wall_halo.gather_between(neighbors::PositionField(wall_positions_, D));
  if (state_.walls_move)
    for (int d = 0; d < D; ++d) wall_displacement.x[d].resize(static_cast<std::size_t>(wall_rows.real_rows));
}

#define EDDYLINE_SPH_WALLS(T, D)            \
  template void Domain<T, D>::sort_walls(); \
  template void Domain<T, D>::move_walls(); \
  template void Domain<T, D>::move_walls_by_places();

EDDYLINE_SPH_WALLS(float, 2)
EDDYLINE_SPH_WALLS(float, 3)
EDDYLINE_SPH_WALLS(double, 2)
EDDYLINE_SPH_WALLS(double, 3)

#undef EDDYLINE_SPH_WALLS

}  // namespace eddyline::sph
