#include "solvers/sph/observe/fluid_lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <span>

#include "base/parallel_for.hpp"
#include "comm/collectives.hpp"

namespace eddyline::sph {

namespace {

constexpr float k_unit = 0x1p-20F;  // contributions are rounded to whole multiples of it
constexpr int k_passes = 2;         // of smoothing
/// A particle with a colour below k_of_spray is shown as a drop, from k_of_surface on it belongs to the surface.
constexpr float k_of_spray = 0.3F, k_of_surface = 0.45F;
/// A particle at a point with a raw colour above this limit is no drop.
constexpr float k_crowded = 0.8F;
constexpr double k_least_share = 0.1;

/// A box of points of the lattice.
struct Box {
  Int3 lower, upper;

  std::int32_t extent(std::size_t axis) const { return upper[axis] - lower[axis]; }
  bool is_empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
  std::size_t points() const {
    return is_empty() ? 0
                      : static_cast<std::size_t>(extent(0)) * static_cast<std::size_t>(extent(1)) *
                            static_cast<std::size_t>(extent(2));
  }
  std::size_t row(std::int32_t y, std::int32_t z) const {
    return (static_cast<std::size_t>(z - lower[2]) * static_cast<std::size_t>(extent(1)) +
            static_cast<std::size_t>(y - lower[1])) *
           static_cast<std::size_t>(extent(0));
  }
};

/// A particle, or an image of it beyond a periodic side, in units of the lattice's spacing.
struct Dot {
  std::array<float, 3> at;
  float volume;  // in units of k_unit, times the kernel's constant
};

/// The share of W on one side of a plane at the distance t R from its centre.
double share_of_kernel(double t) {
  const auto integral = [](double u) {  // of (1 - u^2)^4
    const double u2 = u * u;
    return u * (1 + u2 * (-4.0 / 3 + u2 * (6.0 / 5 + u2 * (-4.0 / 7 + u2 / 9))));
  };
  return 0.5 * (1 + integral(std::clamp(t, -1.0, 1.0)) / integral(1));
}

/// The colour function on the layers that one rank asked for, with as many layers beside them as they depend on.
class FluidLattice {
 public:
  FluidLattice(const SampledFlow<3>& flow, double time, const solver::Lattice& lattice, solver::Layers layers)
      : flow_(flow), time_(time), lattice_(lattice), layers_(layers) {
    const double dx = flow.world().spacing;
    coarsest_ = std::max({lattice.spacing.x, lattice.spacing.y, lattice.spacing.z});
    radius_ = 2 * std::max(dx, coarsest_);
    // A drop has the volume of its particle, but is seen on any lattice.
    drop_ = std::max(std::cbrt(3 / (4 * std::numbers::pi)) * dx, 0.9 * coarsest_);
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      reach_[axis] = static_cast<float>(radius_ / lattice.spacing[d]);
      scale_[axis] = static_cast<float>(lattice.spacing[d] / radius_);
    }
    drop_layers_ = static_cast<std::int32_t>(std::ceil((drop_ + coarsest_) / lattice.spacing.z)) + 1;
    wide_ = widened(layers, drop_layers_ + k_passes + 1);
  }

  std::vector<float> values() {
    collect_dots();
    const Box box = box_of_dots();
    const std::vector<std::int32_t> own = sums_of_dots(box);
    gather(box, own);
    normalise();
    for (int pass = 0; pass < k_passes; ++pass)
      for (std::size_t axis = 0; axis < 3; ++axis) smooth(axis);
    add_drops();
    return limited_by_bodies();
  }

 private:
  solver::Layers widened(solver::Layers layers, std::int32_t by) const {
    if (layers.count() <= 0) return {};
    return {std::max(0, layers.first - by), std::min(lattice_.count[2], layers.last + by)};
  }

  void collect_dots() {
    const auto& grid = flow_.layout().grid();
    const auto& c = flow_.constants();
    const double constant = 315 / (64 * std::numbers::pi) * c.volume / (radius_ * radius_ * radius_) / k_unit;
    Int3 images{0, 0, 0}, image;
    for (std::size_t d = 0; d < 3; ++d) images[d] = grid.periodic[d] ? 1 : 0;
    const auto owned = static_cast<std::size_t>(flow_.fluid_rows.owned());
    for (std::size_t i = 0; i < owned; ++i) {
      const double volume = constant * flow_.fluid.mass[i] * c.inverse_mass / (1 + flow_.fluid.s[i]);
      if (!(volume > 0 && volume < 0x1p24)) continue;  // the doctor finds it
      for (image[2] = -images[2]; image[2] <= images[2]; ++image[2])
        for (image[1] = -images[1]; image[1] <= images[1]; ++image[1])
          for (image[0] = -images[0]; image[0] <= images[0]; ++image[0]) {
            Dot dot{{}, static_cast<float>(volume)};
            bool reaches = true;
            for (std::size_t d = 0; d < 3; ++d) {
              const auto axis = static_cast<int>(d);
              const double x = flow_.fluid.x[axis][i] + image[d] * grid.count[d] * grid.edge[axis];
              const double at = (x - lattice_.origin[axis]) / lattice_.spacing[axis];
              reaches = reaches && at + reach_[d] > 0 && at - reach_[d] < lattice_.count[d] - 1;
              dot.at[d] = static_cast<float>(at);
            }
            if (reaches) dots_.push_back(dot);
          }
    }
  }

  std::int32_t first_point(const Dot& dot, std::size_t axis) const {
    return std::max(0, static_cast<std::int32_t>(std::ceil(dot.at[axis] - reach_[axis])));
  }
  std::int32_t last_point(const Dot& dot, std::size_t axis) const {
    return std::min(lattice_.count[axis], static_cast<std::int32_t>(std::floor(dot.at[axis] + reach_[axis])) + 1);
  }

  Box box_of_dots() const {
    Box box{lattice_.count, {0, 0, 0}};
    for (const Dot& dot : dots_)
      for (std::size_t d = 0; d < 3; ++d) {
        box.lower[d] = std::min(box.lower[d], first_point(dot, d));
        box.upper[d] = std::max(box.upper[d], last_point(dot, d));
      }
    return box.is_empty() ? Box{} : box;
  }

  /// Contributions of this rank's particles. Dots are sorted by their first layer, so that threads sum different
  /// layers.
  std::vector<std::int32_t> sums_of_dots(const Box& box) {
    std::vector<std::int32_t> sums(box.points() + k_lanes);  // rows are written in whole lanes
    if (box.is_empty()) return sums;
    std::vector<std::size_t> before(static_cast<std::size_t>(box.extent(2)) + 1);
    const auto bucket = [&](const Dot& dot) { return static_cast<std::size_t>(first_point(dot, 2) - box.lower[2]); };
    for (const Dot& dot : dots_) ++before[bucket(dot) + 1];
    for (std::size_t k = 1; k < before.size(); ++k) before[k] += before[k - 1];
    std::vector<Dot> sorted(dots_.size());
    std::vector<std::size_t> next = before;
    for (const Dot& dot : dots_) sorted[next[bucket(dot)]++] = dot;
    dots_.swap(sorted);
    const auto tall = static_cast<std::int32_t>(std::floor(2 * reach_[2])) + 1;  // most layers of a dot
    parallel_for(box.extent(2), std::max<std::int64_t>(tall, 4), [&](std::int64_t first, std::int64_t last) {
      const Box part{{box.lower[0], box.lower[1], box.lower[2] + static_cast<std::int32_t>(first)},
                     {box.upper[0], box.upper[1], box.lower[2] + static_cast<std::int32_t>(last)}};
      // Written in whole lanes, a row ends in the next one, whose lanes get zeros. The last row of a part belongs to
      // this thread alone except for these, so that each part has sums of its own.
      std::vector<std::int32_t> own(part.points() + k_lanes);
      for (std::size_t k = before[static_cast<std::size_t>(std::max<std::int64_t>(0, first - tall))];
           k < before[static_cast<std::size_t>(last)]; ++k)
        add(dots_[k], part, own.data());
      std::copy_n(own.begin(), part.points(),
                  sums.begin() + static_cast<std::ptrdiff_t>(box.row(part.lower[1], part.lower[2])));
    });
    return sums;
  }

  void add(const Dot& dot, const Box& part, std::int32_t* sums) const {
    const std::int32_t x_first = first_point(dot, 0), x_last = last_point(dot, 0);
    const std::int32_t z_first = std::max(first_point(dot, 2), part.lower[2]),
                       z_last = std::min(last_point(dot, 2), part.upper[2]);
    for (std::int32_t z = z_first; z < z_last; ++z)
      for (std::int32_t y = first_point(dot, 1); y < last_point(dot, 1); ++y) {
        const float dz = (static_cast<float>(z) - dot.at[2]) * scale_[2],
                    dy = (static_cast<float>(y) - dot.at[1]) * scale_[1], rest = 1 - (dz * dz + dy * dy);
        if (!(rest > 0)) continue;
        std::int32_t* row = sums + part.row(y, z) + (x_first - part.lower[0]);
        for (std::int32_t x = x_first; x < x_last; x += k_lanes, row += k_lanes)
          for (std::int32_t lane = 0; lane < k_lanes; ++lane) {
            const float dx = (static_cast<float>(x + lane) - dot.at[0]) * scale_[0];
            float w = rest - dx * dx;
            w = w > 0 && x + lane < x_last ? w : 0.0F;
            row[lane] += static_cast<std::int32_t>(std::floor(dot.volume * (w * w * w) + 0.5F));
          }
      }
  }

  /// Adds the contributions of all ranks on the wide layers of this one.
  void gather(const Box& box, const std::vector<std::int32_t>& own) {
    auto& communicator = flow_.communicator();
    const auto ranks = static_cast<std::size_t>(communicator.size());
    std::vector<std::int64_t> ends(4 * ranks);
    std::int64_t* mine = ends.data() + 4 * static_cast<std::size_t>(communicator.rank());
    mine[0] = wide_.first, mine[1] = wide_.last, mine[2] = layers_.first, mine[3] = layers_.last;
    if (ranks > 1) comm::sum(communicator, ends, "surfaces");
    std::vector<comm::Parcel> parcels;
    std::vector<Contribution> parts;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t* of = ends.data() + 4 * rank;
      Contribution part;
      part.box = {{box.lower[0], box.lower[1], std::max(box.lower[2], static_cast<std::int32_t>(of[0]))},
                  {box.upper[0], box.upper[1], std::min(box.upper[2], static_cast<std::int32_t>(of[1]))}};
      if (part.box.is_empty()) continue;
      part.drops = drops_near({static_cast<std::int32_t>(of[2]), static_cast<std::int32_t>(of[3])}, box, own);
      part.sums = {own.data() + box.row(part.box.lower[1], part.box.lower[2]), part.box.points()};
      if (rank == static_cast<std::size_t>(communicator.rank()))
        parts.push_back(std::move(part));
      else
        parcels.push_back({static_cast<int>(rank), bytes_of(part)});
    }
    std::vector<comm::Parcel> received;
    if (ranks > 1) received = comm::deliver(communicator, parcels, "surfaces");
    for (const comm::Parcel& parcel : received) parts.push_back(contribution_of(parcel.bytes));
    take(parts);
  }

  /// Sums that one rank adds to the layers of another, and its drops there.
  struct Contribution {
    Box box;
    std::span<const std::int32_t> sums;
    std::vector<Dot> drops;
  };

  static std::vector<std::byte> bytes_of(const Contribution& part) {
    std::vector<std::byte> bytes;
    append(bytes, &part.box, 1);
    append(bytes, part.sums.data(), part.sums.size());
    append(bytes, part.drops.data(), part.drops.size());
    return bytes;
  }
  /// The sums stay in `bytes`.
  static Contribution contribution_of(const std::vector<std::byte>& bytes) {
    Contribution part;
    std::memcpy(&part.box, bytes.data(), sizeof part.box);
    part.sums = {reinterpret_cast<const std::int32_t*>(bytes.data() + sizeof part.box), part.box.points()};
    const std::size_t begin = sizeof part.box + part.sums.size_bytes();
    part.drops.resize((bytes.size() - begin) / sizeof(Dot));
    if (!part.drops.empty()) std::memcpy(part.drops.data(), bytes.data() + begin, part.drops.size() * sizeof(Dot));
    return part;
  }

  template <class Value>
  static void append(std::vector<std::byte>& to, const Value* values, std::size_t count) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values);
    to.insert(to.end(), bytes, bytes + count * sizeof(Value));
  }

  /// Adds contributions up, in a box beyond which all values are 0, also after smoothing.
  void take(const std::vector<Contribution>& parts) {
    if (parts.empty()) return;
    Box around{lattice_.count, {0, 0, 0}};
    for (const Contribution& part : parts)
      for (std::size_t d = 0; d < 3; ++d) {
        around.lower[d] = std::min(around.lower[d], part.box.lower[d]);
        around.upper[d] = std::max(around.upper[d], part.box.upper[d]);
      }
    const Int3 first{0, 0, wide_.first}, last{lattice_.count[0], lattice_.count[1], wide_.last};
    for (std::size_t d = 0; d < 3; ++d) {
      box_.lower[d] = std::max(first[d], around.lower[d] - k_passes - 1);
      box_.upper[d] = std::min(last[d], around.upper[d] + k_passes + 1);
    }
    raw_.assign(box_.points(), 0);
    for (const Contribution& part : parts) {
      const std::int32_t* from = part.sums.data();
      for (std::int32_t z = part.box.lower[2]; z < part.box.upper[2]; ++z)
        for (std::int32_t y = part.box.lower[1]; y < part.box.upper[1]; ++y) {
          std::int32_t* to = raw_.data() + point(part.box.lower[0], y, z);
          for (std::int32_t x = 0; x < part.box.extent(0); ++x) to[x] += *from++;
        }
      drops_.insert(drops_.end(), part.drops.begin(), part.drops.end());
    }
  }
  std::size_t point(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return box_.row(y, z) + static_cast<std::size_t>(x - box_.lower[0]);
  }

  /// This rank's particles that may be drops on the given layers: other particles only add to their colours.
  std::vector<Dot> drops_near(solver::Layers layers, const Box& box, const std::vector<std::int32_t>& own) const {
    std::vector<Dot> drops;
    if (layers.count() <= 0) return drops;
    const auto low = static_cast<float>(layers.first - drop_layers_),
               high = static_cast<float>(layers.last + drop_layers_);
    for (const Dot& dot : dots_) {
      if (dot.at[2] < low || dot.at[2] > high) continue;
      const Int3 at = nearest(dot);
      if (static_cast<float>(own[box.row(at[1], at[2]) + static_cast<std::size_t>(at[0] - box.lower[0])]) * k_unit <
          k_crowded)
        drops.push_back(dot);
    }
    return drops;
  }

  Int3 nearest(const Dot& dot) const {
    Int3 at;
    for (std::size_t d = 0; d < 3; ++d)
      at[d] = std::clamp(static_cast<std::int32_t>(std::lrint(dot.at[d])), 0, lattice_.count[d] - 1);
    return at;
  }

  /// Divides sums by the share of the kernel that is inside walls and outside bodies.
  void normalise() {
    const auto& world = flow_.world();
    std::array<std::vector<double>, 3> shares;
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      for (std::int32_t k = 0; k < lattice_.count[axis]; ++k) {
        const double x = lattice_.origin[d] + k * lattice_.spacing[d];
        double share = 1;
        if (world.sides[2 * axis].kind == world::SideKind::wall)
          share *= share_of_kernel((x - world.origin[d]) / radius_);
        if (world.sides[2 * axis + 1].kind == world::SideKind::wall)
          share *= share_of_kernel((world.origin[d] + world.size[d] - x) / radius_);
        shares[axis].push_back(share);
      }
    }
    values_.resize(box_.points());
    measure_bodies();
    parallel_for(box_.extent(2), [&](std::int64_t layer) {
      const std::int32_t z = box_.lower[2] + static_cast<std::int32_t>(layer);
      for (std::int32_t y = box_.lower[1]; y < box_.upper[1]; ++y)
        for (std::int32_t x = box_.lower[0]; x < box_.upper[0]; ++x) {
          const std::size_t k = point(x, y, z);
          if (raw_[k] == 0) {
            values_[k] = 0;
            continue;
          }
          double share = shares[0][static_cast<std::size_t>(x)] * shares[1][static_cast<std::size_t>(y)] *
                         shares[2][static_cast<std::size_t>(z)];
          if (!distance_.empty() && distance_[k] < radius_) share *= share_of_kernel(distance_[k] / radius_);
          values_[k] = static_cast<float>(raw_[k] * static_cast<double>(k_unit) / std::max(share, k_least_share));
        }
    });
  }

  /// Finds the distance from bodies of all points near one; farther points have the radius of the kernel.
  void measure_bodies() {
    for (const world::Body& body : flow_.world().bodies) {
      if (body.shape == nullptr) continue;
      const world::ShapePtr shape = body.shape_at(time_);
      const auto [low, high] = shape->bounds();
      Box near;
      for (int d = 0; d < 3; ++d) {
        const auto axis = static_cast<std::size_t>(d);
        const auto at = [&](double x) { return (x - lattice_.origin[d]) / lattice_.spacing[d]; };
        const double most = lattice_.count[axis];
        near.lower[axis] = std::max(box_.lower[axis],
                                    static_cast<std::int32_t>(std::clamp(std::ceil(at(low[d] - radius_)), 0.0, most)));
        near.upper[axis] = std::min(
            box_.upper[axis], static_cast<std::int32_t>(std::clamp(std::floor(at(high[d] + radius_)) + 1, 0.0, most)));
      }
      if (near.is_empty()) continue;
      if (distance_.empty()) distance_.assign(box_.points(), static_cast<float>(radius_));
      parallel_for(near.extent(2), [&](std::int64_t layer) {
        const std::int32_t z = near.lower[2] + static_cast<std::int32_t>(layer);
        for (std::int32_t y = near.lower[1]; y < near.upper[1]; ++y)
          for (std::int32_t x = near.lower[0]; x < near.upper[0]; ++x) {
            float& distance = distance_[point(x, y, z)];
            distance = std::min(distance, static_cast<float>(shape->signed_distance(lattice_.place({x, y, z}))));
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
    for (const Dot& drop : drops_) {
      const Int3 at = nearest(drop);
      bool inside = true;
      for (std::size_t d = 0; d < 3; ++d) inside = inside && at[d] >= box_.lower[d] && at[d] < box_.upper[d];
      if (!inside || !(static_cast<float>(raw_[point(at[0], at[1], at[2])]) * k_unit < k_crowded)) continue;
      const float size =
          std::clamp((k_of_surface - colour_at(drop, colours)) / (k_of_surface - k_of_spray), 0.0F, 1.0F);
      if (size > 0) add_drop(drop, size * static_cast<float>(drop_));
    }
  }

  /// Interpolates linearly.
  float colour_at(const Dot& dot, const std::vector<float>& colours) const {
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
      sum += weight * colours[point(at[0], at[1], at[2])];
    }
    return sum;
  }

  void add_drop(const Dot& drop, float radius) {
    const auto blur = static_cast<float>(2 * coarsest_);
    Int3 first, last;
    std::array<float, 3> spacing;
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      spacing[axis] = static_cast<float>(lattice_.spacing[d]);
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
          float& value = values_[point(x, y, z)];
          value = std::max(value, 0.5F + (radius - std::sqrt(dx * dx + dy * dy + dz * dz)) / blur);
        }
  }

  /// The requested layers. At a body the value is limited to what a plane at the body's surface would give, so that the
  /// surface of the fluid lies on it.
  std::vector<float> limited_by_bodies() const {
    std::vector<float> values(static_cast<std::size_t>(std::max(0, layers_.count())) * lattice_.points_of_layer());
    const auto blur = static_cast<float>(2 * coarsest_);
    const std::int32_t first = std::max(layers_.first, box_.lower[2]), last = std::min(layers_.last, box_.upper[2]);
    parallel_for(std::max(0, last - first), [&](std::int64_t layer) {
      const std::int32_t z = first + static_cast<std::int32_t>(layer);
      for (std::int32_t y = box_.lower[1]; y < box_.upper[1]; ++y) {
        const std::size_t begin = box_.row(y, z);
        float* to = values.data() + static_cast<std::size_t>(z - layers_.first) * lattice_.points_of_layer() +
                    static_cast<std::size_t>(y) * static_cast<std::size_t>(lattice_.count[0]) +
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
        const std::size_t k = point(other[0], other[1], other[2]);
        if (!is_solid(k)) largest = std::max(largest, values_[k]);
      }
    return largest;
  }

  static constexpr std::int32_t k_lanes = 8;

  const SampledFlow<3>& flow_;
  double time_;
  solver::Lattice lattice_;
  solver::Layers layers_, wide_;
  double coarsest_, radius_, drop_;  // [m]
  std::array<float, 3> reach_, scale_;
  std::int32_t drop_layers_;
  std::vector<Dot> dots_, drops_;
  Box box_{};                      // of the following values; beyond it there is no fluid
  std::vector<std::int32_t> raw_;  // sums
  std::vector<float> values_, smoothed_;
  std::vector<float> distance_;           // from bodies [m]; empty: no body is near
  std::vector<std::uint8_t> solid_rows_;  // whether a row along x has points inside bodies
};

}  // namespace

std::vector<float> fluid_lattice(const SampledFlow<3>& flow, double time, const solver::Lattice& lattice,
                                 solver::Layers layers) {
  return FluidLattice(flow, time, lattice, layers).values();
}

}  // namespace eddyline::sph
