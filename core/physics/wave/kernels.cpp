#include "physics/wave/kernels.hpp"

namespace eddyline::physics::wave {

Kernels kernels([[maybe_unused]] const std::string& instructions, int order, int dimensions) {
#ifdef EDDYLINE_HAS_AVX2
  if (instructions == "avx2") return kernels_avx2(order, dimensions);
#endif
#ifdef EDDYLINE_HAS_AVX512
  if (instructions == "avx512") return kernels_avx512(order, dimensions);
#endif
  return kernels_scalar(order, dimensions);
}

}  // namespace eddyline::physics::wave
