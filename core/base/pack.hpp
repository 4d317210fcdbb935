#pragma once
// SIMD as arithmetic: Pack<T, W> holds one value for each of W lanes and behaves like a number. A lane holds one
// particle. Every operation either is one correctly rounded IEEE operation or only moves bits, so that all widths give
// the same bits (the law, rule 6): no approximate reciprocals, no contraction, fused multiply-add only where fma() is
// written.
//
// Pair loops are compiled once per instruction set. Each such translation unit includes pack_avx2.hpp or
// pack_avx512.hpp besides this file and uses packs of one width only.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/host_device.hpp"

namespace eddyline {

template <class T, int W>
struct Pack;
template <class T, int W>
struct Mask;

/// One lane: the plain scalar version, the reference for all others.
template <class T>
struct Mask<T, 1> {
  bool m;
};

template <class T>
struct Pack<T, 1> {
  using value_type = T;
  static constexpr int width = 1;
  static constexpr int k_registers = 16;
  T v;
  EDDYLINE_INLINE Pack() : v(0) {}
  EDDYLINE_INLINE Pack(T value) : v(value) {}  // NOLINT(google-explicit-constructor)
  static EDDYLINE_INLINE Pack load(const T* from) { return *from; }
  EDDYLINE_INLINE void store(T* to) const { *to = v; }
};

template <class T>
EDDYLINE_INLINE Pack<T, 1> operator+(Pack<T, 1> a, Pack<T, 1> b) {
  return a.v + b.v;
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> operator-(Pack<T, 1> a, Pack<T, 1> b) {
  return a.v - b.v;
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> operator*(Pack<T, 1> a, Pack<T, 1> b) {
  return a.v * b.v;
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> operator/(Pack<T, 1> a, Pack<T, 1> b) {
  return a.v / b.v;
}
/// a b + c, rounded once.
template <class T>
EDDYLINE_INLINE Pack<T, 1> fma(Pack<T, 1> a, Pack<T, 1> b, Pack<T, 1> c) {
  return std::fma(a.v, b.v, c.v);
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> sqrt(Pack<T, 1> a) {
  return std::sqrt(a.v);
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> abs(Pack<T, 1> a) {
  return std::abs(a.v);
}
/// a > b ? a : b; this is the x86 convention when an argument is not a number.
template <class T>
EDDYLINE_INLINE Pack<T, 1> max(Pack<T, 1> a, Pack<T, 1> b) {
  return a.v > b.v ? a.v : b.v;
}
template <class T>
EDDYLINE_INLINE Mask<T, 1> operator>(Pack<T, 1> a, Pack<T, 1> b) {
  return {a.v > b.v};
}
template <class T>
EDDYLINE_INLINE Mask<T, 1> operator&(Mask<T, 1> a, Mask<T, 1> b) {
  return {a.m && b.m};
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> select(Mask<T, 1> condition, Pack<T, 1> yes, Pack<T, 1> no) {
  return condition.m ? yes.v : no.v;
}

/// Difference of fixed-point coordinates as rows store them: 32-bit integers in the bits of a float, or in the low half
/// of a double. The difference wraps around modulo 2^32 and is converted to floating point (rounded once).
EDDYLINE_INLINE Pack<float, 1> fixed_difference(Pack<float, 1> a, Pack<float, 1> b) {
  const auto ia = __builtin_bit_cast(std::uint32_t, a.v), ib = __builtin_bit_cast(std::uint32_t, b.v);
  return static_cast<float>(static_cast<std::int32_t>(ia - ib));
}
EDDYLINE_INLINE Pack<double, 1> fixed_difference(Pack<double, 1> a, Pack<double, 1> b) {
  const auto ia = __builtin_bit_cast(std::uint64_t, a.v), ib = __builtin_bit_cast(std::uint64_t, b.v);
  return static_cast<double>(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(ia) - static_cast<std::uint32_t>(ib)));
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
template <class T>
inline constexpr int k_half_of = 4 * sizeof(T);  // number of bits

/// Packs two numbers into the bits of one. Each is rounded to half of the bits, to nearest, ties away from zero: 8 of a
/// float's 24 significant bits remain, or 21 of a double's 53; the range is unchanged. This shortens rows for values
/// that need no more precision. A NaN that arithmetic produced stays a NaN.
template <class T>
EDDYLINE_INLINE T pack_halves(T upper, T lower) {
  using Bits = BitsOf<T>;
  constexpr Bits k_rounding = Bits{1} << (k_half_of<T> - 1), k_upper = ~Bits{0} << k_half_of<T>;
  const Bits first = __builtin_bit_cast(Bits, upper) + k_rounding,
             second = __builtin_bit_cast(Bits, lower) + k_rounding;
  return __builtin_bit_cast(T, (first & k_upper) | (second >> k_half_of<T>));
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> upper_half(Pack<T, 1> both) {
  return __builtin_bit_cast(T, __builtin_bit_cast(BitsOf<T>, both.v) & (~BitsOf<T>{0} << k_half_of<T>));
}
template <class T>
EDDYLINE_INLINE Pack<T, 1> lower_half(Pack<T, 1> both) {
  return __builtin_bit_cast(T, __builtin_bit_cast(BitsOf<T>, both.v) << k_half_of<T>);
}

/// Asks for memory that is read soon. A device hides latency by other threads.
EDDYLINE_INLINE void prefetch([[maybe_unused]] const void* memory) {
#ifndef __CUDA_ARCH__
  __builtin_prefetch(memory);
#endif
}

/// Neighbour lists store a row as its number times this step ("place"). An address is then base + place * (2, 4 or 8
/// bytes), an addressing mode that the processor computes as part of the load.
inline constexpr std::int32_t k_row_step = 8;

/// The row at a place. `stride` must be a multiple of four.
template <class T>
EDDYLINE_INLINE const T* row_at(const T* rows, int stride, std::int32_t place) {
  const auto bytes = static_cast<std::int64_t>(sizeof(T)) * stride / k_row_step;
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(rows) + place * bytes);
}

/// Loads the first N values (4 or 8) of the rows at the given places, transposed: out[k] holds value k of each lane's
/// row.
template <int N, class T>
EDDYLINE_INLINE void load_rows(const T* rows, int stride, const std::int32_t* place, Pack<T, 1>* out) {
  const T* row = row_at(rows, stride, place[0]);
  for (int k = 0; k < N; ++k) out[k].v = row[k];
}

}  // namespace eddyline
