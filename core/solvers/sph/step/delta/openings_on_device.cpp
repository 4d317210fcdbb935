// OnDevice: openings. The host moves their buffers and applies their rules; what it needs for that travels every step.

#include <cstddef>
#include <vector>

#include "solvers/sph/step/delta/on_device.hpp"

namespace eddyline::sph {

template <class T, int D>
void OnDevice<T, D>::upload_openings() {
  const auto& members = state_.openings.members();
  device::OpeningLayout<T, D> layout;
  layout.particles = {members.data(), members.size()};
  for (const std::int32_t i : members)
    layout.axis.push_back(state_.openings.all()[state_.fluid.buffer[static_cast<std::size_t>(i)] - 1u].sites.axis);
  for (int d = 0; d < D; ++d) layout.place[d] = lists_.member_places[d];
  layout.buffer = {state_.fluid.buffer.data(), state_.fluid.buffer.size()};
  layout.in_buffer = lists_.in_buffer();
  for (const auto& opening : state_.openings.all())
    if (opening.world.inflow && state_.constants.free_surface)
      layout.jets.push_back({opening.world.lower, opening.world.upper, opening.sites.axis,
                             static_cast<double>(opening.sites.inward), state_.constants.length.interaction_radius});
  layout.node_count = domain_.node_rows.computed();
  layout.nodes = rows_of<D>(domain_.node_rows, domain_.node_positions());
  layout.node_rows = scratch_.nodes.row(0).first;
  layout.fixed = state_.constants.fixed;
  device_.upload_openings(layout);
}

template <class T, int D>
void OnDevice<T, D>::set_inflows() {
  std::vector<device::InflowPlane> planes;
  for (const auto& opening : state_.openings.all())
    if (opening.world.inflow && !opening.world.stream)
      planes.push_back(
          {opening.sites.axis, static_cast<double>(opening.sites.inward), opening.sites.plane, opening.allowed_depth});
  device_.set_inflows(planes);
}

template <class T, int D>
void OnDevice<T, D>::fetch_buffers() {
  const auto& members = state_.openings.members();
  std::vector<double> x[D];
  std::vector<T> half_g[D];
  double* to_x[D];
  T* to_g[D];
  for (int d = 0; d < D; ++d) {
    x[d].resize(members.size()), half_g[d].resize(members.size());
    to_x[d] = x[d].data(), to_g[d] = half_g[d].data();
  }
  device_.download_members(to_x, to_g);
  for (std::size_t m = 0; m < members.size(); ++m)
    for (int d = 0; d < D; ++d) {
      const auto i = static_cast<std::size_t>(members[m]);
      state_.fluid.x[d][i] = x[d][m], state_.fluid.half_g[d][i] = half_g[d][m];
    }
}

template <class T, int D>
void OnDevice<T, D>::put_buffers_at_midpoint() {
  device::MemberValues<T, D> values;
  for (const std::int32_t member : state_.openings.members()) {
    const auto i = static_cast<std::size_t>(member);
    const auto row = scratch_.midpoint_rows.row(domain_.fluid_rows.row_of(i));
    for (int d = 0; d < D; ++d) {
      values.v[d].push_back(state_.fluid.v[d][i]);
      values.midpoint_place.push_back(neighbors::PairData<T>::get_fixed(row.first + d));
      values.midpoint_v.push_back(row[D + d]);
    }
  }
  device_.put_members(values);
}

template <class T, int D>
void OnDevice<T, D>::put_buffers_at_end() {
  device::MemberValues<T, D> values;
  for (const std::int32_t member : state_.openings.members()) {
    const auto i = static_cast<std::size_t>(member);
    const auto row = scratch_.end_rows.row(domain_.fluid_rows.row_of(i));
    values.s.push_back(state_.fluid.s[i]), values.mass.push_back(state_.fluid.mass[i]);
    for (int k = 0; k < D + 2; ++k) values.end.push_back(row.first[D + k]);
  }
  device_.put_members(values);
  device_.gather_end_rows();
}

template <class T, int D>
void OnDevice<T, D>::put_held_buffers() {
  device::MemberValues<T, D> values;
  values.at_rest = true;
  for (const std::int32_t member : state_.openings.members())
    for (int d = 0; d < D; ++d) {
      const auto i = static_cast<std::size_t>(member);
      values.v[d].push_back(state_.fluid.v[d][i]), values.half_g[d].push_back(state_.fluid.half_g[d][i]);
    }
  device_.put_members(values);
}

#define EDDYLINE_SPH_OPENINGS_ON_DEVICE(T, D)              \
  template void OnDevice<T, D>::upload_openings();         \
  template void OnDevice<T, D>::set_inflows();             \
  template void OnDevice<T, D>::fetch_buffers();           \
  template void OnDevice<T, D>::put_buffers_at_midpoint(); \
  template void OnDevice<T, D>::put_buffers_at_end();      \
  template void OnDevice<T, D>::put_held_buffers();

EDDYLINE_SPH_OPENINGS_ON_DEVICE(float, 2)
EDDYLINE_SPH_OPENINGS_ON_DEVICE(float, 3)
EDDYLINE_SPH_OPENINGS_ON_DEVICE(double, 2)
EDDYLINE_SPH_OPENINGS_ON_DEVICE(double, 3)

#undef EDDYLINE_SPH_OPENINGS_ON_DEVICE

}  // namespace eddyline::sph
