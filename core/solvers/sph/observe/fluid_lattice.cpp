#include "solvers/sph/observe/fluid_lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/parallel_for.hpp"
#include "solvers/sph/observe/lattice_sums.hpp"

namespace eddyline::sph {

namespace {

/// A particle with a colour below k_of_spray is shown as a drop, from k_of_surface on it belongs to the surface.
constexpr float k_of_spray = 0.3F, k_of_surface = 0.45F;
constexpr double k_least_share = 0.1;

/// The share of W on one side of a plane at the distance t R from its centre.
double share_of_kernel(double t) {
  const auto integral = [](double u) {  // of (1 - u^2)^4
    const double u2 = u * u;
    return u * (1 + u2 * (-4.0 / 3 + u2 * (6.0 / 5 + u2 * (-4.0 / 7 + u2 / 9))));
  };
  return 0.5 * (1 + integral(std::clamp(t, -1.0, 1.0)) / integral(1));
}

/// The colour function on the layers that one rank asked for, from its sums.
class FluidLattice {
 public:
  FluidLattice(const world::World& world, double time, const LatticeScales& scales, LatticeSums found)
      : world_(world),
        time_(time),
        scales_(scales),
        box_(found.box),
        raw_(std::move(found.sums)),
        drops_(std::move(found.drops)) {}

  std::vector<float> values() {
    normalise();
    for (int pass = 0; pass < LatticeScales::k_passes; ++pass)
      for (std::size_t axis = 0; axis < 3; ++axis) smooth(axis);
    add_drops();
    return limited_by_bodies();
  }

 private:
  /// Divides sums by the share of the kernel that is inside walls and outside bodies.
  void normalise() {
    std::array<std::vector<double>, 3> shares;
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      for (std::int32_t k = 0; k < scales_.lattice.count[axis]; ++k) {
        const double x = scales_.lattice.origin[d] + k * scales_.lattice.spacing[d];
        double share = 1;
        if (world_.sides[2 * axis].kind == world::SideKind::wall)
          share *= share_of_kernel((x - world_.origin[d]) / scales_.radius);
        if (world_.sides[2 * axis + 1].kind == world::SideKind::wall)
          share *= share_of_kernel((world_.origin[d] + world_.size[d] - x) / scales_.radius);
        shares[axis].push_back(share);
      }
    }
    values_.resize(box_.points());
    measure_bodies();
    parallel_for(box_.extent(2), [&](std::int64_t layer) {
      const std::int32_t z = box_.lower[2] + static_cast<std::int32_t>(layer);
      for (std::int32_t y = box_.lower[1]; y < box_.upper[1]; ++y)
        for (std::int32_t x = box_.lower[0]; x < box_.upper[0]; ++x) {
          const std::size_t k = box_.point(x, y, z);
          if (raw_[k] == 0) {
            values_[k] = 0;
            continue;
          }
          double share = shares[0][static_cast<std::size_t>(x)] * shares[1][static_cast<std::size_t>(y)] *
                         shares[2][static_cast<std::size_t>(z)];
          if (!distance_.empty() && distance_[k] < scales_.radius)
            share *= share_of_kernel(distance_[k] / scales_.radius);
          values_[k] =
              static_cast<float>(raw_[k] * static_cast<double>(LatticeScales::k_unit) / std::max(share, k_least_share));
        }
    });
  }

  /// Finds the distance from bodies of all points near one; farther points have the radius of the kernel.
  void measure_bodies() {
    for (const world::Body& body : world_.bodies) {
      if (body.shape == nullptr) continue;
      const world::ShapePtr shape = body.shape_at(time_);
      const auto [low, high] = shape->bounds();
      LatticeBox near;
      for (int d = 0; d < 3; ++d) {
        const auto axis = static_cast<std::size_t>(d);
        const auto at = [&](double x) { return (x - scales_.lattice.origin[d]) / scales_.lattice.spacing[d]; };
        const double most = scales_.lattice.count[axis];
        near.lower[axis] = std::max(
            box_.lower[axis], static_cast<std::int32_t>(std::clamp(std::ceil(at(low[d] - scales_.radius)), 0.0, most)));
        near.upper[axis] =
            std::min(box_.upper[axis],
                     static_cast<std::int32_t>(std::clamp(std::floor(at(high[d] + scales_.radius)) + 1, 0.0, most)));
      }
      if (near.is_empty()) continue;
      if (distance_.empty()) distance_.assign(box_.points(), static_cast<float>(scales_.radius));
      parallel_for(near.extent(2), [&](std::int64_t layer) {
        const std::int32_t z = near.lower[2] + static_cast<std::int32_t>(layer);
        for (std::int32_t y = near.lower[1]; y < near.upper[1]; ++y)
          for (std::int32_t x = near.lower[0]; x < near.upper[0]; ++x) {
            float& distance = distance_[box_.point(x, y, z)];
            distance = std::min(distance, static_cast<float>(shape->signed_distance(scales_.lattice.place({x, y, z}))));
          }
      });
    }
    if (distance_.empty()) return;
    const auto columns = static_cast<std::size_t>(box_.extent(0));
    solid_rows_.assign(distance_.size() / columns, 0);
    for (std::size_t k = 0; k < distance_.size(); ++k)
      if (distance_[k] < 0) solid_rows_[k / columns] = 1;
  }

  /// One pass of 1-2-1 along an axis. At the ends of the lattice and at points inside bodies a point's own value takes
  /// the place of its neighbour's.
  void smooth(std::size_t axis) {
    const auto columns = static_cast<std::size_t>(box_.extent(0)), rows = static_cast<std::size_t>(box_.extent(1));
    const std::size_t step = axis == 0 ? 1 : axis == 1 ? columns : columns * rows;
    smoothed_.resize(values_.size());
    parallel_for(box_.extent(2), [&](std::int64_t z) {
      for (std::size_t y = 0; y < rows; ++y) {
        const std::size_t begin = (static_cast<std::size_t>(z) * rows + y) * columns;
        const bool first = axis == 1 ? y == 0 : z == 0, last = axis == 1 ? y + 1 == rows : z + 1 == box_.extent(2);
        const std::size_t before = axis == 0 || first ? begin : begin - step,
                          after = axis == 0 || last ? begin : begin + step;
        if (holds_solid(before) || holds_solid(begin) || holds_solid(after))
          smooth_beside_bodies(axis, begin, before, after);
        else if (axis == 0)
          smooth_along(begin);
        else
          for (std::size_t x = 0; x < columns; ++x)
            smoothed_[begin + x] = mean(values_[before + x], values_[begin + x], values_[after + x]);
      }
    });
    values_.swap(smoothed_);
  }
  static float mean(float before, float own, float after) { return 0.5F * own + 0.25F * (before + after); }
  void smooth_along(std::size_t begin) {
    const std::size_t end = begin + static_cast<std::size_t>(box_.extent(0)) - 1;
    if (begin == end) {
      smoothed_[begin] = values_[begin];
      return;
    }
    smoothed_[begin] = mean(values_[begin], values_[begin], values_[begin + 1]);
    for (std::size_t k = begin + 1; k < end; ++k) smoothed_[k] = mean(values_[k - 1], values_[k], values_[k + 1]);
    smoothed_[end] = mean(values_[end - 1], values_[end], values_[end]);
  }
  void smooth_beside_bodies(std::size_t axis, std::size_t begin, std::size_t before, std::size_t after) {
    const auto columns = static_cast<std::size_t>(box_.extent(0));
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t k = begin + x;
      const std::size_t a = axis == 0 ? (x > 0 ? k - 1 : k) : before + x,
                        b = axis == 0 ? (x + 1 < columns ? k + 1 : k) : after + x;
      smoothed_[k] = mean(values_[is_solid(a) ? k : a], values_[k], values_[is_solid(b) ? k : b]);
    }
  }
  bool is_solid(std::size_t point) const { return !distance_.empty() && distance_[point] < 0; }
  /// True if the row that begins at a point has points inside bodies.
  bool holds_solid(std::size_t begin) const {
    return !solid_rows_.empty() && solid_rows_[begin / static_cast<std::size_t>(box_.extent(0))] != 0;
  }

  /// Draws particles with too small a colour as spheres, which shrink as the colour rises to that of a surface.
  void add_drops() {
    const std::vector<float> colours = values_;
    for (const LatticeDot& drop : drops_) {
      const Int3 at = scales_.nearest(drop);
      bool inside = true;
      for (std::size_t d = 0; d < 3; ++d) inside = inside && at[d] >= box_.lower[d] && at[d] < box_.upper[d];
      if (!inside || !(static_cast<float>(raw_[box_.point(at[0], at[1], at[2])]) * LatticeScales::k_unit <
                       LatticeScales::k_crowded))
        continue;
      const float size =
          std::clamp((k_of_surface - colour_at(drop, colours)) / (k_of_surface - k_of_spray), 0.0F, 1.0F);
      if (size > 0) add_drop(drop, size * static_cast<float>(scales_.drop));
    }
  }

  /// Interpolates linearly.
  float colour_at(const LatticeDot& dot, const std::vector<float>& colours) const {
    Int3 lower;
    std::array<float, 3> part;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto floor = static_cast<std::int32_t>(std::floor(dot.at[d]));
      lower[d] = std::clamp(floor, box_.lower[d], std::max(box_.lower[d], box_.upper[d] - 2));
      part[d] = std::clamp(dot.at[d] - static_cast<float>(lower[d]), 0.0F, 1.0F);
    }
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      float weight = 1;
      Int3 at;
      for (std::size_t d = 0; d < 3; ++d) {
        const bool upper = (corner >> d & 1) != 0;
        weight *= upper ? part[d] : 1 - part[d];
        at[d] = std::min(lower[d] + (upper ? 1 : 0), box_.upper[d] - 1);
      }
      sum += weight * colours[box_.point(at[0], at[1], at[2])];
    }
    return sum;
  }

  void add_drop(const LatticeDot& drop, float radius) {
    const auto blur = static_cast<float>(2 * scales_.coarsest);
    Int3 first, last;
    std::array<float, 3> spacing;
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      spacing[axis] = static_cast<float>(scales_.lattice.spacing[d]);
      const float reach = (radius + 0.5F * blur) / spacing[axis];
      first[axis] = std::max(box_.lower[axis], static_cast<std::int32_t>(std::ceil(drop.at[axis] - reach)));
      last[axis] = std::min(box_.upper[axis], static_cast<std::int32_t>(std::floor(drop.at[axis] + reach)) + 1);
    }
    for (std::int32_t z = first[2]; z < last[2]; ++z)
      for (std::int32_t y = first[1]; y < last[1]; ++y)
        for (std::int32_t x = first[0]; x < last[0]; ++x) {
          const float dx = (static_cast<float>(x) - drop.at[0]) * spacing[0],
                      dy = (static_cast<float>(y) - drop.at[1]) * spacing[1],
                      dz = (static_cast<float>(z) - drop.at[2]) * spacing[2];
          float& value = values_[box_.point(x, y, z)];
          value = std::max(value, 0.5F + (radius - std::sqrt(dx * dx + dy * dy + dz * dz)) / blur);
        }
  }

  /// The requested layers. At a body the value is limited to what a plane at the body's surface would give, so that the
  /// surface of the fluid lies on it.
  std::vector<float> limited_by_bodies() const {
    std::vector<float> values(static_cast<std::size_t>(std::max(0, scales_.layers.count())) *
                              scales_.lattice.points_of_layer());
    const auto blur = static_cast<float>(2 * scales_.coarsest);
    const std::int32_t first = std::max(scales_.layers.first, box_.lower[2]),
                       last = std::min(scales_.layers.last, box_.upper[2]);
    parallel_for(std::max(0, last - first), [&](std::int64_t layer) {
      const std::int32_t z = first + static_cast<std::int32_t>(layer);
      for (std::int32_t y = box_.lower[1]; y < box_.upper[1]; ++y) {
        const std::size_t begin = box_.row(y, z);
        float* to = values.data() +
                    static_cast<std::size_t>(z - scales_.layers.first) * scales_.lattice.points_of_layer() +
                    static_cast<std::size_t>(y) * static_cast<std::size_t>(scales_.lattice.count[0]) +
                    static_cast<std::size_t>(box_.lower[0]);
        std::copy_n(values_.data() + begin, box_.extent(0), to);
        if (distance_.empty()) continue;
        for (std::int32_t x = 0; x < box_.extent(0); ++x) {
          const float at_body = std::max(0.5F + distance_[begin + static_cast<std::size_t>(x)] / blur, 0.0F);
          if (at_body >= 0.5F)
            to[x] = std::min(to[x], at_body);
          else
            to[x] = at_body > 0 ? std::min(beside({box_.lower[0] + x, y, z}), at_body) : 0;
        }
      }
    });
    return values;
  }
  /// The largest value of the points beside one inside a body.
  float beside(Int3 at) const {
    float largest = 0;
    for (std::size_t d = 0; d < 3; ++d)
      for (const int sign : {-1, 1}) {
        Int3 other = at;
        other[d] += sign;
        if (other[d] < box_.lower[d] || other[d] >= box_.upper[d]) continue;
        const std::size_t k = box_.point(other[0], other[1], other[2]);
        if (!is_solid(k)) largest = std::max(largest, values_[k]);
      }
    return largest;
  }

  const world::World& world_;
  double time_;
  const LatticeScales& scales_;
  LatticeBox box_;
  std::vector<std::int32_t> raw_;
  std::vector<LatticeDot> drops_;
  std::vector<float> values_, smoothed_;
  std::vector<float> distance_;           // from bodies [m]; empty: no body is near
  std::vector<std::uint8_t> solid_rows_;  // whether a row along x has points inside bodies
};

}  // namespace

std::vector<float> fluid_lattice(const SampledFlow<3>& flow, double time, const solver::Lattice& lattice,
                                 solver::Layers layers) {
  const LatticeScales scales(flow.world().spacing, lattice, layers);
  return FluidLattice(flow.world(), time, scales, lattice_sums(flow, scales)).values();
}

}  // namespace eddyline::sph
