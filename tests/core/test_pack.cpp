// Packs behave like numbers, whatever their width: the same bits in each lane, transposed loads, and differences of
// fixed-point positions that wrap around.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "base/fixed_point.hpp"
#include "base/instructions.hpp"
#include "base/pack.hpp"
#include "base/transpose.hpp"
#include "harness.hpp"

using namespace eddyline;

namespace {

bool has(const char* instructions) {
  for (const auto& set : instruction_sets())
    if (set == instructions) return true;
  return false;
}

/// Values that every operation must treat alike: signs, zeros, denormals, infinities and numbers of all magnitudes.
std::vector<float> values() {
  constexpr float k_infinity = std::numeric_limits<float>::infinity();
  std::vector<float> list{0.0f,   -0.0f,      1.0f,      -1.0f,      1e-45f,      -1e-45f,
                          1e-38f, 3.4e38f,    -3.4e38f,  k_infinity, -k_infinity, 0.1f,
                          -0.3f,  1.0000001f, 1234.567f, -9876.543f, 16777217.0f, 0.33333334f};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-4, 4);
  while (list.size() < 64) list.push_back(uniform(random));
  return list;
}

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// Defines a function that applies every operation of packs to a triple of values, in a fixed order. It is a macro
/// because it must be compiled for the instruction set that it uses.
#define EDDYLINE_OPERATIONS(SET)                                     \
  template <class P>                                                 \
  EDDYLINE_INLINE void all_operations_##SET(P a, P b, P c, P* out) { \
    out[0] = a + b;                                                  \
    out[1] = a - b;                                                  \
    out[2] = a * b;                                                  \
    out[3] = a / b;                                                  \
    out[4] = fma(a, b, c);                                           \
    out[5] = sqrt(a);                                                \
    out[6] = max(a, b);                                              \
    out[7] = select(a > b, b, c);                                    \
    out[8] = select((a > b) & (b > c), a, c);                        \
    out[9] = fixed_difference(a, b);                                 \
    out[10] = upper_half(a);                                         \
    out[11] = lower_half(a);                                         \
  }
EDDYLINE_OPERATIONS(scalar)
constexpr int k_operations = 12;

std::array<float, k_operations> expected(float a, float b, float c) {
  Pack<float, 1> out[k_operations];
  all_operations_scalar<Pack<float, 1>>(a, b, c, out);
  std::array<float, k_operations> result;
  for (std::size_t k = 0; k < k_operations; ++k) result[k] = out[k].v;
  return result;
}

/// Rows whose values encode their position.
constexpr int k_rows = 37;
std::vector<float> numbered_rows(int stride) {
  std::vector<float> rows;
  for (int r = 0; r < k_rows; ++r)
    for (int k = 0; k < stride; ++k) rows.push_back(static_cast<float>(1000 * r + k));
  return rows;
}

}  // namespace

// Code for instruction sets that the rest of this file must not use.
#if defined(EDDYLINE_HAS_AVX2) && defined(__GNUC__) && !defined(__clang__)
#define EDDYLINE_TEST_WIDE_PACKS

#define EDDYLINE_CHECK_WIDTH(W, SET)                                                                                  \
  namespace {                                                                                                         \
  EDDYLINE_OPERATIONS(SET)                                                                                            \
  void check_operations_##SET() {                                                                                     \
    const auto list = values();                                                                                       \
    for (std::size_t shift = 1; shift < 12; ++shift)                                                                  \
      for (std::size_t first = 0; first + W <= list.size(); first += W) {                                             \
        float a[W], b[W], c[W], found[k_operations][W];                                                               \
        for (std::size_t lane = 0; lane < W; ++lane) {                                                                \
          a[lane] = list[first + lane];                                                                               \
          b[lane] = list[(first + lane + shift) % list.size()];                                                       \
          c[lane] = list[(first + lane + 3 * shift) % list.size()];                                                   \
        }                                                                                                             \
        const std::int32_t lanes[16] = {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120};             \
        float rows[3][W * 8] = {};                                                                                    \
        for (std::size_t lane = 0; lane < W; ++lane) {                                                                \
          rows[0][8 * lane] = a[lane];                                                                                \
          rows[1][8 * lane] = b[lane];                                                                                \
          rows[2][8 * lane] = c[lane];                                                                                \
        }                                                                                                             \
        Pack<float, W> loaded[3][4], out[k_operations];                                                               \
        for (int v = 0; v < 3; ++v) load_rows<4>(rows[v], 8, lanes, loaded[v]);                                       \
        all_operations_##SET<Pack<float, W>>(loaded[0][0], loaded[1][0], loaded[2][0], out);                          \
        for (int k = 0; k < k_operations; ++k) out[k].store(found[k]);                                                \
        for (std::size_t lane = 0; lane < W; ++lane) {                                                                \
          const auto wanted = expected(a[lane], b[lane], c[lane]);                                                    \
          for (std::size_t k = 0; k < k_operations; ++k) CHECK(same(found[k][lane], wanted[k]));                      \
        }                                                                                                             \
      }                                                                                                               \
  }                                                                                                                   \
  template <int N>                                                                                                    \
  void check_loads_##SET(int stride, int offset) {                                                                    \
    const auto rows = numbered_rows(stride);                                                                          \
    std::int32_t index[W], place[W];                                                                                  \
    for (int lane = 0; lane < W; ++lane) index[lane] = (7 * lane + 3) % k_rows;                                       \
    for (int lane = 0; lane < W; ++lane) place[lane] = index[lane] * k_row_step;                                      \
    Pack<float, W> out[N];                                                                                            \
    load_rows<N>(rows.data() + offset, stride, place, out);                                                           \
    for (int k = 0; k < N; ++k) {                                                                                     \
      float lanes[W];                                                                                                 \
      out[k].store(lanes);                                                                                            \
      for (int lane = 0; lane < W; ++lane) CHECK(lanes[lane] == static_cast<float>(1000 * index[lane] + offset + k)); \
    }                                                                                                                 \
  }                                                                                                                   \
  void check_all_loads_##SET() {                                                                                      \
    check_loads_##SET<4>(4, 0);                                                                                       \
    for (const int stride : {8, 16})                                                                                  \
      for (int offset = 0; offset + 8 <= stride; offset += 4) {                                                       \
        check_loads_##SET<4>(stride, offset);                                                                         \
        check_loads_##SET<8>(stride, offset);                                                                         \
      }                                                                                                               \
  }                                                                                                                   \
  }

#pragma GCC push_options
#pragma GCC target("avx2,fma")
#include "base/pack_avx2.hpp"
EDDYLINE_CHECK_WIDTH(8, avx2)
#pragma GCC pop_options
#ifdef EDDYLINE_HAS_AVX512
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#include "base/pack_avx512.hpp"
EDDYLINE_CHECK_WIDTH(16, avx512)
#pragma GCC pop_options
#endif
#endif

TEST(wide_packs_give_the_bits_of_one_lane) {
#ifdef EDDYLINE_TEST_WIDE_PACKS
  if (has("avx2")) check_operations_avx2();
#ifdef EDDYLINE_HAS_AVX512
  if (has("avx512")) check_operations_avx512();
#endif
#endif
  CHECK(has("scalar"));
}

TEST(rows_are_loaded_transposed) {
  const auto rows = numbered_rows(16);
  const std::int32_t place[1] = {5 * k_row_step};
  Pack<float, 1> out[8];
  load_rows<8>(rows.data() + 4, 16, place, out);
  for (int k = 0; k < 8; ++k) CHECK(out[k].v == static_cast<float>(5000 + 4 + k));
#ifdef EDDYLINE_TEST_WIDE_PACKS
  if (has("avx2")) check_all_loads_avx2();
#ifdef EDDYLINE_HAS_AVX512
  if (has("avx512")) check_all_loads_avx512();
#endif
#endif
}

TEST(fixed_differences_wrap_around) {
  const auto as_float = [](std::uint32_t bits) { return Pack<float, 1>(std::bit_cast<float>(bits)); };
  const auto as_double = [](std::uint64_t bits) { return Pack<double, 1>(std::bit_cast<double>(bits)); };
  // Both sides of the jump from 2^32 - 1 to 0, and of the change of sign.
  CHECK(fixed_difference(as_float(5), as_float(0xfffffffb)).v == 10.0f);
  CHECK(fixed_difference(as_float(0xfffffffb), as_float(5)).v == -10.0f);
  CHECK(fixed_difference(as_float(0x80000010), as_float(0x7ffffff0)).v == 32.0f);
  CHECK(fixed_difference(as_double(5), as_double(0xfffffffffffffffb)).v == 10.0);
  CHECK(fixed_difference(as_double(0x7ffffff0), as_double(0xffffffff80000010)).v == -32.0);
  // Rounded once, to nearest even.
  CHECK(fixed_difference(as_float(16777217), as_float(0)).v == 16777216.0f);
  CHECK(fixed_difference(as_double(16777217), as_double(0)).v == 16777217.0);
}

/// A number is restored from either half, rounded to the given number of significant bits, whatever the other half
/// holds.
template <class T>
void check_halves(int significant) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> exponent(-30, 30), mantissa(-1, 1);
  const auto any = [&] { return static_cast<T>(mantissa(random) * std::exp2(exponent(random))); };
  const auto check = [&](T found, T value) {
    CHECK_NEAR(static_cast<double>(found), static_cast<double>(value), std::abs(value) * std::exp2(-significant));
    CHECK(std::signbit(found) == std::signbit(value));
  };
  for (int k = 0; k < 1000; ++k) {
    const T upper = any(), lower = any(), both = pack_halves(upper, lower);
    const T first = upper_half(Pack<T, 1>(both)).v, second = lower_half(Pack<T, 1>(both)).v;
    check(first, upper), check(second, lower);
    const T again = pack_halves(first, second);
    CHECK(std::memcmp(&again, &both, sizeof both) == 0);  // rounding again changes nothing
  }
  constexpr T k_infinity = std::numeric_limits<T>::infinity();
  constexpr T k_largest = std::numeric_limits<T>::max(), k_least = std::numeric_limits<T>::denorm_min();
  CHECK(upper_half(Pack<T, 1>(pack_halves(k_largest, T(0)))).v == k_infinity);
  CHECK(upper_half(Pack<T, 1>(pack_halves(k_least, T(0)))).v == 0);
  const T tie = 1 + std::exp2(T(-significant));
  CHECK(upper_half(Pack<T, 1>(pack_halves(tie, T(0)))).v == 1 + std::exp2(T(1 - significant)));
  CHECK(lower_half(Pack<T, 1>(pack_halves(T(0), -tie))).v == -1 - std::exp2(T(1 - significant)));
  for (const T value : {T(0), -T(0), T(1), T(-0.375), k_infinity, -k_infinity}) {
    const T upper = upper_half(Pack<T, 1>(pack_halves(value, k_infinity))).v;
    const T lower = lower_half(Pack<T, 1>(pack_halves(k_infinity, value))).v;
    CHECK(upper == value && std::signbit(upper) == std::signbit(value));
    CHECK(lower == value && std::signbit(lower) == std::signbit(value));
  }
  constexpr T k_nothing = std::numeric_limits<T>::quiet_NaN();
  for (const T value : {k_nothing, -k_nothing}) {
    CHECK(std::isnan(upper_half(Pack<T, 1>(pack_halves(value, T(1)))).v));
    CHECK(std::isnan(lower_half(Pack<T, 1>(pack_halves(T(1), value))).v));
  }
}

TEST(two_numbers_share_the_bits_of_one) {
  check_halves<float>(8);
  check_halves<double>(21);
}

TEST(fixed_positions_have_exact_differences_far_away) {
  const double radius = 0.0137;
  const FixedPoint fixed(radius);
  CHECK(fixed.quantum() <= radius * 0x1p-26);
  CHECK(fixed.quantum() > radius * 0x1p-27);
  const double origin = 2e5 * fixed.round(1.0);  // ten million radii
  for (const double apart : {0.0, 0.25 * radius, radius, -15.9 * radius}) {
    const std::int32_t a = fixed.wrapped(origin + apart), b = fixed.wrapped(origin);
    const auto difference = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
    // Positions are accurate to 2^-52 of the distance from the origin; the difference is accurate to the quantum.
    CHECK_NEAR(fixed.quantum() * difference, apart, 0.5 * fixed.quantum() + origin * 0x1p-52);
  }
  CHECK(fixed.round(0.3) == fixed.quantum() * std::nearbyint(0.3 / fixed.quantum()));
}

/// Transposes every column to its row and back, with vector instructions (float) and without (double), and writes
/// nothing outside.
template <class T>
void check_rows() {
  T columns[k_columns_at_once][k_rows_at_once], rows[k_rows_at_once][k_columns_at_once + 1];
  for (int k = 0; k < k_columns_at_once; ++k)
    for (int l = 0; l < k_rows_at_once; ++l) columns[k][l] = T(10 * l + k);
  for (auto& row : rows) std::fill(std::begin(row), std::end(row), T(-1));
  columns_to_rows([&](int k) { return static_cast<const T*>(columns[k]); },
                  [&](int l) { return static_cast<T*>(rows[k_rows_at_once - 1 - l]); });
  for (int l = 0; l < k_rows_at_once; ++l) {
    for (int k = 0; k < k_columns_at_once; ++k) CHECK(rows[k_rows_at_once - 1 - l][k] == T(10 * l + k));
    CHECK(rows[l][k_columns_at_once] == T(-1));
  }
  T back[k_columns_at_once][k_rows_at_once] = {};
  rows_to_columns([&](int l) { return static_cast<const T*>(rows[k_rows_at_once - 1 - l]); },
                  [&](int k) { return static_cast<T*>(back[k]); });
  for (int k = 0; k < k_columns_at_once; ++k)
    for (int l = 0; l < k_rows_at_once; ++l) CHECK(back[k][l] == columns[k][l]);
}

TEST(columns_become_rows_and_columns_again) {
  check_rows<float>();
  check_rows<double>();
}
