#pragma once
// Points at which the fluid is sampled together: what is near them is looked for once, and a particle adds to four of
// them at a time, to those that are too far away nothing but zeros.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/lanes.hpp"

namespace eddyline::observe {

/// Where something stands, in quanta modulo 2^32.
using Place = std::array<std::int32_t, 3>;

/// Contributions are rounded to whole multiples of this, whose sums do not depend on their order; sums may reach two
/// million.
inline constexpr double k_unit = 0x1p-42;

/// Contributions below this [units] are known to be numbers and may be rounded in one go.
inline constexpr double k_small = 0x1p51;

/// N sums at so many packs of points, in units.
template <std::size_t N, std::size_t Packs>
class PackedSums {
 public:
  /// Adds to the points of a pack what a particle contributes: contribution(r, q, put) puts N products, put(n, a, b).
  /// r: from it to the points, over R; r2 = |r|^2; q = |r|, at most 1. is_small: all values are below k_small.
  template <bool IsSmall, class Contribution>
  EDDYLINE_INLINE void add(std::size_t pack, const Pack4d* r, Pack4d r2, const Contribution& contribution) {
    Whole* sum = sum_[pack];
    contribution(r, sqrt(min(r2, Pack4d(1))),
                 [sum](int n, const Pack4d& a, const Pack4d& b) __attribute__((always_inline)) {
                   if constexpr (IsSmall) {
                     sum[n] += std::bit_cast<Whole>(fma(a, b, Pack4d(k_shift)));
                   } else {
                     for (int lane = 0; lane < Pack4d::width; ++lane) sum[n][lane] += whole_units((a * b).v[lane]);
                   }
                 });
    shifts_[pack] += IsSmall ? 1 : 0;
  }
  std::int64_t sum(std::size_t pack, std::size_t lane, std::size_t n) const {
    return static_cast<std::int64_t>(sum_[pack][n][lane] - shifts_[pack] * std::bit_cast<std::uint64_t>(k_shift));
  }

 private:
  using Whole = std::uint64_t __attribute__((vector_size(32)));  // modulo 2^64

  /// A sum of a small value with this is rounded to the nearest whole number, which stands in its last bits.
  static constexpr double k_shift = 0x1.8p52;

  /// Of any value; what is not a number counts as 0: the doctor knows of it.
  static std::uint64_t whole_units(double value) {
    constexpr double k_most = 0x1p60;
    const double whole = std::clamp(std::nearbyint(value), -k_most, k_most);
    return whole == whole ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : 0;
  }

  Whole sum_[Packs][N] = {};
  std::uint64_t shifts_[Packs] = {};  // so many times each of the pack's sums holds the bits of k_shift
};

/// From a particle to a place, along an axis; scale: a quantum over R.
inline double distance(std::int32_t place, std::int32_t particle, double scale) {
  return scale * static_cast<std::int32_t>(static_cast<std::uint32_t>(place) - static_cast<std::uint32_t>(particle));
}

/// Neighbouring pixels of a plane.
template <std::size_t N, int D>
class Tile {
 public:
  static constexpr std::int32_t k_columns = 8, k_rows = 16;  // at most

  /// place(column, row) of a pixel that there is.
  template <class PlaceOf>
  Tile(std::int32_t columns, std::int32_t rows, double scale, PlaceOf&& place) : scale_(scale) {
    for (std::int32_t k = 0; k < k_columns; ++k) columns_[k] = place(std::min(k, columns - 1), 0)[0];
    for (std::int32_t k = 0; k < k_rows; ++k) rows_[k] = place(0, std::min(k, rows - 1))[1];
    plane_ = place(0, 0)[2];
    for (std::int32_t pack = 0; pack < k_packs; ++pack) inside_ |= (pack % k_rows < rows ? 1U : 0U) << pack;
  }

  /// Goes to a particle. False if it is near no pixel.
  bool move_to(const Place& particle) {
    if (is_far(particle)) return false;
    double x[k_columns];
    for (std::int32_t k = 0; k < k_columns; ++k) x[k] = distance(columns_[k], particle[0], scale_);
    for (std::int32_t k = 0; k < k_rows; ++k) {
      y_[k] = distance(rows_[k], particle[1], scale_);
      yy_[k] = y_[k] * y_[k];
    }
    if constexpr (D == 3) {
      const double z = distance(plane_, particle[2], scale_);
      z_ = z, zz_ = z * z;
    }
    near_ = 0;
    for (std::int32_t p = 0; p < k_columns / Pack4d::width; ++p) {
      x_[p] = Pack4d::load(x + p * Pack4d::width);
      xx_[p] = x_[p] * x_[p];
      const double nearest = std::max(std::max(x[p * Pack4d::width], -x[(p + 1) * Pack4d::width - 1]), 0.0);
      for (std::int32_t row = 0; row < k_rows; row += Pack4d::width) {
        Pack4d nearest2 = Pack4d(nearest * nearest) + Pack4d::load(yy_ + row);
        if constexpr (D == 3) nearest2 = nearest2 + zz_;
        near_ |= bits(Pack4d(1) > nearest2) << (p * k_rows + row);
      }
    }
    near_ &= inside_;
    is_empty_ = is_empty_ && near_ == 0;
    return near_ != 0;
  }
  /// Adds what the particle contributes, see PackedSums.
  template <class Contribution>
  void add(bool is_small, const Contribution& contribution) {
    is_small ? add_near<true>(contribution) : add_near<false>(contribution);
  }

  /// Whether nothing has come near.
  bool is_empty() const { return is_empty_; }
  std::int64_t sum(std::int32_t column, std::int32_t row, std::size_t n) const {
    const auto pack = static_cast<std::size_t>(column / Pack4d::width * k_rows + row);
    return sums_.sum(pack, static_cast<std::size_t>(column % Pack4d::width), n);
  }

 private:
  /// Whether it is an R or more from the rectangle that holds the pixels' centres.
  bool is_far(const Place& particle) const {
    const auto apart = [&](const std::int32_t* places, std::int32_t last, std::size_t axis) {
      return std::max(
          {distance(places[0], particle[axis], scale_), -distance(places[last], particle[axis], scale_), 0.0});
    };
    const double x = apart(columns_, k_columns - 1, 0), y = apart(rows_, k_rows - 1, 1);
    return !(x * x + y * y < 1);
  }

  static constexpr std::int32_t k_packs = k_columns / Pack4d::width * k_rows;  // of a row each, row after row
  static_assert(k_packs <= 32);

  template <bool IsSmall, class Contribution>
  void add_near(const Contribution& contribution) {
    for (std::uint32_t left = near_; left != 0; left &= left - 1) {
      const auto pack = static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t p = pack / k_rows, row = pack % k_rows;
      const Pack4d r[3] = {x_[p], y_[row], z_};
      Pack4d r2 = xx_[p] + Pack4d(yy_[row]);
      if constexpr (D == 3) r2 = r2 + zz_;
      sums_.template add<IsSmall>(pack, r, r2, contribution);
    }
  }

  std::int32_t columns_[k_columns], rows_[k_rows], plane_;  // places along their axes, the last one's beyond it
  double scale_;
  bool is_empty_ = true;
  std::uint32_t inside_ = 0, near_ = 0;  // packs that there are, that the particle is near: a bit each
  Pack4d x_[k_columns / Pack4d::width], xx_[k_columns / Pack4d::width], z_, zz_;
  double y_[k_rows], yy_[k_rows];
  PackedSums<N, k_packs> sums_;
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

  /// As a tile does.
  bool move_to(const Place& particle) {
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
      is_small ? sums_.template add<true>(pack, r_[pack], r2_[pack], contribution)
               : sums_.template add<false>(pack, r_[pack], r2_[pack], contribution);
    }
  }
  std::int64_t sum(std::size_t k, std::size_t n) const { return sums_.sum(k / Pack4d::width, k % Pack4d::width, n); }

 private:
  static constexpr std::size_t k_packs = k_most / Pack4d::width;

  std::size_t packs_;
  double scale_;
  std::int32_t places_[D][k_most];  // the last one's beyond it
  Pack4d r_[k_packs][3], r2_[k_packs];
  bool near_[k_packs] = {};
  PackedSums<N, k_packs> sums_;
};

}  // namespace eddyline::observe
