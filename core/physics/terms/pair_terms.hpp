#pragma once
// Forces between pairs by formulas, computed while a sweep of rates reads the pairs. Included by flavours/.

#include <algorithm>
#include <array>

#include "neighbors/list.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/pair.hpp"
#include "physics/terms/lanes.hpp"
#include "physics/terms/sweep.hpp"

namespace eddyline::physics::terms {

/// Takes pairs from delta::rates_of() and stores the variables of formulas; then runs the program for many at once. P:
/// pack type, D: dimension. One for each thread.
template <class P, int D>
class PairTerms {
 public:
  using T = typename P::value_type;

  explicit PairTerms(const SweepInput<T>& in) : in_(in), program_(in.program->program) {
    fill<P>(in.filled, registers_);
    for (std::size_t v = 0; v < k_pair_variables; ++v) {
      const int number = program_.register_of(v);
      place_[v] = number == k_no_register ? nullptr : at(number);
      // Components that the dimension does not have are 0.
      if (place_[v] != nullptr) std::fill_n(place_[v], k_lanes, T(0));
    }
    distance_ = place_[static_cast<std::size_t>(Of::r)];
    if (distance_ == nullptr) distance_ = own_distance_;
    uses_kernel_ = uses(Of::W, Of::dW), uses_way_ = uses(Of::rx, Of::rz), uses_motion_ = uses(Of::vx, Of::vr);
    uses_place_ = uses(Of::x, Of::z), uses_state_ = uses(Of::rho_j, Of::V_j), uses_velocity_ = uses(Of::vx_j, Of::vz_j);
  }

  /// Begins the sums of a pack of particles, of which `first` is the first.
  template <class Fluid>
  EDDYLINE_INLINE void begin(const Fluid& i, std::int64_t first) {
    put_state(i, Of::rho_i, 0);
    put_velocity(i, Of::vx_i, 0);
    run<P>(program_.of_target(), registers_, P::width);
    for (const int number : program_.shared()) {
      T* const values = at(number);
      const P value = P::load(values);
      for (int l = P::width; l < k_lanes; l += P::width) value.store(values + l);
    }
    if (uses_place_) find_places<P, D>(in_, first, i, middle_);
    for (int d = 0; d < D; ++d) sum_[d] = P(0);
  }

  /// Calls take_all(some of the neighbours), and computes the forces of those.
  template <class TakeAll>
  EDDYLINE_INLINE void for_each_batch(const neighbors::Chunk& chunk, TakeAll&& take_all) {
    for (std::int32_t begin = 0; begin < chunk.length; begin += k_batch) {
      const std::int32_t count = std::min(chunk.length - begin, k_batch);
      lane_ = 0;
      take_all(neighbors::Chunk{chunk.entries + std::int64_t{begin} * neighbors::k_chunk, count, 0});
      run<P>(program_.of_pair(), registers_, lane_);
      add_forces();
    }
  }

  /// Takes a pair: the neighbour, r_i - r_j in quanta and v_i - v_j.
  template <class Fluid>
  EDDYLINE_INLINE void take(const Fluid& j, const P* quanta, const P* way) {
    const P zero(0), one(1);
    P r[D];
    for (int d = 0; d < D; ++d) r[d] = fma(way[d], P(in_.half_path), quanta[d] * P(in_.quantum));
    const P r2 = dot<D>(r, r), distance = sqrt(r2), q = distance * P(in_.inverse_radius);
    near_[lane_ / P::width] = (one > q) & (j.V > zero) & (r2 > zero);
    for (int d = 0; d < D; ++d) r[d].store(r_ij_[d] + lane_);
    distance.store(distance_ + lane_);
    put(Of::q, q);
    if (uses_kernel_) {
      const P rest = max(one - q, zero), cube = WendlandC2::gradient(rest);
      put(Of::W, WendlandC2::value(rest, cube, q) * P(in_.kernel));
      put(Of::dW, cube * q * P(in_.slope));
    }
    if (uses_way_)
      for (int d = 0; d < D; ++d) put(component(Of::rx, d), r[d]);
    if (uses_motion_) {
      P v[D];
      for (int d = 0; d < D; ++d) v[d] = way[d] * P(in_.sound_speed), put(component(Of::vx, d), v[d]);
      put(Of::vr, dot<D>(v, r) * inverse(distance));
    }
    if (uses_place_)
      for (int d = 0; d < D; ++d) put(component(Of::x, d), fma(P(T(-0.5)), r[d], middle_[d]));
    if (uses_state_) put_state(j, Of::rho_j, lane_);
    if (uses_velocity_) put_velocity(j, Of::vx_j, lane_);
    lane_ += P::width;
  }

  /// Subtracts the accelerations by the summed forces from out[d], see PairInput.
  template <class Fluid>
  EDDYLINE_INLINE void end(const Fluid& i, std::int64_t first, T* const* out) {
    subtract_accelerations<P, D>(in_, first, i, sum_, out);
  }

 private:
  static constexpr std::int32_t k_batch = k_lanes / P::width;

  static constexpr Of component(Of first, int axis) { return static_cast<Of>(static_cast<int>(first) + axis); }

  /// True if formulas use one of some variables that follow each other.
  bool uses(Of first, Of last) const {
    return std::any_of(place_.begin() + static_cast<int>(first), place_.begin() + static_cast<int>(last) + 1,
                       [](const T* place) { return place != nullptr; });
  }
  T* at(int number) { return registers_ + std::ptrdiff_t{number} * k_lanes; }
  EDDYLINE_INLINE void put(Of variable, int lane, P value) {
    if (T* const to = place_[static_cast<std::size_t>(variable)]) value.store(to + lane);
  }
  EDDYLINE_INLINE void put(Of variable, P value) { put(variable, lane_, value); }

  /// Stores density, pressure, mass and volume of a particle.
  template <class Fluid>
  EDDYLINE_INLINE void put_state(const Fluid& of, Of first, int lane) {
    const P density = (P(1) + of.s) * P(in_.density);
    put(first, lane, density);
    put(component(first, 1), lane, of.s * P(in_.sound_pressure));
    put(component(first, 2), lane, density * (of.V * P(in_.volume)));
    put(component(first, 3), lane, of.V * P(in_.volume));
  }
  template <class Fluid>
  EDDYLINE_INLINE void put_velocity(const Fluid& of, Of first, int lane) {
    for (int d = 0; d < D; ++d) put(component(first, d), lane, of.v[d] * P(in_.sound_speed));
  }

  EDDYLINE_INLINE P inverse(P distance) const { return P(1) / max(distance, P(in_.quantum)); }
  EDDYLINE_INLINE P output(std::size_t number, int lane) { return P::load(at(program_.outputs()[number]) + lane); }
  EDDYLINE_INLINE void add_forces() {
    const P zero(0);
    P sum[D];
    for (int d = 0; d < D; ++d) sum[d] = sum_[d];
    for (int lane = 0; lane < lane_; lane += P::width) {
      const auto near = near_[lane / P::width];
      std::size_t number = 0;
      if (in_.program->central) {
        const P force = select(near, output(number++, lane), zero);
        const P over = inverse(P::load(distance_ + lane));
        for (int d = 0; d < D; ++d) sum[d] = fma(force, P::load(r_ij_[d] + lane) * over, sum[d]);
      }
      if (in_.program->vector)
        for (int d = 0; d < D; ++d) sum[d] = sum[d] + select(near, output(number++, lane), zero);
    }
    for (int d = 0; d < D; ++d) sum_[d] = sum[d];
  }

  const SweepInput<T>& in_;
  const Program& program_;
  std::array<T*, k_pair_variables> place_;
  bool uses_kernel_, uses_way_, uses_motion_, uses_place_, uses_state_, uses_velocity_;
  int lane_ = 0;  // pairs taken since the last run
  P middle_[D], sum_[D];
  Mask<T, P::width> near_[k_batch];
  T* distance_;  // in the register of r if formulas use it
  alignas(64) T r_ij_[D][k_lanes], own_distance_[k_lanes];
  alignas(64) T registers_[std::size_t{k_most_registers} * k_lanes];
};

}  // namespace eddyline::physics::terms
