#include "solvers/sph/step/classic/classic_on_device.hpp"

#include <cmath>

namespace eddyline::sph {

template <class T, int D>
ClassicOnDevice<T, D>::ClassicOnDevice(Parts<T, D>& parts, const ClassicUpdate<T, D>& update, const Contact& contact,
                                       const ExternalForcing<D>& forcing)
    : StateOnDevice<T, D>(parts, contact, forcing, make_device<device::Classic>(parts)),
      update_(update),
      device_(static_cast<device::Classic<T, D>&>(*this->flow_)) {}

template <class T, int D>
device::HostFluid<T, D> ClassicOnDevice<T, D>::host_fluid() {
  auto host = StateOnDevice<T, D>::host_fluid();
  auto& own = *state_.fluid.classic;
  const auto add = [&](Array<T>& s, Array<T>& u, VectorArray<T, D>& v) {
    host.values.push_back(s.data()), host.values.push_back(u.data());
    for (int d = 0; d < D; ++d) host.values.push_back(v[d]);
  };
  host.numbers = {own.u.data()};
  add(own.s_rate, own.u_rate, own.v_rate);
  add(own.s_rate_old, own.u_rate_old, own.v_rate_old);
  return host;
}

template <class T, int D>
device::HostWalls<T> ClassicOnDevice<T, D>::host_walls() {
  auto host = StateOnDevice<T, D>::host_walls();
  host.is_wet = nullptr;
  return host;
}

template <class T, int D>
neighbors::PairData<T>& ClassicOnDevice<T, D>::rows_of_kind(device::RowKind kind) {
  return kind == device::RowKind::walls ? scratch_.walls : scratch_.end_rows;
}

template <class T, int D>
void ClassicOnDevice<T, D>::upload_further() {
  const auto& wall = state_.wall;
  std::vector<double> share(static_cast<std::size_t>(wall.size()));
  for (std::size_t k = 0; k < share.size(); ++k) share[k] = state_.wall_share(k, vector_of(wall.x, k));
  device_.set_wall_volumes(share, {wall.volume.data(), share.size()});
}

template <class T, int D>
void ClassicOnDevice<T, D>::extrapolate_to_walls(const SweepInput& in, double t) {
  const auto& c = state_.constants;
  const auto drive =
      this->drive_walls(forcing_.uniform_force(), [&](std::size_t, const Vec3& x) { return forcing_.force(x, t); });
  device_.extrapolate_to_walls(in, drive, {c.state, c.volume, c.free_surface});
}

template <class T, int D>
void ClassicOnDevice<T, D>::react(const SweepInput& in) {
  T *pressure[D], *viscous[D];
  for (int d = 0; d < D; ++d) {
    pressure[d] = scratch_.pressure_reaction[d].data();
    viscous[d] = scratch_.viscous_reaction[d].data();
  }
  device_.sum_reactions(in, state_.constants.state.is_gas(), pressure, viscous);
}

template <class T, int D>
void ClassicOnDevice<T, D>::correct(const MidpointPrediction& prediction, double damping) {
  this->set_forces_and_bodies();
  device::CorrectFactors factors;
  factors.update = update_.factors(prediction.dt, damping);
  factors.units = update_.row_units();
  factors.sound = update_.soundness();
  factors.sides = contact_.sides();
  factors.gravity = state_.world.gravity;
  factors.time = state_.time + 0.5 * prediction.dt;
  factors.force = force_varies(state_.world) ? state_.world.gravity : forcing_.force({}, factors.time);
  factors.free_surface = state_.constants.free_surface;
  factors.bodies = this->bodies_;
  std::vector<device::Entrant> entrants = device_.correct(factors);
  check_contact(entrants);
  device_.finish(entrants, factors);
  this->maxima_are_due_ = true;
  this->collect_maxima();
}

/// Does what ClassicUpdate does at bodies.
template <class T, int D>
void ClassicOnDevice<T, D>::check_contact(std::vector<device::Entrant>& entrants) {
  for (device::Entrant& one : entrants) {
    const Vec3 x_free = one.x, v_free = one.v;
    if (!contact_.with_bodies(one.x, one.v)) continue;
    one.heat = physics::classic::heat_of_contact(x_free, v_free, one.x, one.v, state_.world.gravity);
    ++state_.contacts;
  }
}

template <class T, int D>
void ClassicOnDevice<T, D>::adopt(const device::StepMaxima& found) {
  state_.contacts += found.contacts;
  state_.control.latest = {.speed = std::sqrt(found.speed2),
                           .bad = found.bad,
                           .from_midpoint = std::sqrt(found.moved2),
                           .signal = found.signal,
                           .acceleration = std::sqrt(found.acceleration2)};
}

template class ClassicOnDevice<float, 2>;
template class ClassicOnDevice<float, 3>;
template class ClassicOnDevice<double, 2>;
template class ClassicOnDevice<double, 3>;

}  // namespace eddyline::sph
