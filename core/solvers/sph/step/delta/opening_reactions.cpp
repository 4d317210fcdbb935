#include "solvers/sph/step/delta/opening_reactions.hpp"

#include "solvers/sph/openings/add_reactions.hpp"
#include "solvers/sph/sweep_input.hpp"

namespace eddyline::sph {

template <class T, int D>
void OpeningReactions<T, D>::begin() {
  for (auto& opening : state_.openings.all()) opening.force = {};
}

template <class T, int D>
bool OpeningReactions<T, D>::is_summed_elsewhere(bool viscous) {
  if (!sum_elsewhere_) return false;
  const std::size_t members = state_.openings.members().size();
  T* force[D];
  for (int d = 0; d < D; ++d) {
    force_[d].resize((members + neighbors::k_chunk - 1) / neighbors::k_chunk * neighbors::k_chunk);
    force[d] = force_[d].data();
  }
  return sum_elsewhere_(viscous, force);
}

template <class T, int D>
void OpeningReactions<T, D>::prepare() {
  lists_.find_free_neighbors();
  const std::size_t chunks = lists_.buffer_free.chunks().size(), whole = chunks * neighbors::k_chunk;
  no_walls_.assign(chunks, {});
  divergence_.resize(whole), diffusion_.resize(whole), dissipation_.resize(whole), surface_.resize(whole);
  for (int d = 0; d < D; ++d) force_[d].resize(whole), shift_[d].resize(whole);
}

template <class T, int D>
physics::delta::SweepInput<T> OpeningReactions<T, D>::input() const {
  auto in = sweep_input(state_, domain_, scratch_);
  in.targets = lists_.buffer_free.targets();
  in.fluid_neighbors = lists_.buffer_free.chunks().data();
  in.wall_neighbors = no_walls_.data();
  return in;
}

template <class T, int D>
void OpeningReactions<T, D>::add_viscous() {
  begin();
  if (is_summed_elsewhere(true)) return add(true);
  prepare();
  physics::delta::RateResults<T, D> out{divergence_.data(), diffusion_.data(), {}, dissipation_.data()};
  for (int d = 0; d < D; ++d) out.viscous[d] = force_[d].data();
  const auto rates = state_.constants.viscosity == physics::delta::FluidViscosity::morris ? sweeps_.rates_morris
                                                                                          : sweeps_.rates_central;
  rates(input(), out, 0, static_cast<std::int64_t>(no_walls_.size()));
  add(true);
}

template <class T, int D>
void OpeningReactions<T, D>::add_pressure() {
  if (is_summed_elsewhere(false)) return add(false);
  physics::delta::ForceResults<T, D> out{};
  out.surface = surface_.data();
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = force_[d].data();
    out.shift[d] = shift_[d].data();
  }
  sweeps_.forces_confined(input(), out, 0, static_cast<std::int64_t>(no_walls_.size()));
  add(false);
}

/// Adds the forces of the fluid on the buffers, with the opposite sign, to the forces of the openings.
template <class T, int D>
void OpeningReactions<T, D>::add(bool viscous) {
  const auto& c = state_.constants;
  const auto& fluid = state_.fluid;
  const double acceleration = c.rate * c.c0 * c.kernel;
  add_reactions(state_, domain_.fluid_rows.owned(), force_,
                [&](std::size_t i) { return fluid.mass[i] * acceleration * (viscous ? 1 : -1 / (1 + fluid.s[i])); });
}

template class OpeningReactions<float, 2>;
template class OpeningReactions<float, 3>;
template class OpeningReactions<double, 2>;
template class OpeningReactions<double, 3>;

}  // namespace eddyline::sph
