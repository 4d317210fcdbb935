// The matrix product of the solver mps, compiled for one instruction set.
#include "base/lanes.hpp"

#include "physics/mps/matrix_impl.hpp"

namespace eddyline::physics::mps {

MultiplyMatrix multiply_matrix_avx2() { return multiply_matrix<Pack<double, 4>>; }

}  // namespace eddyline::physics::mps
