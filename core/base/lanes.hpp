#pragma once
// Packs of 32 bytes as compiler vector types, which work on any processor; used by sums outside the pair loops.

#ifdef __FMA__
#include <immintrin.h>
#endif

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/pack.hpp"

namespace eddyline {

/// Four doubles, or eight floats.
template <class T, int W>
concept FillsLanes = W > 1 && sizeof(T) * W == 32;

template <class T>
struct LanesOf;
template <>
struct LanesOf<double> {
  using Numbers __attribute__((vector_size(32))) = double;
  using Whole __attribute__((vector_size(32))) = std::int64_t;
};
template <>
struct LanesOf<float> {
  using Numbers __attribute__((vector_size(32))) = float;
  using Whole __attribute__((vector_size(32))) = std::int32_t;
};

template <class T, int W>
  requires FillsLanes<T, W>
struct Mask<T, W> {
  using Lanes = typename LanesOf<T>::Whole;
  Lanes m;
};

template <class T, int W>
  requires FillsLanes<T, W>
struct Pack<T, W> {
  using value_type = T;
  static constexpr int width = W;
  using Lanes = typename LanesOf<T>::Numbers;
  using Bits = typename LanesOf<T>::Whole;
  Lanes v;

  EDDYLINE_INLINE Pack() : v{} {}
  EDDYLINE_INLINE Pack(Lanes value) : v(value) {}  // NOLINT(google-explicit-constructor)
  /// Broadcasts a value to all lanes: compiler vector types broadcast only through arithmetic, and x - 0 is x.
  EDDYLINE_INLINE Pack(T value) : v(value - Lanes{}) {}  // NOLINT(google-explicit-constructor)
  static EDDYLINE_INLINE Pack load(const T* from) {
    Pack pack;
    std::memcpy(&pack.v, from, sizeof pack.v);
    return pack;
  }
  EDDYLINE_INLINE void store(T* to) const { std::memcpy(to, &v, sizeof v); }
  /// Not std::bit_cast, a function: builds without optimisation would share one copy of it between files compiled for
  /// different instruction sets, which pass vectors in different ways.
  EDDYLINE_INLINE Bits bits() const { return __builtin_bit_cast(Bits, v); }

  friend EDDYLINE_INLINE Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend EDDYLINE_INLINE Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend EDDYLINE_INLINE Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend EDDYLINE_INLINE Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  friend EDDYLINE_INLINE Pack fma(Pack a, Pack b, Pack c) {
#ifdef __FMA__
    if constexpr (std::is_same_v<T, float>) return Lanes(_mm256_fmadd_ps(a.v, b.v, c.v));
    if constexpr (std::is_same_v<T, double>) return Lanes(_mm256_fmadd_pd(a.v, b.v, c.v));
#else
    Pack out;
    for (int lane = 0; lane < W; ++lane) out.v[lane] = std::fma(a.v[lane], b.v[lane], c.v[lane]);
    return out;
#endif
  }
  friend EDDYLINE_INLINE Pack sqrt(Pack a) {
    Pack out;
    for (int lane = 0; lane < W; ++lane) out.v[lane] = std::sqrt(a.v[lane]);
    return out;
  }
  friend EDDYLINE_INLINE Pack abs(Pack a) {
    using Whole = std::remove_reference_t<decltype(Bits{}[0])>;
    return __builtin_bit_cast(Lanes, a.bits() & std::numeric_limits<Whole>::max());
  }
  friend EDDYLINE_INLINE Mask<T, W> operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend EDDYLINE_INLINE Pack max(Pack a, Pack b) { return a.v > b.v ? a.v : b.v; }
  friend EDDYLINE_INLINE Pack min(Pack a, Pack b) { return a.v < b.v ? a.v : b.v; }
};

using Pack4d = Pack<double, 4>;
using Pack8f = Pack<float, 8>;

/// Reduces the lanes to one by choose(a, b), which must return one of its arguments, as min and max do.
template <class Choose>
EDDYLINE_INLINE float reduce_lanes(Pack8f a, Choose&& choose) {
  a = choose(a, Pack8f(__builtin_shufflevector(a.v, a.v, 4, 5, 6, 7, 0, 1, 2, 3)));
  a = choose(a, Pack8f(__builtin_shufflevector(a.v, a.v, 2, 3, 0, 1, 6, 7, 4, 5)));
  return choose(a, Pack8f(__builtin_shufflevector(a.v, a.v, 1, 0, 3, 2, 5, 4, 7, 6))).v[0];
}

/// Eight floats converted to doubles.
struct InDoubles {
  Pack4d half[2];  // lanes 0 to 3, lanes 4 to 7

  EDDYLINE_INLINE InDoubles() = default;
  explicit EDDYLINE_INLINE InDoubles(Pack8f a) {
#ifdef __FMA__
    half[0] = Pack4d::Lanes(_mm256_cvtps_pd(_mm256_castps256_ps128(a.v)));
    half[1] = Pack4d::Lanes(_mm256_cvtps_pd(_mm256_extractf128_ps(a.v, 1)));
#else
    using Half __attribute__((vector_size(16))) = float;
    struct Halves {
      Half lower, upper;
    };
    const auto floats = __builtin_bit_cast(Halves, a.v);
    half[0] = __builtin_convertvector(floats.lower, Pack4d::Lanes);
    half[1] = __builtin_convertvector(floats.upper, Pack4d::Lanes);
#endif
  }
};

/// One bit per lane.
EDDYLINE_INLINE std::uint32_t bits(Mask<double, 4> mask) {
#ifdef __FMA__
  return static_cast<std::uint32_t>(_mm256_movemask_pd(__builtin_bit_cast(__m256d, mask.m)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < Pack4d::width; ++lane) bits |= static_cast<std::uint32_t>(mask.m[lane] & 1) << lane;
  return bits;
#endif
}

EDDYLINE_INLINE std::uint32_t bits(Mask<float, 8> mask) {
#ifdef __FMA__
  return static_cast<std::uint32_t>(_mm256_movemask_ps(__builtin_bit_cast(__m256, mask.m)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < Pack8f::width; ++lane) bits |= static_cast<std::uint32_t>(mask.m[lane] & 1) << lane;
  return bits;
#endif
}

}  // namespace eddyline
