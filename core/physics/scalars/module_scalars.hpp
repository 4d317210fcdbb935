#pragma once
// The interface between scalars outside the package and the core.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/scalars/model.hpp"

namespace eddyline::physics::scalars {

/// Largest number of scalars of a module.
inline constexpr std::size_t k_most = 16;

/// A row of cells: values of one after the other. Arrays may be read, and results written, up to three cells beyond it.
struct Row {
  std::span<const double* const> x, u;  // an axis each
  const double* pressure = nullptr;     // over the density [m^2/s^2]
  double density = 1, time = 0;
  std::span<const double* const> values;  // a scalar each
};

/// The scalars of one module, with the parameters of a world.
class ModuleScalars {
 public:
  ModuleScalars() = default;
  ModuleScalars(const ModuleScalars&) = delete;
  ModuleScalars& operator=(const ModuleScalars&) = delete;
  virtual ~ModuleScalars() = default;

  virtual std::vector<Scalar> scalars() const = 0;
  virtual bool has_sources() const = 0;
  /// Sets the sources and losses of `count` cells, an array for each scalar.
  virtual void sources(const Row& row, std::int32_t count, std::span<double* const> sources,
                       std::span<double* const> losses) const = 0;
};

}  // namespace eddyline::physics::scalars
