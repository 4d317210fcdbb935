#pragma once
// The scheme `delta` as sweeps over pairs. Each sweep sums several terms, works on whole chunks and is compiled for
// every instruction set (flavours/). The terms themselves are in sph/ and walls/.

#include <cstdint>
#include <string>

#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/inflow/moving_least_squares.hpp"

namespace eddyline::physics::delta {

/// Number of values in each row of pair data.
template <int D>
inline constexpr int k_midpoint_width =
    3 * D + 2;  // x v s V G/2; in confined flows G/2 and w share one value, half each
template <int D>
inline constexpr int k_end_width = 2 * D + 2;  // x p V v
template <int D>
inline constexpr int k_wall_width = 3 * D + 3;  // x p V v_mirror v no_slip
template <int D>
inline constexpr int k_node_width = D;  // x

/// Results of the sweeps, one array for each value; each has room for whole chunks.
template <class T, int D>
struct RateResults {  // per unit c0/R, without the kernel's constant
  T* divergence;      // sum V F (v_ij . r_ij)
  T* diffusion;       // sum V F [s_j - s_i + ...]
  T* viscous[D];      // fluid and wall terms, weighted by nu_fluid and nu_wall, by the density rho_i
  T* dissipation;     // with a free surface: sum V F (v_ij . r_ij)^2 / R^2
};
template <class T, int D>
struct ForceResults {
  T* pressure[D];         // sum V F (p_i + p_j) r
  T* shift[D];            // limited at the free surface
  std::uint8_t* surface;  // a Surrounding
  T* volume_fraction;     // sum V rho W of the neighbours, unless null
};
template <class T, int D>
struct WallResults {  // the results of the first chunk come first
  T* weight;
  T* pressure;
  T* lever[D];
  T* velocity[D];
};
template <class T, int D>
struct ReactionResults {  // on a wall's particle, without the kernel's constant
  T* force[D];
};

/// Input of all sweeps. Rows end with a sentinel without volume.
template <class T>
struct SweepInput {
  neighbors::RowParts<const T> midpoint_fluid, end_fluid, walls, nodes;
  neighbors::Targets targets;  // the particles for which sums are computed
  const neighbors::Chunk* fluid_neighbors = nullptr;
  const neighbors::Chunk* wall_neighbors = nullptr;  // of fluid particles only
  std::int32_t prefetch_distance = 0;                // see neighbors::prefetch_distance()
  T scale = 0;                                       // quantum / R
  T kernel_constant = 0;                             // 20 sigma dx^D / R^D: sums with F become sums with grad W
  T crowding = 0;                                    // 0.2 / W(dx)^4, W without constants
  T nu_fluid = 0;   // between fluid particles: 2 nu_eff / (c0 R), with the central form (D + 2) C times as much
  T nu_wall = 0;    // the same with nu, at no-slip walls
  T diffusion = 0;  // delta of the density diffusion
  T per_step = 0;   // 1 / (dt c0/R K): turns a density change per step into a sum without the kernel's constant
  T min_pressure_at_walls = 0;  // lower limit of the fluid's pressure in pairs with walls: 0 with a free surface
};

/// Viscosity, between fluid particles and at no-slip walls.
enum class FluidViscosity {
  morris,   // exact on any arrangement: for flows without a free surface
  central,  // conserves angular momentum: for free surfaces, because Morris' form damps their waves too little
};

/// The sweeps of one precision and dimension, compiled for one instruction set.
template <class T, int D>
struct Sweeps {
  using Rates = void (*)(const SweepInput<T>&, const RateResults<T, D>&, std::int64_t first_chunk,
                         std::int64_t last_chunk);
  /// Rates at the midpoint of the step: continuity, density diffusion, viscosity. Confined flows use Morris' viscosity
  /// and add the velocity transported by shifting; flows with a free surface add the dissipation by shear.
  Rates rates_morris, rates_central;
  using Forces = void (*)(const SweepInput<T>&, const ForceResults<T, D>&, std::int64_t first_chunk,
                          std::int64_t last_chunk);
  /// Forces at the end of the step: pressure force, shifting, volume fraction and, unless the flow is confined, the
  /// detection of the free surface.
  Forces forces_confined, forces_free_surface;
  /// Sums of wall particles over the fluid: extrapolated pressure and velocity.
  void (*walls)(const SweepInput<T>&, const WallResults<T, D>&, std::int64_t first_chunk, std::int64_t last_chunk);
  /// Sums of the nodes of openings over the fluid: a linear fit to pressure and velocity.
  void (*nodes)(const SweepInput<T>&, const NodeResults<T, D>&, std::int64_t first_chunk, std::int64_t last_chunk);
  using Reactions = void (*)(const SweepInput<T>&, const ReactionResults<T, D>&, std::int64_t first_chunk,
                             std::int64_t last_chunk);
  /// Reaction of the viscous force at no-slip walls on each wall particle, at the midpoint of the step.
  Reactions viscous_reaction_confined, viscous_reaction_free_surface;
  /// Reaction of the pressure force on each wall particle, at the end of the step.
  Reactions pressure_reaction;
  /// Benchmark variants that measure the arithmetic alone: all lanes use the neighbours of the first lane, so that
  /// nothing is transposed.
  struct Arithmetic {
    Rates rates;
    Forces forces;
  } arithmetic_confined, arithmetic_free_surface;
};

template <class T, int D>
Sweeps<T, D> sweeps_scalar();
template <class T, int D>
Sweeps<T, D> sweeps_avx2();
/// has_fast_gather: true if the gather instructions of this processor are fast, see eddyline::has_fast_gather().
template <class T, int D>
Sweeps<T, D> sweeps_avx512(bool has_fast_gather);

/// Returns the sweeps for an instruction set, named as in instruction_sets(); double precision uses the scalar ones.
template <class T, int D>
Sweeps<T, D> choose_sweeps(const std::string& instructions);

}  // namespace eddyline::physics::delta
