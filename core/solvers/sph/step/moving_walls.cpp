#include "solvers/sph/step/moving_walls.hpp"

#include "neighbors/fields.hpp"

namespace eddyline::sph {

template <class T, int D>
MovingWalls<T, D>::MovingWalls(Flow<T, D>& flow) : flow_(flow) {
  world_changed();
}

template <class T, int D>
void MovingWalls<T, D>::world_changed() {
  if (any()) poses_.resize(flow_.world().bodies.size());
}

template <class T, int D>
void MovingWalls<T, D>::find_poses(double t) {
  const auto& bodies = flow_.world().bodies;
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const auto& motion = bodies[b].motion;
    poses_[b] = motion ? std::optional(motion->at(t)) : std::nullopt;
  }
}

template <class T, int D>
template <class Visit>
void MovingWalls<T, D>::for_each_moving(Visit&& visit) {
  const std::int64_t n = flow_.wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (const Pose* pose = pose_of(flow_.wall.owner[k])) visit(k, *pose);
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
  const auto& c = flow_.constants();
  auto& moved = flow_.wall_displacement;
  for (int d = 0; d < D; ++d) std::fill(moved.x[d].begin(), moved.x[d].end(), 0.0F);
  for_each_moving([&](std::size_t k, const Pose& pose) {
    const std::int32_t slot = flow_.wall_rows.row_of(k);
    const auto row = flow_.walls.row(slot);
    const Vec3 end = pose.place(vector_of(flow_.wall.x_file, k));
    row[D + 1] = static_cast<T>(flow_.wall_volume(k, 0.5 * (vector_of(flow_.wall.x, k) + end)));
    for (int d = 0; d < D; ++d) {
      const double x = flow_.wall.x[d][k];
      const T v = static_cast<T>((end[d] - x) / dt * c.inverse_c0);
      flow_.walls.put_fixed(row.first + d, c.fixed.wrapped(x + 0.5 * (end[d] - x)));
      row[D + 2 + d] += v - row[2 * D + 2 + d];
      row[2 * D + 2 + d] = v;
      const auto by = static_cast<std::uint32_t>(c.fixed.wrapped(end[d])) -
                      static_cast<std::uint32_t>(flow_.wall_positions().x[d][static_cast<std::size_t>(slot)]);
      moved.x[d][static_cast<std::size_t>(slot)] = static_cast<float>(static_cast<std::int32_t>(by));
    }
  });
  const auto gather = [&](auto&&... displacement) {
    const neighbors::RowField<T> rows(flow_.walls, D);
    flow_.send(flow_.wall_halo, rows, displacement...);
    flow_.wall_halo.gather_within(rows);
    flow_.finish_gather(flow_.wall_halo, rows, displacement...);
  };
  if constexpr (D == 2)
    gather(exchange::ArrayField(moved.x[0]), exchange::ArrayField(moved.x[1]));
  else
    gather(exchange::ArrayField(moved.x[0]), exchange::ArrayField(moved.x[1]), exchange::ArrayField(moved.x[2]));
}

template <class T, int D>
void MovingWalls<T, D>::move_to_end() {
  const auto& c = flow_.constants();
  for_each_moving([&](std::size_t k, const Pose& pose) {
    const auto row = flow_.walls.row(flow_.wall_rows.row_of(k));
    T* x_row = row.first;
    const Vec3 x = pose.place(vector_of(flow_.wall.x_file, k)), v = pose.velocity_at(x);
    row[D + 1] = static_cast<T>(flow_.wall_volume(k, x));
    for (int d = 0; d < D; ++d) {
      flow_.wall.x[d][k] = x[d];
      flow_.wall.v[d][k] = v[d];
      flow_.walls.put_fixed(x_row + d, c.fixed.wrapped(x[d]));
    }
  });
}

template class MovingWalls<float, 2>;
template class MovingWalls<float, 3>;
template class MovingWalls<double, 2>;
template class MovingWalls<double, 3>;

}  // namespace eddyline::sph
