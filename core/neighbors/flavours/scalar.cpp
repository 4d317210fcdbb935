// List building on any processor: the reference for the others, a candidate at a time.
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/pack.hpp"
#include "neighbors/flavours/candidates.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

/// See candidates.hpp.
struct Scalar {
  static constexpr int k_lanes = 1;
  using Floats = Pack<float, 1>;
  using Words = std::int32_t;
  using Near = bool;
  using Bits = unsigned;

  static Words load(const std::int32_t* from) { return *from; }
  static void store(Words word, std::int32_t* to) { *to = word; }
  static Words whole(Floats a) {
    return std::abs(a.v) < 0x1p31F ? static_cast<Words>(std::nearbyint(a.v)) : std::numeric_limits<Words>::min();
  }
  static Floats floats(Words a) { return static_cast<float>(a); }
  static Floats small(const std::int16_t* from) { return static_cast<float>(*from); }
  static Words all(std::int32_t a) { return a; }
  static Words add(Words a, Words b) { return wrapped(std::int64_t{a} + b); }
  static Words sub(Words a, Words b) { return wrapped(std::int64_t{a} - b); }
  static Words halves(Words lower, Words upper) { return coarse::halves(lower, upper); }
  static Words madd(Words a, Words b) {
    return wrapped(std::int64_t{lower(a)} * lower(b) + std::int64_t{a >> 16} * (b >> 16));
  }
  static Near below(Words limit, Words a) { return a < limit; }
  static Near either(Near a, Near b) { return a || b; }
  static Bits bits(Near a) { return a ? 1 : 0; }
  static Bits bits(Mask<float, 1> a) { return a.m ? 1 : 0; }
  static void store_kept(Words word, Bits /*bits*/, std::int32_t* to) { *to = word; }

 private:
  static Words wrapped(std::int64_t a) { return static_cast<Words>(static_cast<std::uint32_t>(a)); }
  static std::int16_t lower(Words a) { return static_cast<std::int16_t>(static_cast<std::uint32_t>(a) & 0xffffU); }
};

void interleave_scalar(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                       bool /*past_caches*/) {
  for (std::int32_t k = 0; k < length; ++k)
    for (int lane = 0; lane < k_chunk; ++lane) to[k * k_chunk + lane] = from[lane * stride + k];
}

}  // namespace

ListKernels list_kernels_scalar() {
  return {search_kernels<Scalar, false>(), search_kernels<Scalar, true>(), interleave_scalar};
}

}  // namespace eddyline::neighbors
