#pragma once
// Points at which the fluid is sampled together. The particles near them are found once, and a particle adds to several
// of them at a time; it adds zeros to points that are too far away.

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
#include "solver/plane.hpp"

namespace eddyline::sph {

/// Number of rows of pixels that are sampled together. A strip is as high as R, so that few particles are near several
/// strips; strips of large pixels have more rows than that, strips of small ones fewer.
inline std::int32_t strip_rows(const solver::Plane& plane, double R) {
  constexpr double k_least = 8192, k_most = 32'768;  // pixels, about
  const double high = plane.height() > 0 ? R / plane.height() : 1;
  return static_cast<std::int32_t>(std::max(1.0, std::clamp(high, k_least / plane.columns, k_most / plane.columns)));
}

/// Some rows of a plane.
struct PixelRows {
  const solver::Plane& plane;
  std::int32_t first, last;  // last: one past the end
};

/// A pixel of these rows, counted from their first.
struct Pixel {
  std::int32_t column, row;
  bool holds_particle;  // with a free surface: whether the centre of a particle is in it
};

/// A place in quanta modulo 2^32.
using Place = std::array<std::int32_t, 3>;

/// Contributions are rounded to whole multiples of this unit, so that sums do not depend on their order. Sums may reach
/// two million.
inline constexpr double k_unit = 0x1p-42;

/// Contributions below this limit [units] are known to be numbers and may be rounded at once.
inline constexpr double k_small = 0x1p51;

/// N sums at the points of a pack, in units: the first sum of all its points, then the second, ...
template <std::size_t N>
class PackedSums {
 public:
  static constexpr std::size_t k_size = N * Pack4d::width;

  /// Adds the contributions of a particle. contribution(r, W, put) puts N products, put(n, a, b). r: from the particle
  /// to the points, over R; IsSmall: all values are below k_small.
  template <bool IsSmall, class Contribution>
  static EDDYLINE_INLINE void add(std::int64_t* sums, const Pack4d* r, Pack4d W, const Contribution& contribution) {
    contribution(r, W, [sums](int n, const Pack4d& a, const Pack4d& b) __attribute__((always_inline)) {
      std::int64_t* lanes = sums + n * Pack4d::width;
      Whole sum = load(lanes);
      if constexpr (IsSmall) {
        sum += std::bit_cast<Whole>(fma(a, b, Pack4d(k_shift))) - std::bit_cast<Whole>(Pack4d(k_shift));
      } else {
        for (int lane = 0; lane < Pack4d::width; ++lane) sum[lane] += whole_units((a * b).v[lane]);
      }
      store(sum, lanes);
    });
  }

 private:
  using Whole = std::uint64_t __attribute__((vector_size(32)));  // modulo 2^64

  static EDDYLINE_INLINE Whole load(const std::int64_t* from) {
    Whole whole;
    std::memcpy(&whole, from, sizeof whole);
    return whole;
  }
  static EDDYLINE_INLINE void store(Whole whole, std::int64_t* to) { std::memcpy(to, &whole, sizeof whole); }

  /// Adding this number to a small value rounds it to the nearest whole number, which appears in the last bits.
  static constexpr double k_shift = 0x1.8p52;

  /// Rounds any value. A value that is not a number counts as 0; the doctor finds it.
  static std::uint64_t whole_units(double value) {
    constexpr double k_most = 0x1p60;
    const double whole = std::clamp(std::nearbyint(value), -k_most, k_most);
    return whole == whole ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : 0;
  }
};

/// Distance from a particle to a place, along an axis; scale: a quantum over R.
template <class T>
T distance(std::int32_t place, std::int32_t particle, T scale) {
  return scale * static_cast<T>(static_cast<std::int32_t>(static_cast<std::uint32_t>(place) -
                                                          static_cast<std::uint32_t>(particle)));
}

/// Layout of the sums of pixels: one pack of columns after the other, each row by row.
template <std::size_t N>
struct PixelSums {
  static constexpr std::int32_t k_columns = Pack4d::width;  // of a pack
  std::int32_t packs, rows;

  explicit PixelSums(const PixelRows& pixels)
      : packs((pixels.plane.columns + k_columns - 1) / k_columns), rows(pixels.last - pixels.first) {}
  /// Size of the sums with the marks, which follow them.
  std::size_t size() const { return index(packs, 0) + number(packs, 0); }
  std::size_t index(std::int32_t pack, std::int32_t row) const { return number(pack, row) * PackedSums<N>::k_size; }
  std::size_t mark(std::int32_t pack, std::int32_t row) const { return index(packs, 0) + number(pack, row); }

  /// Marks of a pack's pixels: sixteen bits for each, in which up to 65,535 ranks can be counted.
  static std::int64_t marked(std::int32_t lane) { return std::int64_t{1} << (k_bits * lane); }
  static bool is_marked(std::int64_t marks, std::int32_t lane) {
    return (static_cast<std::uint64_t>(marks) >> (k_bits * lane) & ((1U << k_bits) - 1)) != 0;
  }

 private:
  static constexpr std::int32_t k_bits = 16;

  std::size_t number(std::int32_t pack, std::int32_t row) const { return static_cast<std::size_t>(pack * rows + row); }
};

/// Neighbouring rows of pixels of a plane, four pixels of a row in a pack. Distances and weights are floats, as pixels
/// are; weighted values and sums are not.
template <std::size_t N, int D>
class Strip {
 public:
  /// R: interaction radius [m]; scale: a quantum over R; place(x): the place of a point; sums and marks: those of the
  /// first row's first pack, all 0. The next pack of columns follows after `stride` packs.
  template <class PlaceOf>
  Strip(const PixelRows& pixels, double R, double scale, PlaceOf&& place, std::int64_t* sums, std::int64_t* marks,
        std::int32_t stride)
      : pixels_(pixels),
        sums_(sums),
        marks_(marks),
        stride_(static_cast<std::size_t>(stride)),
        columns_(pixels.plane.columns),
        rows_(pixels.last - pixels.first),
        axes_(pixels.plane.axes),
        first_(pixels.plane.centre(0, pixels.first)),
        per_width_(per(pixels.plane.width())),
        per_height_(per(pixels.plane.height())),
        reach_x_(reach(R, pixels.plane.width())),
        reach_y_(reach(R, pixels.plane.height())),
        scale_(static_cast<float>(scale)),
        plane_(place(first_)[axis(2)]) {
    const std::int32_t packs = PixelSums<N>(pixels).packs;
    for (std::int32_t k = 0; k < (packs + 1) * k_columns; ++k)
      column_places_.push_back(place(pixels.plane.centre(std::min(k, columns_ - 1), pixels.first))[axis(0)]);
    for (std::int32_t k = 0; k < rows_; ++k)
      row_places_.push_back(place(pixels.plane.centre(0, pixels.first + k))[axis(1)]);
    x_.resize(column_places_.size());
    y_.resize(static_cast<std::size_t>(rows_));
    weights_.resize(static_cast<std::size_t>(rows_));
  }

  /// Moves to a particle. Returns false if it is near no pixel.
  bool move_to(const Vec3& x, const Place& particle) {
    double reach = 1;
    if constexpr (D == 3) {
      z_ = distance(plane_, particle[axis(2)], scale_);
      reach = std::sqrt(std::max(0.0, 1 - static_cast<double>(z_) * z_));
    }
    const double column = (x[axes_[0]] - first_[axes_[0]]) * per_width_,
                 row = (x[axes_[1]] - first_[axes_[1]]) * per_height_;
    const Range columns = within(column, reach * reach_x_, columns_);
    rows_near_ = within(row, reach * reach_y_, rows_);
    if (columns.is_empty() || rows_near_.is_empty()) return false;
    for (auto k = static_cast<std::size_t>(rows_near_.begin); k < static_cast<std::size_t>(rows_near_.end); ++k)
      y_[k] = distance(row_places_[k], particle[axis(1)], scale_);
    first_pack_ = static_cast<std::size_t>(columns.begin / k_columns);
    last_pack_ = static_cast<std::size_t>((columns.end - 1) / k_columns + 1);
    for (std::size_t p = first_pack_; p < last_pack_; p += 2) find_along(p, particle[axis(0)], columns);
    return true;
  }
  /// Marks the pixel that contains a particle at x; this does not depend on where strips begin. half: in 3D, largest
  /// distance of the particle from the plane [m].
  void mark(const Vec3& x, double half) {
    const solver::Plane& plane = pixels_.plane;
    if (!(per_width_ > 0 && per_height_ > 0)) return;
    const auto away = [&](int k) {
      return x[axes_[static_cast<std::size_t>(k)]] - plane.lower[axes_[static_cast<std::size_t>(k)]];
    };
    if (D == 3 && !(std::abs(away(2)) <= half)) return;
    const double column = std::floor(away(0) * per_width_), row = std::floor(away(1) * per_height_) - pixels_.first;
    if (!(column >= 0 && column < columns_ && row >= 0 && row < rows_)) return;
    const auto c = static_cast<std::int32_t>(column);
    marks_[static_cast<std::size_t>(c / k_columns) * stride_ + static_cast<std::size_t>(row)] |=
        PixelSums<N>::marked(c % k_columns);
  }
  /// Adds the contributions of the particle, see PackedSums; weight(q): the kernel for q = |r|, at most 1.
  template <class Weight, class Contribution>
  void add(bool is_small, const Weight& weight, const Contribution& contribution) {
    is_small ? add_near<true>(weight, contribution) : add_near<false>(weight, contribution);
  }

 private:
  static constexpr std::int32_t k_columns = PixelSums<N>::k_columns;
  using Sums = PackedSums<N>;

  struct Range {
    std::int32_t begin, end;
    bool is_empty() const { return begin >= end; }
  };

  /// The axes of columns (0) and rows (1), and the normal of the plane (2); in 2D known at compile time.
  std::size_t axis(std::size_t of) const { return D == 2 ? of : static_cast<std::size_t>(axes_[of]); }

  /// Pixels in a length, and in R. If a plane has no width, all its columns have the same place.
  static double per(double pixel) { return pixel > 0 ? 1 / pixel : 0; }
  static double reach(double R, double pixel) { return pixel > 0 ? R / pixel : 1e9; }

  /// The whole numbers from 0 to below `count` that differ from `middle` by no more than `reach`.
  static Range within(double middle, double reach, std::int32_t count) {
    if (!(std::abs(middle) < 0x1p30)) return {0, 0};  // also if it is not a number
    return {static_cast<std::int32_t>(std::clamp<double>(std::ceil(middle - reach), 0, count)),
            static_cast<std::int32_t>(std::clamp<double>(std::floor(middle + reach) + 1, 0, count))};
  }

  std::int64_t* sums_of(std::size_t pack, std::size_t row) const {
    return sums_ + (pack * stride_ + row) * Sums::k_size;
  }

  /// Finds the distances from a particle to the columns of two packs that are `near`. All other columns are farther
  /// than R, and get such a value: places farther away than sixteen R would appear near again.
  void find_along(std::size_t pack, std::int32_t particle, Range near) {
    using Places __attribute__((vector_size(32))) = std::uint32_t;  // modulo 2^32
    constexpr Pack8f::Bits k_each = {0, 1, 2, 3, 4, 5, 6, 7};
    const auto begin = static_cast<std::int32_t>(pack) * k_columns;
    Places places;
    std::memcpy(&places, column_places_.data() + begin, sizeof places);
    places -= static_cast<std::uint32_t>(particle);
    const Pack8f x = Pack8f(__builtin_convertvector(std::bit_cast<Pack8f::Bits>(places), Pack8f::Lanes)) * scale_;
    const Pack8f::Bits columns = begin + k_each;
    const Pack8f::Lanes seen = ((columns >= near.begin) & (columns < near.end)) ? x.v : Pack8f(2).v;
    std::memcpy(x_.data() + begin, &seen, sizeof seen);
  }

  /// Processes two packs at a time. The weights in all rows come first, because roots take long and need not wait for
  /// sums. `contribution` is a copy, which stays in registers because no other code can write to it.
  template <bool IsSmall, class Weight, class Contribution>
  void add_near(const Weight& weight, const Contribution contribution) {
    const auto begin = static_cast<std::size_t>(rows_near_.begin), end = static_cast<std::size_t>(rows_near_.end);
    for (std::size_t first = first_pack_; first < last_pack_; first += 2) {
      const Pack8f x = Pack8f::load(x_.data() + first * k_columns), xx = x * x + z_ * z_;
      for (std::size_t k = begin; k < end; ++k) weights_[k] = InDoubles(weight(sqrt(min(xx + y_[k] * y_[k], 1.0f))));
      const InDoubles along(x);
      for (std::size_t p = first; p < std::min(first + 2, last_pack_); ++p) {
        for (std::size_t k = begin; k < end; ++k) {
          Pack4d r[3];
          r[axis(0)] = along.half[p - first], r[axis(1)] = y_[k], r[axis(2)] = z_;
          Sums::template add<IsSmall>(sums_of(p, k), r, weights_[k].half[p - first], contribution);
        }
      }
    }
  }

  PixelRows pixels_;
  std::int64_t *sums_, *marks_;
  std::size_t stride_;
  std::int32_t columns_, rows_;
  std::array<int, 3> axes_;        // of the plane
  Vec3 first_;                     // centre of the first pixel
  double per_width_, per_height_;  // pixels a length
  double reach_x_, reach_y_;       // R in pixels
  float scale_;
  std::vector<std::int32_t> column_places_, row_places_;  // along their axes, the last one's beyond it
  std::int32_t plane_;
  // Values of the current particle; its neighbourhood is treated as a rectangle:
  std::size_t first_pack_ = 0, last_pack_ = 0;
  Range rows_near_{};
  std::vector<float> x_, y_;  // from the particle to columns and to rows, over R
  float z_ = 0;
  std::vector<InDoubles> weights_;  // of two packs in each row
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

  /// Moves to a particle, as a strip does.
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
  template <class Weight, class Contribution>
  void add(bool is_small, const Weight& weight, const Contribution& contribution) {
    for (std::size_t pack = 0; pack < packs_; ++pack) {
      if (!near_[pack]) continue;
      const Pack4d W = weight(sqrt(min(r2_[pack], 1.0)));
      is_small ? Sums::template add<true>(sums_of(pack), r_[pack], W, contribution)
               : Sums::template add<false>(sums_of(pack), r_[pack], W, contribution);
    }
  }
  std::int64_t sum(std::size_t k, std::size_t n) const {
    return sums_[k / Pack4d::width * Sums::k_size + n * Pack4d::width + k % Pack4d::width];
  }

 private:
  static constexpr std::size_t k_packs = k_most / Pack4d::width;
  using Sums = PackedSums<N>;

  std::int64_t* sums_of(std::size_t pack) { return sums_.data() + pack * Sums::k_size; }

  std::size_t packs_;
  double scale_;
  std::int32_t places_[D][k_most];  // the last one's beyond it
  Pack4d r_[k_packs][3], r2_[k_packs];
  bool near_[k_packs] = {};
  alignas(sizeof(Pack4d)) std::array<std::int64_t, k_packs * Sums::k_size> sums_{};
};

}  // namespace eddyline::sph
