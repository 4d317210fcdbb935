#include "physics/mps/matrix.hpp"

#include "physics/by_instructions.hpp"

namespace eddyline::physics::mps {

MultiplyMatrix choose_multiply_matrix(const std::string& instructions) {
  return by_instructions<float>(
      instructions, [] { return multiply_matrix_scalar(); }, [] { return multiply_matrix_avx2(); },
      [] { return multiply_matrix_avx512(); });  // a lambda that is not called needs no function to link
}

}  // namespace eddyline::physics::mps
