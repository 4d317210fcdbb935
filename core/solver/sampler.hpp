#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/vec.hpp"
#include "solver/column.hpp"
#include "solver/lattice.hpp"
#include "solver/plane.hpp"

namespace eddyline::solver {

/// Pixels of a plane that show something.
struct Raster {
  std::vector<std::uint8_t>
      known;                  // whether a pixel has a value, a bit each, row by row, the first of eight the highest
  std::vector<float> values;  // of the known pixels
};

/// Largest number of a solver's quantities that pictures can show.
inline constexpr std::size_t k_most_quantities = 128;

/// Reads a solver's fields at points. All functions are collective, and results are the same for any number of ranks
/// and threads.
class Sampler {
 public:
  Sampler() = default;
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  virtual ~Sampler() = default;

  /// Quantities that pictures can show.
  virtual std::span<const Column> quantities() const = 0;
  /// One raster for each quantity, by its number; row 0 is the lowest. A cover, 0 to 1, is how much of a pixel is
  /// fluid.
  virtual std::vector<Raster> rasters(std::span<const std::int32_t> quantities, const Plane& plane) = 0;
  /// Quantities that the solver computes on lattices in a way of its own. A quantity "fluid" is 1 in the fluid and 0
  /// outside: its surface at one half is that of the fluid. All of quantities() are available on lattices as well, as
  /// stacks of rasters.
  virtual std::span<const Column> lattice_quantities() const { return {}; }
  /// Values of one of these at the points of some layers, which may differ from rank to rank. NaN: no value.
  virtual std::vector<float> lattice(std::int32_t /*quantity*/, const Lattice& /*lattice*/, Layers /*layers*/) {
    return {};
  }
  /// Columns that probes record.
  virtual std::span<const Column> probe_columns() const = 0;
  /// Values of probe_columns() at each point, point by point. SI units.
  virtual std::vector<double> at(std::span<const Vec3> points) = 0;
  /// Height of the free surface above x along an axis [m]; 0 where there is no fluid.
  virtual double height(Vec3 x, int axis) = 0;
  /// Largest coordinate of the fluid along an axis [m], without single particles.
  virtual double front(int axis) = 0;
};

}  // namespace eddyline::solver
