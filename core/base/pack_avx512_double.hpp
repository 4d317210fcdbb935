#pragma once
// More operations of eight doubles in an AVX-512 register.

#include "base/pack_avx512.hpp"

namespace eddyline {

template <>
struct Mask<double, 8> {
  __mmask8 m;
};

using Mask8d = Mask<double, 8>;

EDDYLINE_INLINE Pack8d operator/(Pack8d a, Pack8d b) { return _mm512_div_pd(a.v, b.v); }
/// a b + c, rounded once.
EDDYLINE_INLINE Pack8d fma(Pack8d a, Pack8d b, Pack8d c) { return _mm512_fmadd_pd(a.v, b.v, c.v); }
EDDYLINE_INLINE Pack8d sqrt(Pack8d a) { return _mm512_sqrt_pd(a.v); }
EDDYLINE_INLINE Pack8d max(Pack8d a, Pack8d b) { return _mm512_max_pd(a.v, b.v); }
EDDYLINE_INLINE Mask8d operator>(Pack8d a, Pack8d b) { return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_GT_OQ)}; }
EDDYLINE_INLINE Mask8d operator&(Mask8d a, Mask8d b) { return {static_cast<__mmask8>(a.m & b.m)}; }
EDDYLINE_INLINE Pack8d select(Mask8d condition, Pack8d yes, Pack8d no) {
  return _mm512_mask_blend_pd(condition.m, no.v, yes.v);
}

}  // namespace eddyline
