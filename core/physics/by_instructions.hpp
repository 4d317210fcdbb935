#pragma once

#include <string>
#include <type_traits>

namespace eddyline::physics {

/// Returns the variant that is compiled for an instruction set, named as in instruction_sets(); double precision always
/// uses the scalar variant. scalar, avx2, avx512: functions that return the variants.
template <class T, class Scalar, class Avx2, class Avx512>
auto by_instructions(const std::string& instructions, Scalar scalar, Avx2 avx2, Avx512 avx512) {
  if constexpr (std::is_same_v<T, float>) {
#ifdef EDDYLINE_HAS_AVX2
    if (instructions == "avx2") return avx2();
#endif
#ifdef EDDYLINE_HAS_AVX512
    if (instructions == "avx512") return avx512();
#endif
  }
  (void)instructions, (void)avx2, (void)avx512;
  return scalar();
}

}  // namespace eddyline::physics
