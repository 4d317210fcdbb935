// The loops of the potential's correction, compiled for one instruction set.
#include "solvers/amr/poisson/flavours/make_sweeps.hpp"

namespace eddyline::amr {

Sweeps sweeps_avx2() { return make_sweeps(); }

}  // namespace eddyline::amr
