#include "solvers/sph/state/scratch.hpp"

#include "physics/classic/sweeps.hpp"
#include "solvers/sph/state/constants.hpp"

namespace eddyline::sph {

namespace {

bool has_scheme_classic(const world::World& world) { return world.method.scheme == world::Scheme::classic; }

}  // namespace

template <class T, int D>
Scratch<T, D>::Scratch(const world::World& world, bool is_alone)
    : end_rows(has_scheme_classic(world) ? physics::classic::k_fluid_width<D> : physics::delta::k_end_width<D>),
      walls(has_scheme_classic(world) ? physics::classic::k_wall_width<D> : physics::delta::k_wall_width<D>),
      is_classic_(has_scheme_classic(world)),
      shares_rows_(!is_classic_ && is_alone),
      sums_dissipation_(Constants(world).free_surface),
      sums_drifts_(world.method.xsph > 0) {}

/// Gives sorting the memory of results of the scheme delta, or of rows of classic.
template <class T, int D>
void Scratch<T, D>::begin_sorting(std::size_t particles, bool is_first) {
  use_ = Use::sorting;
  delta.begin(DeltaResults<T, D>::Sums::none);
  if (is_classic_) {
    reorder_.room().adopt_memory(end_rows.first_parts());
  } else {
    if (is_first) delta.resize(particles + neighbors::k_chunk);  // otherwise it would grow to that size, with slack
    reorder_.room().adopt_memory(delta);
  }
}

template <class T, int D>
void Scratch<T, D>::resize_fluid_rows(std::int32_t rows, bool is_first) {
  if (is_classic_)
    is_first ? reorder_.room().release() : reorder_.room().move_memory_to(end_rows.first_parts());
  else
    midpoint_rows.resize(rows);
  shares_rows_ ? end_rows.alias(midpoint_rows) : end_rows.resize(rows);
}

template <class T, int D>
void Scratch<T, D>::begin_sums(std::size_t whole) {
  use_ = Use::sums;
  if (is_classic_) {
    classic.resize(whole);
    if (sums_drifts_) classic.drifts.resize(whole);
  } else {
    delta.adopt_memory(reorder_.room());
    delta.resize(whole);
    if (sums_dissipation_) delta.dissipation.resize(whole);
  }
}

template <class T, int D>
void Scratch<T, D>::resize_reactions(std::size_t whole) {
  for (int d = 0; d < D; ++d) viscous_reaction[d].resize(whole), pressure_reaction[d].resize(whole);
}

template <class T, int D>
std::size_t Scratch<T, D>::bytes() const {
  const auto sum = [](const auto&... each) { return (std::size_t{0} + ... + each.bytes()); };
  std::size_t bytes =
      sum(midpoint_rows, end_rows, walls, reorder_, delta, delta.dissipation, classic, classic.drifts, wall_is_wet);
  for (int d = 0; d < D; ++d)
    bytes += sum(viscous_reaction[d], pressure_reaction[d], list_places.fluid.x[d], list_places.walls.x[d]);
  return bytes;
}

template class Scratch<float, 2>;
template class Scratch<float, 3>;
template class Scratch<double, 2>;
template class Scratch<double, 3>;

}  // namespace eddyline::sph
