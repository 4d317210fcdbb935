#pragma once

#include <span>

#include "domain/external_forcing.hpp"
#include "physics/modules/load_terms.hpp"
#include "physics/terms/sweep.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/inactive_walls.hpp"
#include "solvers/sph/step/moving_walls.hpp"

namespace eddyline::sph {

using domain::ExternalForcing;

/// The sums over pairs of the scheme delta. Which terms they hold is stated in physics/delta/sweeps.hpp.
template <class T, int D>
class DeltaSums {
 public:
  DeltaSums(Parts<T, D>& parts, const MovingWalls<T, D>& moving_walls, const ExternalForcing<D>& forcing)
      : state_(parts.state),
        scratch_(parts.scratch),
        domain_(parts.domain),
        lists_(parts.lists),
        moving_walls_(moving_walls),
        forcing_(forcing),
        sweeps_(physics::delta::choose_sweeps<T, D>(parts.domain.execution().instructions)),
        sweeps_with_terms_(physics::terms::choose_sweeps<T, D>(parts.domain.execution().instructions)),
        instructions_(parts.domain.execution().instructions) {
    find_terms();
  }

  /// Continuity, density diffusion and viscosity at the midpoint, and terms of pairs that the world states.
  void sum_rates(std::span<const Block> blocks);
  /// Pressure and mirrored velocity of dummy particles from the fluid around them, at time t, and their rows (Adami).
  void extrapolate_to_walls(double t);
  /// Pressure, shifting, volume fraction and free surface at the end of the step.
  void sum_forces(std::span<const Block> blocks);
  /// Reactions of walls to the fluid: viscous ones at the midpoint, pressure at the end of the step.
  void sum_viscous_reactions();
  void sum_pressure_reactions();

  /// Terms of pairs that the world states, and their input in this step.
  const physics::terms::PairProgram& pair_terms() const { return pair_terms_; }
  physics::terms::SweepInput<T> input_of_terms() const;

  /// Makes the next step compute all walls, after the world has changed.
  void world_changed() {
    inactive_walls_.forget();
    find_terms();
  }

 private:
  /// Reads the terms of pairs that the world states.
  void find_terms();
  bool has_terms() const { return pair_terms_.acts() || !module_terms_.empty(); }
  physics::delta::SweepInput<T> input_of_fluid() const;
  physics::delta::SweepInput<T> input_of_walls(const neighbors::Chunk* fluid_neighbors) const;

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  const MovingWalls<T, D>& moving_walls_;
  const ExternalForcing<D>& forcing_;
  physics::delta::Sweeps<T, D> sweeps_;  // compiled for the instruction set of the run
  physics::terms::Sweeps<T, D> sweeps_with_terms_;
  physics::terms::PairProgram pair_terms_;
  std::string instructions_;
  std::vector<std::unique_ptr<physics::terms::ModuleTerms>> module_terms_;
  InactiveWalls inactive_walls_;
};

}  // namespace eddyline::sph
