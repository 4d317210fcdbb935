#include "solvers/amr/sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"
#include "observe/codes.hpp"

namespace eddyline::amr {

using patches::Layout;

namespace {

constexpr std::size_t k_fields = 2;  // u, p
constexpr std::size_t k_widest = 6;  // points of a stencil along an axis

/// The cells around a place along one axis, and their weights.
struct Stencil {
  std::int32_t first = 0;
  std::array<double, k_widest> weight{};
};

/// Lagrange polynomial through `width` cell centres; `place` in cells from the lower end of the axis.
Stencil stencil_at(double place, std::size_t width) {
  const double from_centre = place - 0.5;
  const double floor = std::floor(from_centre);
  Stencil stencil{.first = static_cast<std::int32_t>(floor) - static_cast<std::int32_t>(width / 2 - 1)};
  const double t = from_centre - stencil.first;
  for (std::size_t k = 0; k < width; ++k) {
    double weight = 1;
    for (std::size_t j = 0; j < width; ++j)
      if (j != k) weight *= (t - static_cast<double>(j)) / (static_cast<double>(k) - static_cast<double>(j));
    stencil.weight[k] = weight;
  }
  return stencil;
}

}  // namespace

std::span<const solver::Column> Sampler::quantities() const {
  static const std::array<solver::Column, k_fields> k_quantities{{{"u", "m"}, {"p", "m/s"}}};
  return k_quantities;
}

/// Values of both fields at each point; NaN outside the domain. The rank that has the cell around a point computes
/// them.
std::vector<double> Sampler::values(std::span<const Vec3> points) {
  state_.gather();
  const Layout& layout = state_.layout();
  const world::World& world = state_.world();
  const auto D = static_cast<std::size_t>(world.dimensions);
  const std::size_t width = state_.options().order == 6 ? 6 : 4;
  const Int3 count = layout.tiling().cells();
  const auto place = [&](const Vec3& x, std::size_t d) {
    const int axis = static_cast<int>(d);
    return (x[axis] - world.origin[axis]) / world.spacing;
  };
  std::vector<std::vector<std::size_t>> of_patch(layout.patches().size());
  for (std::size_t n = 0; n < points.size(); ++n) {
    Int3 cell{0, 0, 0};
    bool inside = true;
    for (std::size_t d = 0; d < D; ++d) {
      const double at = place(points[n], d);
      inside = inside && at >= 0 && at <= count[d];
      if (inside) cell[d] = std::min(static_cast<std::int32_t>(at), count[d] - 1);
    }
    const std::int32_t patch = inside ? layout.patch_with(cell) : -1;
    if (patch >= 0) of_patch[static_cast<std::size_t>(patch)].push_back(n);
  }

  // Bits of doubles: one rank has each, the others have 0, so that their sum is it.
  std::vector<std::int64_t> bits(k_fields * points.size(), 0);
  std::vector<double> found(k_fields * points.size());
  const auto patches = static_cast<std::int64_t>(of_patch.size());
  const State::Fields &own = state_.fields(State::begin), &foreign = state_.foreign();
#pragma omp parallel
  {
    std::vector<double> scratch(layout.scratch_size());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < patches; ++k) {
      const auto number = static_cast<std::size_t>(k);
      if (of_patch[number].empty()) continue;
      const Layout::Patch& patch = layout.patches()[number];
      const grid::IndexBox grown = patch.cells.grown(layout.ghosts(), layout.dimensions());
      for (std::size_t f = 0; f < k_fields; ++f) {
        layout.fill(
            patch,
            f == 0 ? patches::Values{own.u.data(), foreign.u.data()} : patches::Values{own.p.data(), foreign.p.data()},
            scratch.data());
        for (const std::size_t n : of_patch[number]) {
          std::array<Stencil, 3> axis;
          for (std::size_t d = 0; d < D; ++d) axis[d] = stencil_at(place(points[n], d), width);
          if (D == 2) axis[2].weight[0] = 1;
          double sum = 0;
          for (std::size_t z = 0; z < (D == 3 ? width : 1); ++z) {
            double sum_y = 0;
            for (std::size_t y = 0; y < width; ++y) {
              const Int3 cell{axis[0].first, axis[1].first + static_cast<std::int32_t>(y),
                              axis[2].first + static_cast<std::int32_t>(z)};
              const double* row = scratch.data() + grown.index(cell);
              double sum_x = 0;
              for (std::size_t x = 0; x < width; ++x) sum_x += axis[0].weight[x] * row[x];
              sum_y += axis[1].weight[y] * sum_x;
            }
            sum += axis[2].weight[z] * sum_y;
          }
          found[k_fields * n + f] = sum;
          bits[k_fields * n + f] = std::bit_cast<std::int64_t>(sum);
        }
      }
    }
  }
  std::vector<std::int64_t> known(points.size(), 0);
  for (const auto& some : of_patch)
    for (const std::size_t n : some) known[n] = 1;
  comm::sum(state_.communicator(), bits, "samples");
  comm::sum(state_.communicator(), known, "samples");
  for (std::size_t n = 0; n < points.size(); ++n)
    for (std::size_t f = 0; f < k_fields; ++f)
      found[k_fields * n + f] =
          known[n] != 0 ? std::bit_cast<double>(bits[k_fields * n + f]) : std::numeric_limits<double>::quiet_NaN();
  return found;
}

std::vector<double> Sampler::at(std::span<const Vec3> points) { return values(points); }

std::vector<solver::Raster> Sampler::rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) {
  std::vector<Vec3> points;
  points.reserve(plane.pixels());
  for (std::int32_t row = 0; row < plane.rows; ++row)
    for (std::int32_t column = 0; column < plane.columns; ++column) points.push_back(plane.centre(column, row));
  const std::vector<double> found = values(points);
  std::vector<solver::Raster> drawn;
  std::vector<float> pixels(points.size());
  for (const std::int32_t quantity : quantities) {
    for (std::size_t n = 0; n < points.size(); ++n)
      pixels[n] = static_cast<float>(found[k_fields * n + static_cast<std::size_t>(quantity)]);
    solver::Raster& raster = drawn.emplace_back();
    raster.known.assign((pixels.size() + 7) / 8, 0);
    observe::keep_known(pixels, nullptr, raster.known.data(), raster.values);
  }
  return drawn;
}

}  // namespace eddyline::amr
