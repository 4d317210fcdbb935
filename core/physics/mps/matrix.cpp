#include "physics/mps/matrix.hpp"

#include "physics/by_instructions.hpp"

namespace eddyline::physics::mps {

MultiplyMatrix choose_multiply_matrix(const std::string& instructions) {
  return by_instructions<float>(instructions, multiply_matrix_scalar, multiply_matrix_avx2, multiply_matrix_avx512);
}

}  // namespace eddyline::physics::mps
