#include "solvers/amr/sampler.hpp"

#include "solvers/amr/describe.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"
#include "observe/codes.hpp"

namespace eddyline::amr {

namespace {

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

/// The value of a field at a place in cells from the lower corner of the domain; `lower`: the patch's first cell.
double interpolate(const physics::Input& in, Int3 lower, const std::array<double, 3>& place, std::size_t dimensions,
                   std::size_t width) {
  std::array<Stencil, 3> axis;
  for (std::size_t d = 0; d < dimensions; ++d) axis[d] = stencil_at(place[d], width), axis[d].first -= lower[d];
  if (dimensions == 2) axis[2].weight[0] = 1;
  double sum = 0;
  for (std::size_t z = 0; z < (dimensions == 3 ? width : 1); ++z) {
    double sum_y = 0;
    for (std::size_t y = 0; y < width; ++y) {
      const double* row = in.at + axis[0].first + (axis[1].first + static_cast<std::int32_t>(y)) * in.stride[1] +
                          (axis[2].first + static_cast<std::int32_t>(z)) * in.stride[2];
      double sum_x = 0;
      for (std::size_t x = 0; x < width; ++x) sum_x += axis[0].weight[x] * row[x];
      sum_y += axis[1].weight[y] * sum_x;
    }
    sum += axis[2].weight[z] * sum_y;
  }
  return sum;
}

/// The same of means beside a body: cells without fluid do not count. NaN if no other is there.
double interpolate_outside(const physics::Input& in, const physics::Solid& solid, Int3 lower,
                           const std::array<double, 3>& place, std::size_t dimensions) {
  std::array<Stencil, 3> axis;
  for (std::size_t d = 0; d < dimensions; ++d) axis[d] = stencil_at(place[d], 2);
  if (dimensions == 2) axis[2].weight[0] = 1;
  double sum = 0, weights = 0;
  for (std::int32_t k = 0; k < 1 << dimensions; ++k) {
    const std::array<std::int32_t, 3> of{k & 1, k >> 1 & 1, k >> 2};
    Int3 cell{0, 0, 0};
    double weight = 1;
    const double* value = in.at;
    for (std::size_t d = 0; d < 3; ++d) {
      cell[d] = axis[d].first + of[d];
      weight *= axis[d].weight[static_cast<std::size_t>(of[d])];
      value += (cell[d] - lower[d]) * in.stride[d];
    }
    if (solid.is_covered(cell)) continue;
    sum += weight * *value, weights += weight;
  }
  return sum / weights;
}

}  // namespace

Sampler::Sampler(State& state) : state_(state), described_(describe(state.equations(), state.levels().most())) {}

/// All quantities at each point; NaN outside the domain and in bodies. The rank that has the finest cell around a point
/// computes them.
std::vector<double> Sampler::values(std::span<const Vec3> points) {
  state_.gather();
  const patches::Levels& levels = state_.levels();
  const world::World& world = state_.world();
  const std::vector<physics::Field>& fields = state_.equations().fields();
  const auto D = static_cast<std::size_t>(world.dimensions);
  const std::size_t quantities = described_.quantities.size();
  const auto place = [&](const Vec3& x, int level, std::size_t d) {
    const int axis = static_cast<int>(d);
    return (x[axis] - world.origin[axis]) / state_.spacing(level);
  };
  const std::vector<State::Patch> all = state_.patches();
  std::vector<std::size_t> first_of_level;
  for (std::size_t k = 0, level = 0; level < static_cast<std::size_t>(levels.size()); ++level) {
    first_of_level.push_back(k);
    k += levels[static_cast<int>(level)].layout.patches().size();
  }
  std::vector<std::vector<std::size_t>> of_patch(all.size());
  for (std::size_t n = 0; n < points.size(); ++n)
    for (int level = state_.bodies().distance(points[n]) > 0 ? levels.size() - 1 : -1; level >= 0; --level) {
      const patches::Layout& layout = levels[level].layout;
      Int3 cell{0, 0, 0};
      bool inside = true;
      for (std::size_t d = 0; d < D; ++d) {
        const std::int32_t count = layout.domain().upper[d];
        const double at = place(points[n], level, d);
        inside = inside && at >= 0 && at <= count;
        if (inside) cell[d] = std::min(static_cast<std::int32_t>(at), count - 1);
      }
      if (!inside) break;
      if (layout.set().patch_with(cell) < 0) continue;
      if (const std::int32_t patch = layout.patch_with(cell); patch >= 0)
        of_patch[first_of_level[static_cast<std::size_t>(level)] + static_cast<std::size_t>(patch)].push_back(n);
      break;
    }

  // Bits of doubles: one rank has each, the others have 0, so that their sum is it.
  std::vector<std::int64_t> bits(quantities * points.size(), 0);
  std::vector<double> found(quantities * points.size());
  const auto patches = static_cast<std::int64_t>(of_patch.size());
#pragma omp parallel
  {
    State::Scratch scratch(state_);
    std::vector<double> at_point(fields.size());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < patches; ++k) {
      const auto number = static_cast<std::size_t>(k);
      if (of_patch[number].empty()) continue;
      const State::Patch& patch = all[number];
      const std::span<const physics::Input> in = scratch.read(patch);
      const physics::Solid* solid = state_.solid(patch);
      for (const std::size_t n : of_patch[number]) {
        std::array<double, 3> at{};
        for (std::size_t d = 0; d < D; ++d) at[d] = place(points[n], patch.level, d);
        for (std::size_t f = 0; f < fields.size(); ++f) {
          if (solid != nullptr) {
            at_point[f] = interpolate_outside(in[f], *solid, patch.cells().lower, at, D);
            continue;
          }
          const std::size_t points_an_axis = levels.setup().ghosts >= 3 ? 6 : 4;
          at_point[f] = interpolate(in[f], patch.cells().lower, at, D,
                                    fields[f].meaning == physics::Meaning::average ? 2 : points_an_axis);
        }
        const std::span<double> derived = std::span(found).subspan(quantities * n, quantities);
        state_.equations().derive(at_point, derived);
        if (levels.most() > 1) derived.back() = patch.level;
        for (std::size_t q = 0; q < quantities; ++q) bits[quantities * n + q] = std::bit_cast<std::int64_t>(derived[q]);
      }
    }
  }
  std::vector<std::int64_t> known(points.size(), 0);
  for (const auto& some : of_patch)
    for (const std::size_t n : some) known[n] = 1;
  comm::sum(state_.communicator(), bits, "samples");
  comm::sum(state_.communicator(), known, "samples");
  for (std::size_t n = 0; n < points.size(); ++n)
    for (std::size_t q = 0; q < quantities; ++q)
      found[quantities * n + q] =
          known[n] != 0 ? std::bit_cast<double>(bits[quantities * n + q]) : std::numeric_limits<double>::quiet_NaN();
  return found;
}

std::vector<double> Sampler::at(std::span<const Vec3> points) {
  const std::vector<double> all = values(points);
  std::vector<double> found;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (k % described_.quantities.size() < probe_columns().size()) found.push_back(all[k]);
  return found;
}

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
      pixels[n] = static_cast<float>(found[described_.quantities.size() * n + static_cast<std::size_t>(quantity)]);
    solver::Raster& raster = drawn.emplace_back();
    raster.known.assign((pixels.size() + 7) / 8, 0);
    observe::keep_known(pixels, nullptr, raster.known.data(), raster.values);
  }
  return drawn;
}

}  // namespace eddyline::amr
