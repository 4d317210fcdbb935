#pragma once
// Points at which the fluid is sampled together: what is near them is looked for once, and a particle adds to four of
// them at a time, to those that are too far away nothing but zeros.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/lanes.hpp"
#include "base/vec.hpp"
#include "observe/plane.hpp"

namespace eddyline::observe {

/// Where something stands, in quanta modulo 2^32.
using Place = std::array<std::int32_t, 3>;

/// Contributions are rounded to whole multiples of this, whose sums do not depend on their order; sums may reach two
/// million.
inline constexpr double k_unit = 0x1p-42;

/// Contributions below this [units] are known to be numbers and may be rounded in one go.
inline constexpr double k_small = 0x1p51;

/// N sums at the points of a pack, in units: those of the first for all of its points, then those of the second, ...
template <std::size_t N>
class PackedSums {
 public:
  static constexpr std::size_t k_size = N * Pack4d::width;

  /// Adds what a particle contributes: contribution(r, q, put) puts N products, put(n, a, b). r: from it to the points,
  /// over R; r2 = |r|^2; q = |r|, at most 1. is_small: all values are below k_small; `shifts` counts how often.
  template <bool IsSmall, class Contribution>
  static EDDYLINE_INLINE void add(std::int64_t* sums, std::uint32_t& shifts, const Pack4d* r, Pack4d r2,
                                  const Contribution& contribution) {
    contribution(r, sqrt(min(r2, Pack4d(1))),
                 [sums](int n, const Pack4d& a, const Pack4d& b) __attribute__((always_inline)) {
                   std::int64_t* lanes = sums + n * Pack4d::width;
                   Whole sum = load(lanes);
                   if constexpr (IsSmall) {
                     sum += std::bit_cast<Whole>(fma(a, b, Pack4d(k_shift)));
                   } else {
                     for (int lane = 0; lane < Pack4d::width; ++lane) sum[lane] += whole_units((a * b).v[lane]);
                   }
                   store(sum, lanes);
                 });
    shifts += IsSmall ? 1 : 0;
  }
  /// Ends the adding.
  static void finish(std::int64_t* sums, std::uint32_t shifts) {
    const std::uint64_t all = shifts * std::bit_cast<std::uint64_t>(k_shift);
    for (std::size_t k = 0; k < k_size; ++k)
      sums[k] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[k]) - all);
  }

 private:
  using Whole = std::uint64_t __attribute__((vector_size(32)));  // modulo 2^64

  static EDDYLINE_INLINE Whole load(const std::int64_t* from) {
    Whole whole;
    std::memcpy(&whole, from, sizeof whole);
    return whole;
  }
  static EDDYLINE_INLINE void store(Whole whole, std::int64_t* to) { std::memcpy(to, &whole, sizeof whole); }

  /// A sum of a small value with this is rounded to the nearest whole number, which stands in its last bits; as often
  /// as that was done, each sum holds the bits of this as well.
  static constexpr double k_shift = 0x1.8p52;

  /// Of any value; what is not a number counts as 0: the doctor knows of it.
  static std::uint64_t whole_units(double value) {
    constexpr double k_most = 0x1p60;
    const double whole = std::clamp(std::nearbyint(value), -k_most, k_most);
    return whole == whole ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : 0;
  }
};

/// From a particle to a place, along an axis; scale: a quantum over R.
inline double distance(std::int32_t place, std::int32_t particle, double scale) {
  return scale * static_cast<std::int32_t>(static_cast<std::uint32_t>(place) - static_cast<std::uint32_t>(particle));
}

/// Where the sums of pixels lie: pack of columns by pack of columns, in each row by row.
template <std::size_t N>
struct PixelSums {
  std::int32_t packs, rows;

  explicit PixelSums(const PixelRows& pixels)
      : packs((pixels.plane.columns + Pack4d::width - 1) / Pack4d::width), rows(pixels.last - pixels.first) {}
  std::size_t size() const { return index(packs, 0); }
  std::size_t index(std::int32_t pack, std::int32_t row) const {
    return static_cast<std::size_t>(pack * rows + row) * PackedSums<N>::k_size;
  }
};

/// Neighbouring rows of pixels of a plane, four pixels of a row a pack.
template <std::size_t N, int D>
class Strip {
 public:
  /// R: interaction radius [m]; scale: a quantum over R; place(x) of a point; sums: of the first row's first pack, all
  /// 0, those of the next pack of columns `stride` packs farther on.
  template <class PlaceOf>
  Strip(const PixelRows& pixels, double R, double scale, PlaceOf&& place, std::int64_t* sums, std::int32_t stride)
      : sums_(sums),
        stride_(static_cast<std::size_t>(stride)),
        columns_(pixels.plane.columns),
        rows_(pixels.last - pixels.first),
        first_(pixels.plane.centre(0, pixels.first)),
        per_width_(per(pixels.plane.width())),
        per_height_(per(pixels.plane.height())),
        reach_x_(reach(R, pixels.plane.width())),
        reach_y_(reach(R, pixels.plane.height())),
        scale_(scale),
        plane_(place(first_)[2]) {
    const std::int32_t packs = (columns_ + Pack4d::width - 1) / Pack4d::width;
    for (std::int32_t k = 0; k < packs * Pack4d::width; ++k)
      column_places_.push_back(place(pixels.plane.centre(std::min(k, columns_ - 1), pixels.first))[0]);
    for (std::int32_t k = 0; k < rows_; ++k) row_places_.push_back(place(pixels.plane.centre(0, pixels.first + k))[1]);
    near_.resize(static_cast<std::size_t>(packs));
    y_.resize(static_cast<std::size_t>(rows_));
    shifts_.resize(static_cast<std::size_t>(packs) * static_cast<std::size_t>(rows_));
  }

  /// Goes to a particle. False if it is near no pixel.
  bool move_to(const Vec3& x, const Place& particle) {
    const double column = (x.x - first_.x) * per_width_, row = (x.y - first_.y) * per_height_;
    const Range columns = within(column, reach_x_, columns_), rows = within(row, reach_y_, rows_);
    if (columns.is_empty() || rows.is_empty()) return false;
    double farthest2 = 1;
    if constexpr (D == 3) {
      const double z = distance(plane_, particle[2], scale_);
      z_ = z, farthest2 -= z * z;
    }
    for (auto k = static_cast<std::size_t>(rows.begin); k < static_cast<std::size_t>(rows.end); ++k)
      y_[k] = distance(row_places_[k], particle[1], scale_);
    first_pack_ = static_cast<std::size_t>(columns.begin / Pack4d::width);
    last_pack_ = static_cast<std::size_t>((columns.end - 1) / Pack4d::width + 1);
    bool is_near = false;
    for (std::size_t p = first_pack_; p < last_pack_; ++p) {
      constexpr double k_far = 2;  // places farther away than sixteen R would seem to be near again
      const auto begin = static_cast<std::int32_t>(p) * Pack4d::width, last = begin + Pack4d::width - 1;
      double along[Pack4d::width];
      for (std::int32_t k = begin; k <= last; ++k)
        along[k - begin] = k >= columns.begin && k < columns.end
                               ? distance(column_places_[static_cast<std::size_t>(k)], particle[0], scale_)
                               : k_far;
      const double nearest = std::max({begin - column, column - last, 0.0}) / reach_x_;
      const double high2 = farthest2 - nearest * nearest;
      near_[p].x = Pack4d::load(along);
      near_[p].rows = high2 > 0 ? within(row, reach_y_ * std::sqrt(high2), rows_) : Range{0, 0};
      is_near = is_near || !near_[p].rows.is_empty();
    }
    return is_near;
  }
  /// Adds what the particle contributes, see PackedSums.
  template <class Contribution>
  void add(bool is_small, const Contribution& contribution) {
    is_small ? add_near<true>(contribution) : add_near<false>(contribution);
  }

  /// Ends the adding.
  void finish() {
    for (std::size_t k = 0; k < shifts_.size(); ++k)
      if (shifts_[k] != 0) PackedSums<N>::finish(sums_of(k / height(), k % height()), shifts_[k]);
  }

 private:
  struct Range {
    std::int32_t begin, end;
    bool is_empty() const { return begin >= end; }
  };
  /// A pack of columns beside the particle: how far it is, and the rows that are near there.
  struct Near {
    Pack4d x;
    Range rows;
  };

  /// Pixels in a length, and in R: where a plane has no width, all its columns stand at one place.
  static double per(double pixel) { return pixel > 0 ? 1 / pixel : 0; }
  static double reach(double R, double pixel) { return pixel > 0 ? R / pixel : 1e9; }

  /// The whole numbers from 0 to below `count` that differ from `middle` by no more than `reach`.
  static Range within(double middle, double reach, std::int32_t count) {
    if (!(std::abs(middle) < 0x1p30)) return {0, 0};  // no number, too
    return {static_cast<std::int32_t>(std::clamp<double>(std::ceil(middle - reach), 0, count)),
            static_cast<std::int32_t>(std::clamp<double>(std::floor(middle + reach) + 1, 0, count))};
  }

  std::size_t height() const { return static_cast<std::size_t>(rows_); }
  std::int64_t* sums_of(std::size_t pack, std::size_t row) const {
    return sums_ + (pack * stride_ + row) * PackedSums<N>::k_size;
  }

  template <bool IsSmall, class Contribution>
  void add_near(const Contribution& contribution) {
    for (std::size_t p = first_pack_; p < last_pack_; ++p) {
      const Near& near = near_[p];
      Pack4d xx = near.x * near.x;
      if constexpr (D == 3) xx = xx + z_ * z_;
      std::uint32_t* shifts = shifts_.data() + p * height();
      for (auto k = static_cast<std::size_t>(near.rows.begin); k < static_cast<std::size_t>(near.rows.end); ++k) {
        const Pack4d r[3] = {near.x, y_[k], z_};
        PackedSums<N>::template add<IsSmall>(sums_of(p, k), shifts[k], r, xx + r[1] * r[1], contribution);
      }
    }
  }

  std::int64_t* sums_;
  std::size_t stride_;
  std::int32_t columns_, rows_;
  Vec3 first_;                     // centre of the first pixel
  double per_width_, per_height_;  // pixels a length
  double reach_x_, reach_y_;       // R in pixels
  double scale_;
  std::vector<std::int32_t> column_places_, row_places_;  // along their axes, the last one's beyond it
  std::int32_t plane_;
  std::size_t first_pack_ = 0, last_pack_ = 0;
  std::vector<Near> near_;
  std::vector<double> y_;
  Pack4d z_;
  std::vector<std::uint32_t> shifts_;  // of each pack, as its sums
};

/// Points anywhere near each other.
template <std::size_t N, int D>
class Bunch {
 public:
  static constexpr std::size_t k_most = 16;

  Bunch(std::span<const Place> places, double scale) : packs_((places.size() + 3) / Pack4d::width), scale_(scale) {
    for (std::size_t k = 0; k < k_most; ++k)
      for (std::size_t d = 0; d < D; ++d) places_[d][k] = places[std::min(k, places.size() - 1)][d];
  }

  /// As a strip does.
  bool move_to(const Vec3&, const Place& particle) {
    bool is_near = false;
    for (std::size_t pack = 0; pack < packs_; ++pack) {
      r2_[pack] = Pack4d();
      for (std::size_t d = 0; d < D; ++d) {
        double along[Pack4d::width];
        for (std::size_t l = 0; l < Pack4d::width; ++l)
          along[l] = distance(places_[d][pack * Pack4d::width + l], particle[d], scale_);
        r_[pack][d] = Pack4d::load(along);
        r2_[pack] = r2_[pack] + r_[pack][d] * r_[pack][d];
      }
      near_[pack] = bits(Pack4d(1) > r2_[pack]) != 0;
      is_near = is_near || near_[pack];
    }
    return is_near;
  }
  template <class Contribution>
  void add(bool is_small, const Contribution& contribution) {
    for (std::size_t pack = 0; pack < packs_; ++pack) {
      if (!near_[pack]) continue;
      is_small ? add_to<true>(pack, contribution) : add_to<false>(pack, contribution);
    }
  }
  /// Ends the adding.
  void finish() {
    for (std::size_t pack = 0; pack < packs_; ++pack) PackedSums<N>::finish(sums_of(pack), shifts_[pack]);
  }
  std::int64_t sum(std::size_t k, std::size_t n) const {
    return sums_[k / Pack4d::width * PackedSums<N>::k_size + n * Pack4d::width + k % Pack4d::width];
  }

 private:
  static constexpr std::size_t k_packs = k_most / Pack4d::width;

  std::int64_t* sums_of(std::size_t pack) { return sums_.data() + pack * PackedSums<N>::k_size; }
  template <bool IsSmall, class Contribution>
  EDDYLINE_INLINE void add_to(std::size_t pack, const Contribution& contribution) {
    PackedSums<N>::template add<IsSmall>(sums_of(pack), shifts_[pack], r_[pack], r2_[pack], contribution);
  }

  std::size_t packs_;
  double scale_;
  std::int32_t places_[D][k_most];  // the last one's beyond it
  Pack4d r_[k_packs][3], r2_[k_packs];
  bool near_[k_packs] = {};
  alignas(sizeof(Pack4d)) std::array<std::int64_t, k_packs * PackedSums<N>::k_size> sums_{};
  std::array<std::uint32_t, k_packs> shifts_{};
};

}  // namespace eddyline::observe
