#pragma once
// The scheme `classic` as sweeps over pairs. Each sweep sums several terms, works on whole chunks and is compiled for
// every instruction set (flavours/). The terms themselves are in sph/ and walls/.

#include <array>
#include <cstdint>
#include <string>

#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/inflow/moving_least_squares.hpp"

namespace eddyline::physics::classic {

/// Number of values in each row of pair data.
template <int D>
inline constexpr int k_fluid_width = 2 * D + 4;  // x v m rho p c
template <int D>
inline constexpr int k_wall_width = 3 * D + 5;  // x p m v_mirror v no_slip rho c

/// Terms that a world switches on or off. One sweep is compiled for each combination. A gas has conductivity, and its
/// sums are weighted by volume, because its particles may differ in mass.
struct Terms {
  bool laminar_viscosity = false;
  bool gas = false;
  bool xsph = false;

  static constexpr std::size_t k_choices = 8;
  constexpr std::size_t index() const { return (laminar_viscosity ? 1u : 0u) + (gas ? 2u : 0u) + (xsph ? 4u : 0u); }
  static constexpr Terms at(std::size_t index) { return {(index & 1u) != 0, (index & 2u) != 0, (index & 4u) != 0}; }
};

/// Results of the sweeps, one array for each value, without the kernel's constant; each has room for whole chunks.
template <class T, int D>
struct RateResults {
  T* density;   // sum m F (v_ij . r_ij): minus the rate of rho
  T* heating;   // sum of the thermal energy's terms: minus the rate of u
  T* force[D];  // sum m F (p_i/rho_i^2 + p_j/rho_j^2 + Pi_ij) r, by volume in a gas
  T* drift[D];  // sum (m / rho) w (v_i - v_j), with the term XSPH only
  T* spread;    // sum (m / rho) F r^2
  T* closing;   // the largest -mu_ij
};
template <class T, int D>
struct WallResults {  // the results of the first chunk come first
  T* weight;
  T* pressure;
  T* density;
  T* lever[D];
  T* velocity[D];
};
template <class T, int D>
struct ReactionResults {  // on a wall's particle
  T* pressure[D];
  T* viscous[D];
};

/// Input of all sweeps. Rows end with a sentinel of density one without mass.
template <class T>
struct SweepInput {
  neighbors::RowParts<const T> fluid, walls, nodes;
  neighbors::Targets targets;  // the particles for which sums are computed
  const neighbors::Chunk* fluid_neighbors = nullptr;
  const neighbors::Chunk* wall_neighbors = nullptr;  // of fluid particles only
  T scale = 0;                                       // quantum / R
  T alpha = 0, beta = 0;                             // artificial viscosity
  T nu = 0;                                          // laminar viscosity: 2 (D + 2) nu / (c0 R)
  T conductivity = 0;                                // alpha_u / (gamma - 1)
  T min_pressure_at_walls = 0;  // lower limit of the fluid's pressure in pairs with walls: 0 with a free surface
};

/// The sweeps of one precision and dimension, compiled for one instruction set.
template <class T, int D>
struct Sweeps {
  /// Rates of density, velocity and thermal energy at the midpoint of the step, indexed by Terms::index().
  using Rates = void (*)(const SweepInput<T>&, const RateResults<T, D>&, std::int64_t first_chunk,
                         std::int64_t last_chunk);
  std::array<Rates, Terms::k_choices> rates;
  /// Sums of wall particles over the fluid: extrapolated pressure, density and velocity.
  void (*walls)(const SweepInput<T>&, const WallResults<T, D>&, std::int64_t first_chunk, std::int64_t last_chunk);
  /// Sums of the nodes of openings over the fluid: a linear fit to pressure and velocity.
  void (*nodes)(const SweepInput<T>&, const NodeResults<T, D>&, std::int64_t first_chunk, std::int64_t last_chunk);
  /// Reaction of the forces of `rates` on each wall particle.
  using Reaction = void (*)(const SweepInput<T>&, const ReactionResults<T, D>&, std::int64_t first_chunk,
                            std::int64_t last_chunk);
  Reaction reaction_of_liquid, reaction_of_gas;
  /// Benchmark variants that measure the arithmetic alone: all lanes use the neighbours of the first lane, so that
  /// nothing is transposed. The liquid has laminar viscosity, the gas has none.
  Rates arithmetic_liquid, arithmetic_gas;
};

template <class T, int D>
Sweeps<T, D> sweeps_scalar();
template <class T, int D>
Sweeps<T, D> sweeps_avx2();
template <class T, int D>
Sweeps<T, D> sweeps_avx512();

/// Returns the sweeps for an instruction set, named as in instruction_sets(); double precision uses the scalar ones.
template <class T, int D>
Sweeps<T, D> choose_sweeps(const std::string& instructions);

}  // namespace eddyline::physics::classic
