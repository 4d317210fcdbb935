#pragma once
// The interface between a term outside the package and the core.

#include <cstdint>
#include <span>

#include "physics/terms/pair_input.hpp"

namespace eddyline::physics::terms {

/// The forces and accelerations of one module, with the parameters of a world.
class ModuleTerms {
 public:
  ModuleTerms() = default;
  ModuleTerms(const ModuleTerms&) = delete;
  ModuleTerms& operator=(const ModuleTerms&) = delete;
  virtual ~ModuleTerms() = default;

  virtual bool acts_on_pairs() const = 0;
  virtual bool acts_on_particles() const = 0;
  /// Subtracts the accelerations by forces of pairs from out[d], see PairInput.
  virtual void sweep(const PairInput<float>& in, float* const* out, std::int64_t first_chunk,
                     std::int64_t last_chunk) const = 0;
  virtual void sweep(const PairInput<double>& in, double* const* out, std::int64_t first_chunk,
                     std::int64_t last_chunk) const = 0;
  /// Adds accelerations of `count` particles to out[d]. values: x, y, z [m], unused, vx, vy, vz [m/s], rho [kg/m^3], p
  /// [Pa], as in particle_variables(); null where all are 0.
  virtual void accelerate(int count, double time, const double* const* values, double* const* out) const = 0;
  /// Force on particle i of one pair, with values as in pair_variables(); force: an axis each [N; 2D N/m].
  virtual void force_of_pair(std::span<const double> values, std::span<double> force) const = 0;
  /// Acceleration of one particle, with values as in particle_variables() [m/s^2].
  virtual void acceleration_of(std::span<const double> values, std::span<double> acceleration) const = 0;
};

}  // namespace eddyline::physics::terms
