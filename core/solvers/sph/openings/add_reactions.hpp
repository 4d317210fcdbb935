#pragma once

#include <cstdint>

#include "solvers/sph/state/state.hpp"

namespace eddyline::sph {

/// Adds forces on the buffers, times factor(i) of particle i, to the forces of their openings. `force`: by number among
/// the members of the buffers. `owned`: number of particles of this rank. Sums are exact.
template <class T, int D, class Factor>
void add_reactions(State<T, D>& state, std::int64_t owned, const Array<T> (&force)[D], Factor&& factor) {
  const auto& members = state.openings.members();
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (members[m] >= owned) continue;
    const auto i = static_cast<std::size_t>(members[m]);
    for (std::size_t d = 0; d < D; ++d)
      state.openings.all()[state.fluid.buffer[i] - 1u].force[d].add(factor(i) * static_cast<double>(force[d][m]));
  }
}

}  // namespace eddyline::sph
