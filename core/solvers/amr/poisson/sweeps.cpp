#include "solvers/amr/poisson/sweeps.hpp"

#include "base/instructions.hpp"

namespace eddyline::amr {

Sweeps sweeps_of(const std::string& instructions) {
  const std::string chosen = choose_instructions(instructions);
#ifdef EDDYLINE_HAS_AVX2
  if (chosen == "avx2") return sweeps_avx2();
#endif
#ifdef EDDYLINE_HAS_AVX512
  if (chosen == "avx512") return sweeps_avx512();
#endif
  return sweeps_scalar();
}

}  // namespace eddyline::amr
