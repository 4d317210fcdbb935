#include "solvers/sph/step/delta/delta_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/kernels/wendland_c2.hpp"
#include "solvers/sph/step/delta/passes.hpp"
#include "solvers/sph/step/wall_row.hpp"
#include "solvers/sph/sweep_input.hpp"

namespace eddyline::sph {

template <class T, int D>
physics::delta::SweepInput<T> DeltaSums<T, D>::input_of_fluid() const {
  auto in = sweep_input(state_, domain_, scratch_);
  in.targets = lists_.fluid_fluid.targets();
  in.fluid_neighbors = lists_.fluid_fluid.chunks().data();
  in.wall_neighbors = lists_.fluid_wall.chunks().data();
  return in;
}

template <class T, int D>
physics::delta::SweepInput<T> DeltaSums<T, D>::input_of_walls(const neighbors::Chunk* fluid_neighbors) const {
  auto in = sweep_input(state_, domain_, scratch_);
  in.targets = lists_.wall_fluid.targets();
  in.fluid_neighbors = fluid_neighbors;
  return in;
}

template <class T, int D>
physics::terms::SweepInput<T> DeltaSums<T, D>::input_of_terms() const {
  const auto& c = state_.constants;
  const double R = c.length.interaction_radius;
  physics::terms::SweepInput<T> in;
  in.rows = scratch_.midpoint_rows.data();
  in.targets = lists_.fluid_fluid.targets();
  in.neighbors = lists_.fluid_fluid.chunks().data();
  for (int d = 0; d < D; ++d) in.x[d] = state_.fluid.x[d];
  in.path = state_.time_step * c.c0;
  in.half_path = static_cast<T>(0.5 * in.path);
  in.quantum = static_cast<T>(c.fixed.quantum());
  in.inverse_radius = static_cast<T>(1 / R);
  const double kernel = physics::WendlandC2::sigma(D) / std::pow(R, D);
  in.kernel = static_cast<T>(kernel);
  in.slope = static_cast<T>(-20 * kernel / R);
  in.sound_speed = static_cast<T>(c.c0);
  in.density = static_cast<T>(c.rho0);
  in.sound_pressure = static_cast<T>(c.rho0 * c.c0 * c.c0);
  in.volume = static_cast<T>(c.volume);
  in.per_unit = static_cast<T>(1 / (c.rate * c.c0 * c.kernel));
  in.program = &pair_terms_;
  in.time = state_.time + state_.time_step;
  std::array<double, 1> at_time{in.time};
  in.filled = pair_terms_.program.filled(at_time);
  return in;
}

template <class T, int D>
void DeltaSums<T, D>::find_terms() {
  pair_terms_ = {physics::terms::terms_of(state_.world), D};
  module_terms_ = physics::module_terms_of(state_.world, instructions_);
  std::erase_if(module_terms_, [](const auto& each) { return !each->acts_on_pairs(); });
}

template <class T, int D>
void DeltaSums<T, D>::sum_rates(std::span<const Block> blocks) {
  const auto in = input_of_fluid();
  physics::delta::RateResults<T, D> out{
      scratch_.delta.divergence(), scratch_.delta.diffusion(), {}, scratch_.delta.dissipation.data()};
  for (int d = 0; d < D; ++d) out.viscous[d] = scratch_.delta.viscous(d);
  const bool is_morris = state_.constants.viscosity == physics::delta::FluidViscosity::morris;
  const auto rates = is_morris ? sweeps_.rates_morris : sweeps_.rates_central;
  const std::int64_t n = domain_.fluid_after(k_rates);
  if (!has_terms()) {
    for_blocks(blocks, n, [&](std::int64_t first, std::int64_t last) { rates(in, out, first, last); });
    return;
  }
  const auto rates_and_terms = is_morris ? sweeps_with_terms_.rates_morris : sweeps_with_terms_.rates_central;
  const auto terms = input_of_terms();
  for_blocks(blocks, n, [&](std::int64_t first, std::int64_t last) {
    pair_terms_.acts() ? rates_and_terms(in, terms, out, first, last) : rates(in, out, first, last);
    for (const auto& each : module_terms_) each->sweep(terms, out.viscous, first, last);
  });
}

template <class T, int D>
void DeltaSums<T, D>::extrapolate_to_walls(double t) {
  const auto in = input_of_walls(lists_.wall_fluid.chunks().data());
  const std::int64_t n = domain_.walls_after(k_walls);
  const auto& c = state_.constants;
  auto& wall = state_.wall;
  const double to_dimensionless = c.length.interaction_radius / (c.c0 * c.c0);
  const bool walls_rest = !state_.walls_move && !forcing_.walls_change_speed();
  const auto blocks = inactive_walls_.active_blocks(lists_.wall_fluid, lists_.schedule.walls, n, walls_rest);
  for_blocks(blocks, n, [&](std::int64_t first, std::int64_t last) {
    WallBlock<T, D> sums;
    physics::delta::WallResults<T, D> out{sums.weight, sums.pressure, {}, {}};
    for (int d = 0; d < D; ++d) out.lever[d] = sums.lever[d], out.velocity[d] = sums.velocity[d];
    sweeps_.walls(in, out, first, last);
    const auto begin = static_cast<std::size_t>(first * neighbors::k_chunk);
    const auto count = static_cast<std::size_t>(std::min(last * neighbors::k_chunk, n)) - begin;
    const Vec3* even = moving_walls_.any() ? nullptr : forcing_.uniform_force();
    sums.set_g(count, [&](std::size_t l) {
      if (even != nullptr) return to_dimensionless * *even;
      const Vec3 x = vector_of(wall.x, begin + l);
      return to_dimensionless * (forcing_.force(x, t) - moving_walls_.acceleration(wall.owner[begin + l], x));
    });
    if (moving_walls_.any())
      sums.turn_velocities(
          count, [&](std::size_t l) { return (1 / c.rate) * moving_walls_.angular_velocity(wall.owner[begin + l]); });
    sums.find_pressures(count, c.free_surface);
    sums.mirror_velocities(wall, begin, count, c.inverse_c0);
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t k = begin + l;
      const auto row = scratch_.walls.row(domain_.wall_rows.row_of(k));
      scratch_.wall_is_wet[k] = sums.is_wet(l) ? 1 : 0;
      row[D] = sums.pressure[l];
      sums.write_velocities(row, wall, k, l, c.inverse_c0);
    }
  });
}

template <class T, int D>
void DeltaSums<T, D>::sum_forces(std::span<const Block> blocks) {
  const auto in = input_of_fluid();
  physics::delta::ForceResults<T, D> out{};
  out.surface = state_.fluid.surface.data();
  out.volume_fraction = scratch_.delta.volume_fraction();
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = scratch_.delta.pressure_force(d);
    out.shift[d] = scratch_.delta.shift(d);
  }
  const auto forces = state_.constants.free_surface ? sweeps_.forces_free_surface : sweeps_.forces_confined;
  for_blocks(blocks, domain_.fluid_after(domain_.lazy.passes()),
             [&](std::int64_t first, std::int64_t last) { forces(in, out, first, last); });
}

/// Walls that slip exert no viscous force: blocks of them are skipped.
template <class T, int D>
void DeltaSums<T, D>::sum_viscous_reactions() {
  lists_.find_free_neighbors();
  lists_.resize_reactions();
  const auto in = input_of_walls(lists_.wall_reaction());
  physics::delta::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) out.force[d] = scratch_.viscous_reaction[d].data();
  const auto& sweeps = sweeps_;
  const auto reaction = state_.fluid.confined ? sweeps.viscous_reaction_confined : sweeps.viscous_reaction_free_surface;
  const std::int64_t owned = domain_.wall_rows.owned();
  for_blocks(lists_.schedule.walls, owned, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t begin = first * neighbors::k_chunk, end = last * neighbors::k_chunk;
    const std::uint8_t* no_slip = state_.wall.no_slip.data();
    if (std::any_of(no_slip + begin, no_slip + std::min(end, owned), [](std::uint8_t has) { return has != 0; }))
      return reaction(in, out, first, last);
    for (T* force : out.force) std::fill(force + begin, force + end, T(0));
  });
}

template <class T, int D>
void DeltaSums<T, D>::sum_pressure_reactions() {
  const auto in = input_of_walls(lists_.wall_reaction());
  physics::delta::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) out.force[d] = scratch_.pressure_reaction[d].data();
  for_blocks(lists_.schedule.walls, domain_.wall_rows.owned(),
             [&](std::int64_t first, std::int64_t last) { sweeps_.pressure_reaction(in, out, first, last); });
}

template class DeltaSums<float, 2>;
template class DeltaSums<float, 3>;
template class DeltaSums<double, 2>;
template class DeltaSums<double, 3>;

}  // namespace eddyline::sph
