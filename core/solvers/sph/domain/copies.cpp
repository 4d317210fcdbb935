// Domain: copies of other ranks' particles, which exact deferred exchange computes, see lazy/deferred_exchange.hpp.

#include "neighbors/fields.hpp"
#include "solvers/sph/domain/domain.hpp"
#include "solvers/sph/domain/lazy/state_field.hpp"

namespace eddyline::sph {

template <class T, int D>
bool Domain<T, D>::begin_step() {
  const bool due = lazy.begin_step();
  if (due && lazy.computes_copies()) refresh_copies();
  return due;
}

template <class T, int D>
void Domain<T, D>::include_copies(bool in) {
  if (!lazy.computes_copies() || in == copies_are_included_) return;
  copies_are_included_ = in;
  resize_fluid(in ? fluid_rows.computed() : fluid_rows.owned());
  resize_walls(in ? wall_rows.computed() : wall_rows.owned());
}

template <class T, int D>
void Domain<T, D>::resize_fluid(std::int64_t n) {
  state_.fluid.for_each_array([n](auto& array) { array.resize(static_cast<std::size_t>(n)); });
}

template <class T, int D>
void Domain<T, D>::resize_walls(std::int64_t n) {
  state_.wall.for_each_array([n](auto& array) { array.resize(static_cast<std::size_t>(n)); });
}

/// Finds which copies belong to which owners, and their rows, once the fluid is in order.
template <class T, int D>
void Domain<T, D>::find_fluid_copies() {
  if (lazy.computes_copies()) subdomain_.find_copies(fluid_rows, fluid_copies);
  fluid_of_row_.resize(fluid_rows.slot.size());
  for (std::size_t i = 0; i < fluid_rows.slot.size(); ++i)
    fluid_of_row_[static_cast<std::size_t>(fluid_rows.slot[i])] = static_cast<std::int32_t>(i);
}

/// Sets copies to the values of their owners.
template <class T, int D>
void Domain<T, D>::refresh_copies() {
  timers.lap(Phase::integrate);
  const StateField<T, D> state(state_.fluid, fluid_of_row_);
  const neighbors::RowField<T> rows(scratch_.walls, D);
  fluid_copies.start(state);
  wall_copies.start(rows);
  timers.lap(Phase::pack);
  fluid_copies.wait();
  wall_copies.wait();
  timers.lap(Phase::wait);
  fluid_copies.finish(state);
  wall_copies.finish(rows);
  wall_halo.gather_within(rows);
  timers.lap(Phase::pack);
}

/// Refreshes copies of walls alone, in a rebuild, where copies of the fluid have come with its migrants.
template <class T, int D>
void Domain<T, D>::refresh_wall_copies() {
  if (!lazy.computes_copies()) return;
  const neighbors::RowField<T> rows(scratch_.walls, D);
  wall_copies.gather(rows);
  wall_halo.gather_within(rows);
}

template bool Domain<float, 2>::begin_step();
template void Domain<float, 2>::include_copies(bool);
template void Domain<float, 2>::resize_fluid(std::int64_t);
template void Domain<float, 2>::resize_walls(std::int64_t);
template void Domain<float, 2>::find_fluid_copies();
template void Domain<float, 2>::refresh_copies();
template void Domain<float, 2>::refresh_wall_copies();
template bool Domain<float, 3>::begin_step();
template void Domain<float, 3>::include_copies(bool);
template void Domain<float, 3>::resize_fluid(std::int64_t);
template void Domain<float, 3>::resize_walls(std::int64_t);
template void Domain<float, 3>::find_fluid_copies();
template void Domain<float, 3>::refresh_copies();
template void Domain<float, 3>::refresh_wall_copies();
template bool Domain<double, 2>::begin_step();
template void Domain<double, 2>::include_copies(bool);
template void Domain<double, 2>::resize_fluid(std::int64_t);
template void Domain<double, 2>::resize_walls(std::int64_t);
template void Domain<double, 2>::find_fluid_copies();
template void Domain<double, 2>::refresh_copies();
template void Domain<double, 2>::refresh_wall_copies();
template bool Domain<double, 3>::begin_step();
template void Domain<double, 3>::include_copies(bool);
template void Domain<double, 3>::resize_fluid(std::int64_t);
template void Domain<double, 3>::resize_walls(std::int64_t);
template void Domain<double, 3>::find_fluid_copies();
template void Domain<double, 3>::refresh_copies();
template void Domain<double, 3>::refresh_wall_copies();

}  // namespace eddyline::sph
