#pragma once
// The cells of a level on one process: fields of pieces, ghosts and boundary faces.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/arrays.hpp"
#include "base/vec.hpp"
#include "solvers/multiblock/equations.hpp"
#include "solvers/multiblock/pieces.hpp"

namespace eddyline::multiblock {

/// Places of cells in the arrays of a piece: two layers of ghosts, i fastest, rows padded so that packs may read beyond
/// their end.
struct Extents {
  explicit Extents(Int3 count, int dimensions);

  Int3 cells;
  std::array<std::ptrdiff_t, 3> stride{1, 0, 0};
  std::ptrdiff_t origin = 0;  // of the first cell
  std::size_t size = 0;

  std::ptrdiff_t at(std::int32_t i, std::int32_t j, std::int32_t k = 0) const {
    return origin + i + stride[1] * j + stride[2] * k;
  }
  std::ptrdiff_t at(Int3 cell) const { return at(cell[0], cell[1], cell[2]); }
};

/// The linear system for the change of a field in an implicit step: diagonal * change is the rate, plus coefficients of
/// neighbours times their changes.
template <int D>
struct ImplicitSystem {
  Array<double> rate, diagonal;
  std::array<std::array<Array<double>, 2>, D> neighbor;  // coefficients, below and above along each index
  Array<double> change, change_before;
};

/// Fields of the turbulence model. Empty without one.
template <int D>
struct TurbulenceFields : ImplicitSystem<D> {
  Array<double> eddy;                  // eddy viscosity mu_t [Pa s]
  Array<double> nu;                    // finest level, as all below: nu~ [m^2/s]
  Array<double> before, before_that;   // nu~ of the last two time steps
  Array<double> laminar, diffusivity;  // mu / rho, and k of the model
  Array<double> distance;              // from the nearest wall [m]
};

/// Fields of the cells of one piece on one level. A field of faces has at cell c the face between c and the cell before
/// it. Corners of ghosts are never read.
template <class E>
struct PieceFields {
  static constexpr int D = E::k_dimensions;
  static constexpr std::size_t k_unknowns = E::k_unknowns;
  using Unknowns = std::array<Array<double>, k_unknowns>;

  PieceFields(std::int32_t piece, Int3 cells, bool finest, bool smooths);

  std::int32_t piece;  // in Pieces::all()
  Extents extents;
  Unknowns state;                      // see the equations
  Unknowns primitive;                  // gas: p, u, p / rho, also of ghosts; empty for incompressible flow
  Unknowns stage;                      // the state at the start of a Runge-Kutta cycle
  Unknowns residual, dissipation;      // of a whole cell
  Unknowns forcing;                    // coarse levels: what multigrid adds to the residual
  Unknowns restricted;                 // coarse levels: the state as it came from the finer level
  Unknowns before, before_that;        // finest level: states of the last two time steps
  Unknowns smoothed, smoothed_before;  // with sweeps: changes of a stage and a sweep before
  std::array<Array<double>, E::k_dimensions> spread;  // with sweeps: coefficients of smoothing along each index
  Array<double> volume, per_volume, local_step;
  std::array<Array<double>, D> radius;               // spectral radii along each index, with their stretching
  std::array<std::array<Array<double>, D>, D> face;  // face vectors across each index [m^(D-1)]
  std::array<Array<double>, D> center;               // finest level: [m]
  std::array<std::array<Array<double>, D>, k_unknowns> gradient;  // finest level: of values()
  std::array<Array<double>, D> force;  // finest level: acceleration [m/s^2]; empty without any
  TurbulenceFields<D> turbulence;

  bool is_turbulent() const { return turbulence.eddy.size() > 0; }
  /// Pressure (of incompressible flow over the density), velocity, and what else friction acts on.
  const Unknowns& values() const { return E::k_is_gas ? primitive : state; }
};

inline constexpr std::int32_t k_no_owner = std::numeric_limits<std::int32_t>::min();

/// Rule for the ghosts beyond a boundary.
enum class Condition : std::int8_t {
  wall,     // no slip; the wall may move in its own plane
  slip,     // no friction, no flow through it: also symmetry
  inflow,   // imposed velocity
  outflow,  // imposed pressure
  stream    // far field: imposed velocity where it enters, imposed pressure where it leaves
};

/// A face of a cell on a boundary of the mesh.
struct BoundaryFace {
  std::int32_t piece = 0;                                          // among those of this process
  std::int32_t cell = 0, second = 0, ghost = 0, second_ghost = 0;  // places in arrays, from the face inwards, outwards
  int axis = 0, end = 0;
  Condition condition = Condition::wall;
  std::int32_t owner = k_no_owner;  // of its force: a body, or -1 - side
  std::int32_t source = 0;          // in Boundaries
  Vec3 normal, center;              // unit vector out of the mesh [1], [m]
  double area = 0;                  // [m^(D-1)]
  Vec3 velocity;                    // imposed now [m/s]
  double pressure = 0;              // imposed now, of incompressible flow over the density [m^2/s^2]
  double density = 0;               // gas: imposed where it enters [kg/m^3]

  /// Tells whether the imposed velocity enters the mesh.
  bool enters() const { return dot(velocity, normal) < 0; }
  bool is_solid() const { return condition == Condition::wall || condition == Condition::slip; }
  /// Tells whether the fluid sticks to a wall at rest here.
  bool is_at_rest() const { return condition == Condition::wall && norm(velocity) == 0; }
};

}  // namespace eddyline::multiblock
