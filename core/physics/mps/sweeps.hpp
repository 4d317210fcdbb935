#pragma once
// Sweeps of the solver mps: sums over the neighbours of each particle, see weights.hpp. Lengths in rows and sums are in
// units of R, velocities in m/s, pressures divided by the density [m^2/s^2], volumes in units of a lattice cell.

#include <cstdint>
#include <string>

#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/mps/matrix.hpp"
#include "physics/mps/weights.hpp"

namespace eddyline::physics::mps {

/// Columns of a fluid row; places (fixed point) come first.
template <int D>
struct FluidColumns {
  static constexpr int k_velocity = D;
  static constexpr int k_pressure = 2 * D;
  static constexpr int k_share = 2 * D + 1;  // 1, or 0 for a particle that takes no part
  static constexpr int k_width = 2 * D + 2;
};

/// Columns of a wall row.
template <int D>
struct WallColumns {
  static constexpr int k_volume = D;
  static constexpr int k_velocity = D + 1;
  static constexpr int k_mirrored = 2 * D + 1;  // the velocity that friction uses
  static constexpr int k_drive = 3 * D + 1;     // R times the acceleration that drives the fluid, relative to the wall
  static constexpr int k_no_slip = 4 * D + 1;   // 1 if the fluid sticks to it, else 0
  static constexpr int k_width = 4 * D + 2;
};

template <int D>
inline constexpr int k_moments = D * (D + 1) / 2;  // xx yy xy, or xx yy zz xy xz yz

struct Input {
  neighbors::RowParts<const float> fluid, walls;
  neighbors::Targets targets;
  const neighbors::Chunk* fluid_neighbors = nullptr;
  const neighbors::Chunk* wall_neighbors = nullptr;
  float scale = 0;                // quantum / R
  float cut = 1;                  // see Factors
  float least_wall_pressure = 0;  // of walls at which the pressure is never negative, else the lowest
};

/// Sums of the neighbourhood, without their constant factors.
template <int D>
struct Neighborhoods {
  float* density;  // sum N, without the particle itself
  float* laplacian;
  float* concentration[D];      // sum B r_ji
  float* moment[k_moments<D>];  // sum B r_ji r_ji
  float* viscous[D];            // sum B (u_ji . r_ji) r_ji / r^2, or sum A u_ji
};

template <int D>
struct Equation {
  float* divergence;  // sum S u_ji . r_ji
  float* walls;       // sum over walls A g . r_wi
  Matrix matrix;      // of A, with the shares of both particles
};

template <int D>
struct Gradient {
  float* sum[D];  // sum B (p_i + p_j) r_ji, or sum B (p_j - p_i) r_ji
  float* lowest;  // the lowest pressure around the particle, its own included; differences only
};

/// Means of the fluid around a wall particle: sums with the weights B.
template <int D>
struct WallMeans {
  float* weight;
  float* velocity[D];
  float* pressure;  // of p_i + g . r_wi
};

template <int D>
struct Reactions {
  float* pressure[D];  // sum B (p_i + p_w) r_wi
  float* viscous[D];   // as Neighborhoods::viscous, of the wall with the mirrored velocity
};

/// Sweeps over the chunks [first, last).
template <int D>
struct Sweeps {
  template <class Out>
  using Sweep = void (*)(const Input& in, const Out& out, std::int64_t first, std::int64_t last);

  Sweep<Neighborhoods<D>> neighborhoods;            // without viscosity
  Sweep<Neighborhoods<D>> neighborhoods_central;    // viscous forces along the pairs' lines
  Sweep<Neighborhoods<D>> neighborhoods_laplacian;  // viscous forces along velocity differences
  Sweep<Equation<D>> equation;
  Sweep<Gradient<D>> gradient_of_sums, gradient_of_differences;
  Sweep<WallMeans<D>> walls;
  Sweep<Reactions<D>> reactions_central, reactions_laplacian;
};

template <int D>
Sweeps<D> sweeps_scalar(Weights weights);
template <int D>
Sweeps<D> sweeps_avx2(Weights weights);
template <int D>
Sweeps<D> sweeps_avx512(Weights weights);
/// `instructions`: as instruction_sets() names them.
template <int D>
Sweeps<D> choose_sweeps(const std::string& instructions, Weights weights);

}  // namespace eddyline::physics::mps
