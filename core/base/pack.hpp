#pragma once
// SIMD as arithmetic: Pack<T, W> holds one value for each of W lanes and behaves like a number. A lane holds one
// particle. Every operation is one correctly rounded IEEE operation, so that all widths give the same bits (the law,
// rule 6), or moves bits: no approximate reciprocals, no contraction, fused multiply-add only where fma() is written.
//
// Pair loops are compiled once for each instruction set; each such translation unit includes pack_avx2.hpp or
// pack_avx512.hpp beside this file and uses packs of one width only.

#include <cmath>
#include <cstdint>
#include <type_traits>

#define EDDYLINE_INLINE inline __attribute__((always_inline))

namespace eddyline {

template <class T, int W>
struct Pack;
template <class T, int W>
struct Mask;

/// One lane: the plain scalar path, the reference for all others.
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
/// a > b ? a : b, the convention of x86 where one of them is not a number.
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

/// Fixed-point coordinates as they stand in a row: 32-bit integers in the bits of a float, or of the low half of a
/// double. The difference wraps around modulo 2^32 and is converted to floating point (rounded once).
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
inline constexpr int k_half_of = 4 * sizeof(T);  // of its bits

/// Two numbers in the bits of one, each rounded to half of them, to the nearest, ties away from zero: 8 significant
/// bits of a float's 24, 21 of a double's 53; the range stays. For values that need no more, so that rows are shorter.
/// What is not a number stays so, if arithmetic made it.
template <class T>
EDDYLINE_INLINE T in_halves(T upper, T lower) {
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

/// Lists name a row by its place: its number times this. An address is then a base and a place times 2, 4 or 8 bytes,
/// which a processor works out while it loads.
inline constexpr std::int32_t k_row_step = 8;

/// The row at a place. `stride`: a multiple of four.
template <class T>
EDDYLINE_INLINE const T* row_at(const T* rows, int stride, std::int32_t place) {
  const auto bytes = static_cast<std::int64_t>(sizeof(T)) * stride / k_row_step;
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(rows) + place * bytes);
}

/// Loads the first N values (4 or 8) of the rows at the given places, transposed: out[k] holds value k of every lane's
/// row.
template <int N, class T>
EDDYLINE_INLINE void load_rows(const T* rows, int stride, const std::int32_t* place, Pack<T, 1>* out) {
  const T* row = row_at(rows, stride, place[0]);
  for (int k = 0; k < N; ++k) out[k].v = row[k];
}

}  // namespace eddyline
