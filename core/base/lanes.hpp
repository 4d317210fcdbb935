#pragma once
// Four doubles as the compiler's own vectors, on any processor: for sums outside the pair loops.

#ifdef __FMA__
#include <immintrin.h>
#endif

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/pack.hpp"

namespace eddyline {

template <>
struct Mask<double, 4> {
  using Lanes = std::int64_t __attribute__((vector_size(32)));
  Lanes m;
};

template <>
struct Pack<double, 4> {
  using value_type = double;
  static constexpr int width = 4;
  using Lanes = double __attribute__((vector_size(32)));
  using Bits = Mask<double, 4>::Lanes;
  Lanes v;
  EDDYLINE_INLINE Pack() : v{} {}
  EDDYLINE_INLINE Pack(Lanes value) : v(value) {}                        // NOLINT(google-explicit-constructor)
  EDDYLINE_INLINE Pack(double value) : v{value, value, value, value} {}  // NOLINT(google-explicit-constructor)
  static EDDYLINE_INLINE Pack load(const double* from) { return Lanes{from[0], from[1], from[2], from[3]}; }
  EDDYLINE_INLINE Bits bits() const { return std::bit_cast<Bits>(v); }
};

using Pack4d = Pack<double, 4>;

EDDYLINE_INLINE Pack4d operator+(Pack4d a, Pack4d b) { return a.v + b.v; }
EDDYLINE_INLINE Pack4d operator-(Pack4d a, Pack4d b) { return a.v - b.v; }
EDDYLINE_INLINE Pack4d operator*(Pack4d a, Pack4d b) { return a.v * b.v; }
EDDYLINE_INLINE Pack4d operator/(Pack4d a, Pack4d b) { return a.v / b.v; }
EDDYLINE_INLINE Pack4d fma(Pack4d a, Pack4d b, Pack4d c) {
#ifdef __FMA__
  return _mm256_fmadd_pd(a.v, b.v, c.v);
#else
  return Pack4d::Lanes{std::fma(a.v[0], b.v[0], c.v[0]), std::fma(a.v[1], b.v[1], c.v[1]),
                       std::fma(a.v[2], b.v[2], c.v[2]), std::fma(a.v[3], b.v[3], c.v[3])};
#endif
}
EDDYLINE_INLINE Pack4d sqrt(Pack4d a) {
  return Pack4d::Lanes{std::sqrt(a.v[0]), std::sqrt(a.v[1]), std::sqrt(a.v[2]), std::sqrt(a.v[3])};
}
EDDYLINE_INLINE Mask<double, 4> operator>(Pack4d a, Pack4d b) { return {a.v > b.v}; }
/// A bit for each lane.
EDDYLINE_INLINE std::uint32_t bits(Mask<double, 4> mask) {
#ifdef __FMA__
  return static_cast<std::uint32_t>(_mm256_movemask_pd(std::bit_cast<__m256d>(mask.m)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < Pack4d::width; ++lane) bits |= static_cast<std::uint32_t>(mask.m[lane] & 1) << lane;
  return bits;
#endif
}
EDDYLINE_INLINE Pack4d max(Pack4d a, Pack4d b) { return a.v > b.v ? a.v : b.v; }
EDDYLINE_INLINE Pack4d min(Pack4d a, Pack4d b) { return a.v < b.v ? a.v : b.v; }

}  // namespace eddyline
