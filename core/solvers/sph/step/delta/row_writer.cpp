#include "solvers/sph/step/delta/row_writer.hpp"

#include "physics/delta/sweeps.hpp"
#include "physics/delta/update.hpp"
#include "physics/sph/acoustic_damping.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/state_equations/linear.hpp"
#include "solvers/sph/step/row_columns.hpp"

namespace eddyline::sph {

using physics::StateEquationLinear;

namespace {

/// Moves places from the midpoint of the step to its end.
template <class T>
class SecondHalf {
 public:
  SecondHalf(const Constants& c, double dt) : fixed_(c.fixed), distance_(0.5 * dt * c.c0) {}

  std::int32_t operator()(std::int32_t x, T v) const { return physics::delta::second_half(fixed_, distance_, x, v); }

 private:
  FixedPoint fixed_;
  double distance_;  // over the speed of sound [m]
};

}  // namespace

template <class T, int D>
void RowWriter<T, D>::write_midpoint_rows(const ParticleSpan& span, double dt) {
  const std::size_t first = span.first, n = span.count;
  const auto& fluid = state_.fluid;
  const FixedPoint fixed = state_.constants.fixed;
  const double inverse_c0 = state_.constants.inverse_c0;
  const physics::delta::RowUnits units{fixed, inverse_c0, state_.constants.inverse_mass};
  RowColumns<T, D, physics::delta::k_midpoint_width<D>> columns;  // x v s V G/2
  for (int d = 0; d < D; ++d) {
    const double *x = fluid.x[d] + first, *v = fluid.v[d] + first;
    const T *a = fluid.a[d] + first, *half_g = fluid.half_g[d] + first;
    auto& x_row = columns.x[d];
    T(&v_row)[k_span] = columns.value[d], (&half_g_row)[k_span] = columns.value[D + 2 + d];
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      const double v_half = v[l] + 0.5 * dt * static_cast<double>(a[l]);
      x_row[l] = fixed.wrapped(x[l] + 0.5 * dt * v_half);
      v_row[l] = static_cast<T>(v_half * inverse_c0);
      half_g_row[l] = half_g[l];
    }
  }
  const double *s = fluid.s.data() + first, *mass = fluid.mass.data() + first;
  T(&s_row)[k_span] = columns.value[D], (&V_row)[k_span] = columns.value[D + 1];
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    s_row[l] = static_cast<T>(s[l]);
    V_row[l] = static_cast<T>(units.volume(mass[l], s[l]));
  }
  columns.write_to(scratch_.midpoint_rows, domain_.fluid_rows, span);
}

template <class T, int D>
void RowWriter<T, D>::write_end_rows(const ParticleSpan& span, double dt) {
  const auto& c = state_.constants;
  const double h_c = c.length.smoothing_length * c.inverse_c0, to_divergence = c.rate * c.kernel;
  const T* divergence = scratch_.delta.divergence() + span.first;
  const std::uint8_t* surface = state_.fluid.surface.data() + span.first;
  SpanValues damping;
  const double everywhere = c.free_surface ? 0 : c.acoustic_damping, below = c.acoustic_damping - everywhere;
#pragma omp simd
  for (std::size_t l = 0; l < span.count; ++l)
    damping[l] = everywhere + below * static_cast<double>(surface[l] == physics::k_deep);
  const double* alpha = damping.value;
  write_end(span, dt, [=](std::size_t l) {
    return physics::acoustic_damping(alpha[l], h_c, to_divergence * static_cast<double>(divergence[l]));
  });
}

template <class T, int D>
void RowWriter<T, D>::write_state(const ParticleSpan& span) {
  write_end(span, 0, [](std::size_t) { return 0.0; });
}

template <class T, int D>
template <class Sound>
void RowWriter<T, D>::write_end(const ParticleSpan& span, double dt, Sound&& sound) {
  const std::size_t first = span.first, n = span.count;
  const auto& c = state_.constants;
  const auto& fluid = state_.fluid;
  const FixedPoint fixed = c.fixed;
  const double inverse_c0 = c.inverse_c0;
  const physics::delta::RowUnits units{fixed, inverse_c0, c.inverse_mass};
  const SecondHalf<T> end_of(c, dt);
  RowColumns<T, D, 2 * D + 2> columns;  // x p V v
  for (int d = 0; d < D; ++d) {
    const double *x = fluid.x[d] + first, *v = fluid.v[d] + first;
    auto& x_row = columns.x[d];
    T(&v_row)[k_span] = columns.value[2 + d];
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      v_row[l] = static_cast<T>(v[l] * inverse_c0);
      x_row[l] = end_of(fixed.wrapped(x[l] + 0.5 * dt * v[l]), v_row[l]);
    }
  }
  const double *s = fluid.s.data() + first, *mass = fluid.mass.data() + first;
  T(&p_row)[k_span] = columns.value[0], (&V_row)[k_span] = columns.value[1];
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    p_row[l] = static_cast<T>(StateEquationLinear::pressure(s[l]) + sound(l));
    V_row[l] = static_cast<T>(units.volume(mass[l], s[l]));
  }
  columns.write_to(scratch_.end_rows, domain_.fluid_rows, span);
}

template <class T, int D>
void RowWriter<T, D>::write_end_ghosts(std::int32_t first, std::int32_t count, double dt) {
  const SecondHalf<T> end_of(state_.constants, dt);
  for (std::int32_t r = first; r < first + count; ++r) {
    const T* middle = scratch_.midpoint_rows.row(r).first;
    T* row = scratch_.end_rows.row(r).first;
    for (int d = 0; d < D; ++d) {
      row[D + 2 + d] = middle[D + d];
      scratch_.end_rows.put_fixed(row + d, end_of(scratch_.midpoint_rows.get_fixed(middle + d), middle[D + d]));
    }
  }
}

template class RowWriter<float, 2>;
template class RowWriter<float, 3>;
template class RowWriter<double, 2>;
template class RowWriter<double, 3>;

}  // namespace eddyline::sph
