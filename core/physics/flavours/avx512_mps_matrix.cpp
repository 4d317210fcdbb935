// The matrix product of the solver mps, compiled for one instruction set.
#include "base/pack_avx512.hpp"

#include "physics/mps/matrix_impl.hpp"

namespace eddyline::physics::mps {

MultiplyMatrix multiply_matrix_avx512() { return multiply_matrix<Pack<double, 8>>; }

}  // namespace eddyline::physics::mps
