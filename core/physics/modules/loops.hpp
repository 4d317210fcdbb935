#pragma once
// Loops of a module's model for the instruction sets; each is defined in a file that is compiled for it.

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

template <int D>
physics::Kernels loops_scalar(physics::Reconstruction reconstruction);
template <int D>
physics::Kernels loops_avx2(physics::Reconstruction reconstruction);
template <int D>
physics::Kernels loops_avx512(physics::Reconstruction reconstruction);

}  // namespace eddyline::module
