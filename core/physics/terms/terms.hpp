#pragma once
// Terms that a world states as formulas: forces between pairs of fluid particles, and accelerations of single ones.

#include <cstdint>
#include <string>
#include <vector>

#include "physics/terms/program.hpp"
#include "world/world.hpp"

namespace eddyline::physics::terms {

enum class Kind {
  central,   // the force of particle j on i along r_i - r_j, one formula [N; 2D N/m]
  vector,    // the same as a vector, a formula for each axis
  particle,  // the acceleration of a particle, a formula for each axis [m/s^2]
};

/// Variables of the formulas of pairs, in SI units; numbers in Program::register_of().
enum class Of : std::uint8_t {
  // clang-format off
  t,
  rho_i, p_i, m_i, V_i, vx_i, vy_i, vz_i,
  r, q, W, dW, rx, ry, rz, vx, vy, vz, vr, x, y, z,
  rho_j, p_j, m_j, V_j, vx_j, vy_j, vz_j
  // clang-format on
};
/// Their names and rates, in this order.
const std::vector<Variable>& pair_variables();

/// Variables of the formulas of single particles: x, y, z, t, vx, vy, vz, rho, p.
inline constexpr std::size_t k_particle_variables = 9, k_particle_time = 3;
const std::vector<Variable>& particle_variables();

/// One term as World::options have it, under "terms.NN.KIND.AXIS", with NN from 00 in the order of the world file.
struct Term {
  int number = 0;
  Kind kind = Kind::central;
  std::vector<std::string> formulas;  // "0" for axes that have none
};
/// The terms of a world. Throws UserError for options that state none.
std::vector<Term> terms_of(const world::World& world);

/// All terms of pairs as one program. Outputs: the sum of the central ones if there are any, then those of the axes if
/// there are vectors.
struct PairProgram {
  Program program;
  bool central = false, vector = false;

  PairProgram() = default;
  PairProgram(const std::vector<Term>& terms, int dimensions);
  bool acts() const { return central || vector; }
};

/// All terms of single particles as one program, an output for each axis.
struct ParticleProgram {
  Program program;
  bool acts = false;

  ParticleProgram() = default;
  ParticleProgram(const std::vector<Term>& terms, int dimensions);
  /// Computes accelerations of `count` particles, at most k_lanes. values[v]: those of variable v, null if all are
  /// 0; out[d]: accelerations along axis d, to which those of the terms are added.
  void add(int count, double time, const double* const* values, int dimensions, double* const* out) const;
};

}  // namespace eddyline::physics::terms
