#include "solvers/sph/step/moving_walls.hpp"

#include "neighbors/fields.hpp"

namespace eddyline::sph {

template <class T, int D>
MovingWalls<T, D>::MovingWalls(Parts<T, D>& parts)
    : state_(parts.state), scratch_(parts.scratch), domain_(parts.domain) {
  world_changed();
}

template <class T, int D>
void MovingWalls<T, D>::world_changed() {
  if (any()) poses_.resize(state_.world.bodies.size());
}

template <class T, int D>
void MovingWalls<T, D>::find_poses(double t) {
  const auto& bodies = state_.world.bodies;
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const auto& motion = bodies[b].motion;
    poses_[b] = motion ? std::optional(motion->at(t)) : std::nullopt;
  }
}

template <class T, int D>
template <class Visit>
void MovingWalls<T, D>::for_each_moving(Visit&& visit) {
  const std::int64_t n = state_.wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (const Pose* pose = pose_of(state_.wall.owner[k])) visit(k, *pose);
  }
}

template <class T, int D>
void MovingWalls<T, D>::start(double t) {
  if (!any()) return;
  find_poses(t);
  move_to_end();
}

template <class T, int D>
void MovingWalls<T, D>::write_midpoint_rows(double t, double dt) {
  find_poses(t);
  const auto& c = state_.constants;
  auto& moved = domain_.wall_displacement;
  for (int d = 0; d < D; ++d) std::fill(moved.x[d].begin(), moved.x[d].end(), 0.0F);
  for_each_moving([&](std::size_t k, const Pose& pose) {
    const std::int32_t slot = domain_.wall_rows.row_of(k);
    const auto row = scratch_.walls.row(slot);
    const Vec3 end = pose.place(vector_of(state_.wall.x_file, k));
    row[D + 1] = static_cast<T>(state_.wall_volume(k, 0.5 * (vector_of(state_.wall.x, k) + end)));
    for (int d = 0; d < D; ++d) {
      const double x = state_.wall.x[d][k];
      const T v = static_cast<T>((end[d] - x) / dt * c.inverse_c0);
      scratch_.walls.put_fixed(row.first + d, c.fixed.wrapped(x + 0.5 * (end[d] - x)));
      row[D + 2 + d] += v - row[2 * D + 2 + d];
      row[2 * D + 2 + d] = v;
      const auto by = static_cast<std::uint32_t>(c.fixed.wrapped(end[d])) -
                      static_cast<std::uint32_t>(domain_.wall_positions().x[d][static_cast<std::size_t>(slot)]);
      moved.x[d][static_cast<std::size_t>(slot)] = static_cast<float>(static_cast<std::int32_t>(by));
    }
  });
  const auto gather = [&](auto&&... displacement) {
    const neighbors::RowField<T> rows(scratch_.walls, D);
    domain_.send(domain_.wall_halo, rows, displacement...);
    domain_.wall_halo.gather_within(rows);
    domain_.receive(domain_.wall_halo, rows, displacement...);
  };
  if constexpr (D == 2)
    gather(exchange::ArrayField(moved.x[0]), exchange::ArrayField(moved.x[1]));
  else
    gather(exchange::ArrayField(moved.x[0]), exchange::ArrayField(moved.x[1]), exchange::ArrayField(moved.x[2]));
}

template <class T, int D>
void MovingWalls<T, D>::move_to_end() {
  const auto& c = state_.constants;
  for_each_moving([&](std::size_t k, const Pose& pose) {
    const auto row = scratch_.walls.row(domain_.wall_rows.row_of(k));
    T* x_row = row.first;
    const Vec3 x = pose.place(vector_of(state_.wall.x_file, k)), v = pose.velocity_at(x);
    row[D + 1] = static_cast<T>(state_.wall_volume(k, x));
    for (int d = 0; d < D; ++d) {
      state_.wall.x[d][k] = x[d];
      state_.wall.v[d][k] = v[d];
      scratch_.walls.put_fixed(x_row + d, c.fixed.wrapped(x[d]));
    }
  });
}

template class MovingWalls<float, 2>;
template class MovingWalls<float, 3>;
template class MovingWalls<double, 2>;
template class MovingWalls<double, 3>;

}  // namespace eddyline::sph
