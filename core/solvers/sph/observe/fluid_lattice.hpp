#pragma once

#include <vector>

#include "solver/lattice.hpp"
#include "solvers/sph/observe/sampled_flow.hpp"

namespace eddyline::sph {

/// The colour function of the fluid in 3D, smoothed: 1 inside, 0 outside; its surface at one half is that of the fluid.
///   c(x) = sum V W(x - x_j) / share,   W = 315 / (64 pi R^3) (1 - r^2/R^2)^3
/// R: two spacings of particles or of the lattice. share: the part of the kernel inside the walls of the domain and
/// outside bodies, so that the surface ends at right angles on walls. Two passes of weights 1-2-1 along each axis
/// smooth c. A single particle, for which c is too small, appears as a drop. At a body c is limited to the distance
/// from its surface. The sums are of whole numbers, so that values do not depend on ranks, boxes and threads.
/// Collective.
std::vector<float> fluid_lattice(const SampledFlow<3>& flow, double time, const solver::Lattice& lattice,
                                 solver::Layers layers);

}  // namespace eddyline::sph
