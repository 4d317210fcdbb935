// The matrix product of the solver mps, compiled for one instruction set.
#include "base/pack.hpp"

#include "physics/mps/matrix_impl.hpp"

namespace eddyline::physics::mps {

MultiplyMatrix multiply_matrix_scalar() { return multiply_matrix<Pack<double, 1>>; }

}  // namespace eddyline::physics::mps
