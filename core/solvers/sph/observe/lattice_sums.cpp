#include "solvers/sph/observe/lattice_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "base/parallel_for.hpp"
#include "comm/collectives.hpp"

namespace eddyline::sph {

LatticeScales::LatticeScales(double spacing, const solver::Lattice& of, solver::Layers some)
    : lattice(of), layers(some) {
  coarsest = std::max({of.spacing.x, of.spacing.y, of.spacing.z});
  radius = 2 * std::max(spacing, coarsest);
  // A drop has the volume of its particle, but is seen on any lattice.
  drop = std::max(std::cbrt(3 / (4 * std::numbers::pi)) * spacing, 0.9 * coarsest);
  for (int d = 0; d < 3; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    reach[axis] = static_cast<float>(radius / of.spacing[d]);
    scale[axis] = static_cast<float>(of.spacing[d] / radius);
  }
  drop_layers = static_cast<std::int32_t>(std::ceil((drop + coarsest) / of.spacing.z)) + 1;
  const std::int32_t by = drop_layers + k_passes + 1;
  if (some.count() > 0) wide = {std::max(0, some.first - by), std::min(of.count[2], some.last + by)};
}

Int3 LatticeScales::nearest(const LatticeDot& dot) const {
  Int3 at;
  for (std::size_t d = 0; d < 3; ++d)
    at[d] = std::clamp(static_cast<std::int32_t>(std::lrint(dot.at[d])), 0, lattice.count[d] - 1);
  return at;
}

namespace {

class Collector {
 public:
  Collector(const SampledFlow<3>& flow, const LatticeScales& scales) : flow_(flow), scales_(scales) {}

  LatticeSums collect() {
    collect_dots();
    const LatticeBox box = box_of_dots();
    const std::vector<std::int32_t> own = sums_of_dots(box);
    gather(box, own);
    return std::move(found_);
  }

 private:
  void collect_dots() {
    const auto& grid = flow_.layout().grid();
    const auto& c = flow_.constants();
    const double constant = 315 / (64 * std::numbers::pi) * c.volume /
                            (scales_.radius * scales_.radius * scales_.radius) / LatticeScales::k_unit;
    Int3 images{0, 0, 0}, image;
    for (std::size_t d = 0; d < 3; ++d) images[d] = grid.periodic[d] ? 1 : 0;
    const auto owned = static_cast<std::size_t>(flow_.fluid_rows.owned());
    for (std::size_t i = 0; i < owned; ++i) {
      const double volume = constant * flow_.fluid.mass[i] * c.inverse_mass / (1 + flow_.fluid.s[i]);
      if (!(volume > 0 && volume < 0x1p24)) continue;  // the doctor finds it
      for (image[2] = -images[2]; image[2] <= images[2]; ++image[2])
        for (image[1] = -images[1]; image[1] <= images[1]; ++image[1])
          for (image[0] = -images[0]; image[0] <= images[0]; ++image[0]) {
            LatticeDot dot{{}, static_cast<float>(volume)};
            bool reaches = true;
            for (std::size_t d = 0; d < 3; ++d) {
              const auto axis = static_cast<int>(d);
              const double x = flow_.fluid.x[axis][i] + image[d] * grid.count[d] * grid.edge[axis];
              const double at = (x - scales_.lattice.origin[axis]) / scales_.lattice.spacing[axis];
              reaches = reaches && at + scales_.reach[d] > 0 && at - scales_.reach[d] < scales_.lattice.count[d] - 1;
              dot.at[d] = static_cast<float>(at);
            }
            if (reaches) dots_.push_back(dot);
          }
    }
  }

  std::int32_t first_point(const LatticeDot& dot, std::size_t axis) const {
    return std::max(0, static_cast<std::int32_t>(std::ceil(dot.at[axis] - scales_.reach[axis])));
  }
  std::int32_t last_point(const LatticeDot& dot, std::size_t axis) const {
    return std::min(scales_.lattice.count[axis],
                    static_cast<std::int32_t>(std::floor(dot.at[axis] + scales_.reach[axis])) + 1);
  }

  LatticeBox box_of_dots() const {
    LatticeBox box{scales_.lattice.count, {0, 0, 0}};
    for (const LatticeDot& dot : dots_)
      for (std::size_t d = 0; d < 3; ++d) {
        box.lower[d] = std::min(box.lower[d], first_point(dot, d));
        box.upper[d] = std::max(box.upper[d], last_point(dot, d));
      }
    return box.is_empty() ? LatticeBox{} : box;
  }

  /// Contributions of this rank's particles. Dots are sorted by their first layer, so that threads sum different
  /// layers.
  std::vector<std::int32_t> sums_of_dots(const LatticeBox& box) {
    std::vector<std::int32_t> sums(box.points() + k_lanes);  // rows are written in whole lanes
    if (box.is_empty()) return sums;
    std::vector<std::size_t> before(static_cast<std::size_t>(box.extent(2)) + 1);
    const auto bucket = [&](const LatticeDot& dot) {
      return static_cast<std::size_t>(first_point(dot, 2) - box.lower[2]);
    };
    for (const LatticeDot& dot : dots_) ++before[bucket(dot) + 1];
    for (std::size_t k = 1; k < before.size(); ++k) before[k] += before[k - 1];
    std::vector<LatticeDot> sorted(dots_.size());
    std::vector<std::size_t> next = before;
    for (const LatticeDot& dot : dots_) sorted[next[bucket(dot)]++] = dot;
    dots_.swap(sorted);
    const auto tall = static_cast<std::int32_t>(std::floor(2 * scales_.reach[2])) + 1;  // most layers of a dot
    parallel_for(box.extent(2), std::max<std::int64_t>(tall, 4), [&](std::int64_t first, std::int64_t last) {
      const LatticeBox part{{box.lower[0], box.lower[1], box.lower[2] + static_cast<std::int32_t>(first)},
                            {box.upper[0], box.upper[1], box.lower[2] + static_cast<std::int32_t>(last)}};
      // Written in whole lanes, a row ends in the next one, whose lanes get zeros. The last row of a part belongs to
      // this thread alone except for these, so that each part has sums of its own.
      std::vector<std::int32_t> own(part.points() + k_lanes);
      for (std::size_t k = before[static_cast<std::size_t>(std::max<std::int64_t>(0, first - tall))];
           k < before[static_cast<std::size_t>(last)]; ++k)
        if (scales_.reach[0] <= 2)
          add<4>(dots_[k], part, own.data());
        else
          add<k_lanes>(dots_[k], part, own.data());
      std::copy_n(own.begin(), part.points(),
                  sums.begin() + static_cast<std::ptrdiff_t>(box.row(part.lower[1], part.lower[2])));
    });
    return sums;
  }

  /// Adds the contributions of a dot to a part. `lanes`: points of a row that are computed together.
  template <std::int32_t lanes>
  void add(const LatticeDot& dot, const LatticeBox& part, std::int32_t* sums) const {
    const Range along = inner_points(dot, 0), across = inner_points(dot, 1);
    Range layers = inner_points(dot, 2);
    layers.first = std::max(layers.first, part.lower[2]), layers.last = std::min(layers.last, part.upper[2]);
    for (std::int32_t x = along.first; x < along.last; x += lanes) {
      std::array<float, lanes> squares;
      for (std::int32_t lane = 0; lane < lanes; ++lane) {
        const float dx = (static_cast<float>(x + lane) - dot.at[0]) * scales_.scale[0];
        squares[static_cast<std::size_t>(lane)] = x + lane < along.last ? dx * dx : 1.0F;
      }
      for (std::int32_t z = layers.first; z < layers.last; ++z) {
        const float dz = (static_cast<float>(z) - dot.at[2]) * scales_.scale[2];
        std::int32_t* row = sums + part.row(across.first, z) + (x - part.lower[0]);
        for (std::int32_t y = across.first; y < across.last; ++y, row += part.extent(0)) {
          const float dy = (static_cast<float>(y) - dot.at[1]) * scales_.scale[1], rest = 1 - (dz * dz + dy * dy);
          for (std::int32_t lane = 0; lane < lanes; ++lane) {
            const float w = std::max(rest - squares[static_cast<std::size_t>(lane)], 0.0F);
            row[lane] += static_cast<std::int32_t>(dot.volume * (w * w * w) + 0.5F);
          }
        }
      }
    }
  }

  struct Range {
    std::int32_t first, last;
  };
  /// Points inside the reach of a dot; one at its end would get 0.
  Range inner_points(const LatticeDot& dot, std::size_t axis) const {
    return {std::max(0, static_cast<std::int32_t>(std::floor(dot.at[axis] - scales_.reach[axis])) + 1),
            std::min(scales_.lattice.count[axis],
                     static_cast<std::int32_t>(std::ceil(dot.at[axis] + scales_.reach[axis])))};
  }

  /// Adds the contributions of all ranks on the wide layers of this one.
  void gather(const LatticeBox& box, const std::vector<std::int32_t>& own) {
    auto& communicator = flow_.communicator();
    const auto ranks = static_cast<std::size_t>(communicator.size());
    std::vector<std::int64_t> ends(4 * ranks);
    std::int64_t* mine = ends.data() + 4 * static_cast<std::size_t>(communicator.rank());
    mine[0] = scales_.wide.first, mine[1] = scales_.wide.last, mine[2] = scales_.layers.first,
    mine[3] = scales_.layers.last;
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
    LatticeBox box;
    std::span<const std::int32_t> sums;
    std::vector<LatticeDot> drops;
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
    part.drops.resize((bytes.size() - begin) / sizeof(LatticeDot));
    if (!part.drops.empty())
      std::memcpy(part.drops.data(), bytes.data() + begin, part.drops.size() * sizeof(LatticeDot));
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
    LatticeBox around{scales_.lattice.count, {0, 0, 0}};
    for (const Contribution& part : parts)
      for (std::size_t d = 0; d < 3; ++d) {
        around.lower[d] = std::min(around.lower[d], part.box.lower[d]);
        around.upper[d] = std::max(around.upper[d], part.box.upper[d]);
      }
    const Int3 first{0, 0, scales_.wide.first},
        last{scales_.lattice.count[0], scales_.lattice.count[1], scales_.wide.last};
    for (std::size_t d = 0; d < 3; ++d) {
      found_.box.lower[d] = std::max(first[d], around.lower[d] - LatticeScales::k_passes - 1);
      found_.box.upper[d] = std::min(last[d], around.upper[d] + LatticeScales::k_passes + 1);
    }
    found_.sums.assign(found_.box.points(), 0);
    for (const Contribution& part : parts) {
      const std::int32_t* from = part.sums.data();
      for (std::int32_t z = part.box.lower[2]; z < part.box.upper[2]; ++z)
        for (std::int32_t y = part.box.lower[1]; y < part.box.upper[1]; ++y) {
          std::int32_t* to = found_.sums.data() + found_.box.point(part.box.lower[0], y, z);
          for (std::int32_t x = 0; x < part.box.extent(0); ++x) to[x] += *from++;
        }
      found_.drops.insert(found_.drops.end(), part.drops.begin(), part.drops.end());
    }
  }
  /// This rank's particles that may be drops on the given layers: other particles only add to their colours.
  std::vector<LatticeDot> drops_near(solver::Layers layers, const LatticeBox& box,
                                     const std::vector<std::int32_t>& own) const {
    std::vector<LatticeDot> drops;
    if (layers.count() <= 0) return drops;
    const auto low = static_cast<float>(layers.first - scales_.drop_layers),
               high = static_cast<float>(layers.last + scales_.drop_layers);
    for (const LatticeDot& dot : dots_) {
      if (dot.at[2] < low || dot.at[2] > high) continue;
      const Int3 at = scales_.nearest(dot);
      if (static_cast<float>(own[box.row(at[1], at[2]) + static_cast<std::size_t>(at[0] - box.lower[0])]) *
              LatticeScales::k_unit <
          LatticeScales::k_crowded)
        drops.push_back(dot);
    }
    return drops;
  }

  static constexpr std::int32_t k_lanes = 8;

  const SampledFlow<3>& flow_;
  const LatticeScales& scales_;
  std::vector<LatticeDot> dots_;
  LatticeSums found_;
};

}  // namespace

LatticeSums lattice_sums(const SampledFlow<3>& flow, const LatticeScales& scales) {
  return Collector(flow, scales).collect();
}

}  // namespace eddyline::sph
