#include "observe/isosurface/lattice_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/parallel_for.hpp"
#include "observe/raster.hpp"

namespace eddyline::observe {

namespace {

constexpr float k_none = std::numeric_limits<float>::quiet_NaN();

/// Values of quantities of pictures: those of cells at their centres, or rasters of successive layers. All ranks make
/// the same rasters, and each keeps its layers.
std::vector<std::vector<float>> stacked(solver::Sampler& sampler, const CellSource* cells,
                                        const std::vector<std::int32_t>& all, const solver::Lattice& lattice,
                                        solver::Layers layers) {
  const std::size_t layer = lattice.points_of_layer(), count = static_cast<std::size_t>(std::max(0, layers.count()));
  std::vector<std::vector<float>> values(all.size());
  std::vector<std::int32_t> quantities;  // that need rasters
  std::vector<std::size_t> places;       // of these among all
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string& name = sampler.quantities()[static_cast<std::size_t>(all[n])].name;
    auto at_centres = cells != nullptr ? cell_values(*cells, name, lattice, layers) : std::nullopt;
    if (at_centres) {
      values[n] = std::move(*at_centres);
      continue;
    }
    quantities.push_back(all[n]), places.push_back(n);
    values[n].assign(count * layer, k_none);
  }
  if (quantities.empty()) return values;
  for (std::int32_t z = 0; z < lattice.count[2]; ++z) {
    const Vec3 half = 0.5 * lattice.spacing;
    Vec3 lower = lattice.place({0, 0, z}) - half,
         upper = lattice.place({lattice.count[0] - 1, lattice.count[1] - 1, z}) + half;
    lower.z = upper.z = lattice.place({0, 0, z}).z;
    const auto rasters = sampler.rasters(quantities, {lattice.count[0], lattice.count[1], lower, upper, {0, 1, 2}});
    if (!layers.contains(z)) continue;
    for (std::size_t n = 0; n < rasters.size(); ++n)
      spread(rasters[n], k_none,
             std::span(values[places[n]]).subspan(static_cast<std::size_t>(z - layers.first) * layer, layer));
  }
  return values;
}

/// Rates of change of three components along three axes, from their values at neighbouring points. At a point beside
/// one without a value the difference is one-sided.
class Gradient {
 public:
  Gradient(std::array<const float*, 3> components, const solver::Lattice& lattice, std::int32_t layers)
      : components_(components), layers_(layers), lattice_(lattice) {
    const auto columns = static_cast<std::size_t>(lattice.count[0]);
    steps_ = {1, columns, lattice.points_of_layer()};
  }
  /// of[c][a]: of component c along axis a [1/s].
  std::array<std::array<double, 3>, 3> at(Int3 point) const {
    std::array<std::array<double, 3>, 3> of{};
    std::size_t k = 0;
    for (std::size_t a = 0; a < 3; ++a) k += static_cast<std::size_t>(point[a]) * steps_[a];
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int32_t count = a == 2 ? layers_ : lattice_.count[a];
      const double spacing = lattice_.spacing[static_cast<int>(a)];
      for (std::size_t c = 0; c < 3; ++c) {
        const float* v = components_[c];
        const double here = v[k], before = point[a] > 0 ? v[k - steps_[a]] : k_none,
                     after = point[a] + 1 < count ? v[k + steps_[a]] : k_none;
        if (std::isfinite(before) && std::isfinite(after))
          of[c][a] = (after - before) / (2 * spacing);
        else if (std::isfinite(after))
          of[c][a] = (after - here) / spacing;
        else if (std::isfinite(before))
          of[c][a] = (here - before) / spacing;
      }
    }
    return of;
  }

 private:
  std::array<const float*, 3> components_;
  std::int32_t layers_;
  const solver::Lattice& lattice_;
  std::array<std::size_t, 3> steps_;
};

double derived_value(Derived which, const std::array<std::array<double, 3>, 3>& g) {
  if (which == Derived::vorticity) {
    const double x = g[2][1] - g[1][2], y = g[0][2] - g[2][0], z = g[1][0] - g[0][1];
    return std::sqrt(x * x + y * y + z * z);
  }
  if (which == Derived::strain) {  // sqrt(2 S:S): in a shear flow as large as the vorticity
    const double xy = g[0][1] + g[1][0], xz = g[0][2] + g[2][0], yz = g[1][2] + g[2][1];
    const double diagonal = g[0][0] * g[0][0] + g[1][1] * g[1][1] + g[2][2] * g[2][2];
    return std::sqrt(2 * diagonal + (xy * xy + xz * xz + yz * yz));
  }
  // Q = (|rotation|^2 - |strain|^2) / 2 = (div^2 - sum g_ij g_ji) / 2; positive where rotation prevails. Of an
  // incompressible flow div is 0, and Hunt's Q leaves it out.
  return -0.5 * (g[0][0] * g[0][0] + g[1][1] * g[1][1] + g[2][2] * g[2][2]) -
         (g[0][1] * g[1][0] + g[0][2] * g[2][0] + g[1][2] * g[2][1]);
}

std::vector<float> derived_values(Derived which, std::array<const float*, 3> velocity, const solver::Lattice& lattice,
                                  solver::Layers wide, solver::Layers layers) {
  const std::size_t layer = lattice.points_of_layer();
  std::vector<float> values(static_cast<std::size_t>(std::max(0, layers.count())) * layer, k_none);
  const Gradient gradient(velocity, lattice, wide.count());
  parallel_for(layers.count(), [&](std::int64_t of_layer) {
    const std::int32_t z = layers.first + static_cast<std::int32_t>(of_layer) - wide.first;
    float* to = values.data() + static_cast<std::size_t>(of_layer) * layer;
    std::size_t from = static_cast<std::size_t>(z) * layer;
    for (std::int32_t y = 0; y < lattice.count[1]; ++y)
      for (std::int32_t x = 0; x < lattice.count[0]; ++x, ++to, ++from)
        if (std::isfinite(velocity[0][from])) *to = static_cast<float>(derived_value(which, gradient.at({x, y, z})));
  });
  return values;
}

std::int32_t number_of(const std::vector<std::int32_t>& numbers, std::int32_t number) {
  return static_cast<std::int32_t>(std::ranges::find(numbers, number) - numbers.begin());
}

}  // namespace

std::vector<std::vector<float>> lattice_values(solver::Sampler& sampler, const CellSource* cells,
                                               std::span<const LatticeQuantity> quantities,
                                               const solver::Lattice& lattice, solver::Layers layers) {
  std::vector<std::int32_t> rasters;  // each once, for they are made together
  const auto need = [&](std::int32_t number) {
    if (std::ranges::find(rasters, number) == rasters.end()) rasters.push_back(number);
  };
  bool any_derived = false;
  for (const LatticeQuantity& quantity : quantities) {
    if (quantity.raster >= 0) need(quantity.raster);
    if (quantity.derived == Derived::none) continue;
    any_derived = true;
    for (const char* component : {"velocity_x", "velocity_y", "velocity_z"}) need(quantity_of(sampler, component));
  }
  const solver::Layers wide =
      any_derived && layers.count() > 0
          ? solver::Layers{std::max(0, layers.first - 1), std::min(lattice.count[2], layers.last + 1)}
          : layers;
  auto stack = stacked(sampler, cells, rasters, lattice, wide);
  const auto raster = [&](std::int32_t number) -> std::vector<float>& {
    return stack[static_cast<std::size_t>(number_of(rasters, number))];
  };
  std::vector<std::vector<float>> values;
  for (const LatticeQuantity& quantity : quantities) {
    if (quantity.own >= 0) {
      values.push_back(sampler.lattice(quantity.own, lattice, layers));
    } else if (quantity.derived != Derived::none) {
      std::array<const float*, 3> velocity{};
      for (std::size_t d = 0; d < 3; ++d)
        velocity[d] = raster(quantity_of(sampler, std::string("velocity_") + "xyz"[d])).data();
      values.push_back(derived_values(quantity.derived, velocity, lattice, wide, layers));
    } else {
      std::vector<float>& all = raster(quantity.raster);
      if (!any_derived && quantities.size() == 1) {
        values.push_back(std::move(all));
        continue;
      }
      const std::size_t layer = lattice.points_of_layer();
      const auto begin =
          all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(layers.first - wide.first) * layer);
      values.emplace_back(
          begin, begin + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(std::max(0, layers.count())) * layer));
    }
  }
  return values;
}

void fill_outwards(std::vector<float>& values, const solver::Lattice& lattice, std::int32_t layers, int passes) {
  const auto columns = static_cast<std::size_t>(lattice.count[0]), layer = lattice.points_of_layer();
  const std::array<std::size_t, 3> steps{1, columns, layer};
  for (int pass = 0; pass < passes; ++pass) {
    const std::vector<float> before = values;
    parallel_for(layers, [&](std::int64_t z) {
      std::size_t k = static_cast<std::size_t>(z) * layer;
      for (std::int32_t y = 0; y < lattice.count[1]; ++y)
        for (std::int32_t x = 0; x < lattice.count[0]; ++x, ++k) {
          if (std::isfinite(before[k])) continue;
          const Int3 point{x, y, static_cast<std::int32_t>(z)}, count{lattice.count[0], lattice.count[1], layers};
          float sum = 0;
          int known = 0;
          for (std::size_t a = 0; a < 3; ++a)
            for (const int sign : {-1, 1}) {
              if (sign < 0 ? point[a] == 0 : point[a] + 1 == count[a]) continue;
              const float value = sign < 0 ? before[k - steps[a]] : before[k + steps[a]];
              if (std::isfinite(value)) sum += value, ++known;
            }
          if (known > 0) values[k] = sum / static_cast<float>(known);
        }
    });
  }
}

}  // namespace eddyline::observe
