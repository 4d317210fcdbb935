#pragma once
// Terms that a world states as formulas: forces between pairs of fluid particles, and accelerations of single ones.

#include <map>
#include <string>
#include <vector>

#include "physics/terms/program.hpp"
#include "physics/terms/variables.hpp"
#include "world/world.hpp"

namespace eddyline::physics::terms {

enum class Kind {
  central,   // the force of particle j on i along r_i - r_j, one formula [N; 2D N/m]
  vector,    // the same as a vector, a formula for each axis
  particle,  // the acceleration of a particle, a formula for each axis [m/s^2]
  module,    // whatever a module outside the package says
};

/// Names and rates of the variables of formulas of pairs, in the order of Of.
const std::vector<Variable>& pair_variables();

/// Those of the formulas of single particles, in the order of OfParticle.
const std::vector<Variable>& particle_variables();

/// One term as World::options have it, with NN from 00 in the order of the world file: formulas under
/// "terms.NN.KIND.AXIS"; or the library of a module under "terms.NN.module" and its parameters under
/// "terms.NN.parameters.NAME".
struct Term {
  int number = 0;
  Kind kind = Kind::central;
  std::vector<std::string> formulas;  // "0" for axes that have none
  std::string library;
  std::map<std::string, world::OptionValue> parameters;
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
