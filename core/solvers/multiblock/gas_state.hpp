#pragma once
// The state of a gas: what follows from its unknowns, and its ghosts beyond boundaries.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/lanes.hpp"
#include "base/parallel_for.hpp"
#include "base/portable_math.hpp"
#include "physics/compressible/terms.hpp"
#include "solvers/multiblock/level.hpp"

namespace eddyline::multiblock {

/// A cell of a gas from its place in the arrays.
template <class S, int D>
EDDYLINE_INLINE physics::compressible::Cell<S, D> load_cell(const PieceFields<Gas<D>>& piece, std::ptrdiff_t at) {
  const auto read = [at](const Array<double>& field) {
    if constexpr (std::is_same_v<S, double>)
      return field[static_cast<std::size_t>(at)];
    else
      return S::load(field.data() + at);
  };
  physics::compressible::Cell<S, D> cell;
  cell.rho = read(piece.state[0]);
  cell.p = read(piece.primitive[0]);
  for (std::size_t d = 0; d < D; ++d) cell.u[d] = read(piece.primitive[1 + d]);
  cell.theta = read(piece.primitive[D + 1]);
  return cell;
}

/// A cell from its unknowns.
template <class S, std::size_t D>
EDDYLINE_INLINE physics::compressible::Cell<S, D> cell_of(const physics::compressible::Densities<S, D>& w,
                                                          S gamma_less_one) {
  physics::compressible::Cell<S, D> cell;
  const S per_rho = S(1) / w[0];
  S energy = w[D + 1];
  cell.rho = w[0];
  for (std::size_t d = 0; d < D; ++d) {
    cell.u[d] = w[1 + d] * per_rho;
    energy = energy - S(0.5) * (w[1 + d] * cell.u[d]);
  }
  cell.p = gamma_less_one * energy;
  cell.theta = cell.p * per_rho;
  return cell;
}

/// Sets pressure, velocity and p / rho of all cells, ghosts included.
template <int D>
void set_primitive(Level<Gas<D>>& level) {
  using S = Pack4d;
  constexpr std::size_t N = D + 2;
  constexpr std::ptrdiff_t k_part = 4096;
  const S less_one(level.gamma - 1);
  for (PieceFields<Gas<D>>& piece : level.pieces) {
    const auto size = static_cast<std::ptrdiff_t>(piece.extents.size) / S::width * S::width;
    parallel_for((size + k_part - 1) / k_part, [&](std::int64_t part) {
      for (std::ptrdiff_t c = part * k_part; c < std::min(size, (part + 1) * k_part); c += S::width) {
        physics::compressible::Densities<S, D> w;
        for (std::size_t v = 0; v < N; ++v) w[v] = S::load(piece.state[v].data() + c);
        const auto cell = cell_of<S, D>(w, less_one);
        cell.p.store(piece.primitive[0].data() + c);
        for (std::size_t d = 0; d < D; ++d) cell.u[d].store(piece.primitive[1 + d].data() + c);
        cell.theta.store(piece.primitive[D + 1].data() + c);
      }
    });
  }
}

/// The same of all ghosts alone.
template <int D>
void set_primitive_of_ghosts(Level<Gas<D>>& level) {
  const auto set = [&](std::int32_t number, std::int32_t place) {
    auto& piece = level.pieces[static_cast<std::size_t>(number)];
    const auto c = static_cast<std::size_t>(place);
    physics::compressible::Densities<double, D> w;
    for (std::size_t v = 0; v < w.size(); ++v) w[v] = piece.state[v][c];
    const auto cell = cell_of<double, D>(w, level.gamma - 1);
    piece.primitive[0][c] = cell.p;
    for (std::size_t d = 0; d < D; ++d) piece.primitive[1 + d][c] = cell.u[d];
    piece.primitive[D + 1][c] = cell.theta;
  };
  for (const Neighborhood& patch : level.ghosts.neighborhoods())
    for (const std::int32_t ghost : patch.ghosts) set(patch.to, ghost);
  for (const BoundaryFace& face : level.faces) {
    set(face.piece, face.ghost);
    if (level.is_finest()) set(face.piece, face.second_ghost);
  }
}

/// The far field beyond a face, by Riemann invariants along its normal.
template <std::size_t D>
physics::compressible::Cell<double, D> far_field(const BoundaryFace& face,
                                                 const physics::compressible::Cell<double, D>& inner, double gamma) {
  physics::compressible::Cell<double, D> outer = inner;
  double un = 0, stream = 0;
  for (std::size_t d = 0; d < D; ++d) {
    outer.u[d] = face.velocity[static_cast<int>(d)];
    un += inner.u[d] * face.normal[static_cast<int>(d)];
    stream += outer.u[d] * face.normal[static_cast<int>(d)];
  }
  outer.rho = face.density, outer.p = face.pressure, outer.theta = face.pressure / face.density;
  const double c = std::sqrt(gamma * inner.theta), c_outer = std::sqrt(gamma * outer.theta);
  if (stream <= -c_outer) return outer;
  if (un >= c) return inner;
  const double up = un + 2 * c / (gamma - 1), down = stream - 2 * c_outer / (gamma - 1);
  const double through = 0.5 * (up + down), sound = 0.25 * (gamma - 1) * (up - down);
  // Entropy and velocity along the face come from where the gas comes from.
  const bool leaves = through > 0;
  physics::compressible::Cell<double, D> edge = leaves ? inner : outer;
  const double ratio = sound / (leaves ? c : c_outer), more = through - (leaves ? un : stream);
  edge.rho *= portable::pow(ratio * ratio, 1 / (gamma - 1));
  edge.theta = sound * sound / gamma;
  edge.p = edge.rho * edge.theta;
  for (std::size_t d = 0; d < D; ++d) edge.u[d] += more * face.normal[static_cast<int>(d)];
  return edge;
}

/// The gas beyond a boundary, from that of a cell at the same distance on the inner side.
template <std::size_t D>
physics::compressible::Cell<double, D> beyond(const BoundaryFace& face, physics::compressible::Cell<double, D> cell,
                                              double gamma) {
  constexpr double k_least = 0.1;  // of a pressure at the start of a search
  const auto n = [&](std::size_t d) { return face.normal[static_cast<int>(d)]; };
  const auto imposed = [&](std::size_t d) { return face.velocity[static_cast<int>(d)]; };
  double un = 0;
  for (std::size_t d = 0; d < D; ++d) un += cell.u[d] * n(d);
  switch (face.condition) {
    case Condition::wall:
      for (std::size_t d = 0; d < D; ++d) cell.u[d] = 2 * imposed(d) - cell.u[d];
      break;
    case Condition::slip:
      for (std::size_t d = 0; d < D; ++d) cell.u[d] -= 2 * un * n(d);
      break;
    case Condition::inflow: {
      double through = 0;
      for (std::size_t d = 0; d < D; ++d) through -= imposed(d) * n(d), cell.u[d] = 2 * imposed(d) - cell.u[d];
      if (through * through >= gamma * face.pressure / face.density) {  // faster than sound: all is imposed
        cell.p = face.pressure;
        for (std::size_t d = 0; d < D; ++d) cell.u[d] = imposed(d);
      }
      cell.rho = face.density, cell.theta = cell.p / cell.rho;
      break;
    }
    case Condition::outflow:
      if (un * un >= gamma * cell.theta && un > 0) break;  // faster than sound: nothing is imposed
      cell.p = std::max(2 * face.pressure - cell.p, k_least * cell.p);
      cell.rho = cell.p / cell.theta;
      break;
    case Condition::stream: return far_field(face, cell, gamma);
  }
  return cell;
}

/// Sets the ghosts beyond boundaries, and what follows from the unknowns: of ghosts alone, or of all cells.
template <int D>
void fill_gas_boundaries(Level<Gas<D>>& level, bool of_ghosts_alone) {
  using Cell = physics::compressible::Cell<double, D>;
  constexpr std::size_t N = D + 2;
  const physics::compressible::Constants<double> gas(level.gamma);
  for (const BoundaryFace& face : level.faces) {
    auto& piece = level.pieces[static_cast<std::size_t>(face.piece)];
    const auto get = [&](std::int32_t place) {
      physics::compressible::Densities<double, D> w;
      for (std::size_t v = 0; v < N; ++v) w[v] = piece.state[v][static_cast<std::size_t>(place)];
      return cell_of<double, D>(w, gas.less_one);
    };
    const auto set = [&](std::int32_t place, const Cell& cell) {
      const auto w = physics::compressible::densities<double, D>(cell, gas);
      for (std::size_t v = 0; v < N; ++v) piece.state[v][static_cast<std::size_t>(place)] = w[v];
    };
    const Cell inner = get(face.cell);
    Cell ghost = beyond(face, inner, level.gamma);
    if (level.is_finest()) {
      const Cell second = get(face.second);
      set(face.second_ghost, beyond(face, second, level.gamma));
      if (face.is_solid()) {
        // The mean with the cell, the pressure at the face, continues the line through the two nearest cells.
        const auto cell = static_cast<std::size_t>(face.cell), behind = static_cast<std::size_t>(face.second);
        const double share = 2 * piece.volume[cell] / (piece.volume[cell] + piece.volume[behind]);
        const double more = std::clamp(share * (inner.p - second.p), -0.5 * inner.p, 0.5 * inner.p);
        ghost.p += more;
        if (face.condition == Condition::slip) ghost.theta *= 1 + more / (gas.ratio * inner.p);
        ghost.rho = ghost.p / ghost.theta;
      }
    }
    set(face.ghost, ghost);
  }
  of_ghosts_alone ? set_primitive_of_ghosts(level) : set_primitive(level);
}

/// The ghost of a correction of multigrid, from that of its cell.
template <std::size_t D>
std::array<double, D + 2> correction_beyond(const BoundaryFace& face, std::array<double, D + 2> change) {
  double through = 0;
  for (std::size_t d = 0; d < D; ++d) through += change[1 + d] * face.normal[static_cast<int>(d)];
  for (std::size_t d = 0; d < D; ++d) {
    if (face.condition == Condition::wall) change[1 + d] = -change[1 + d];
    if (face.condition == Condition::slip) change[1 + d] -= 2 * through * face.normal[static_cast<int>(d)];
  }
  if (face.condition == Condition::inflow || face.condition == Condition::stream) change.fill(0);
  return change;
}

/// Tells whether density and thermal energy of a cell stay between half and twice what they were.
template <std::size_t D>
bool is_small_change(const std::array<double, D + 2>& before, const std::array<double, D + 2>& after) {
  const auto thermal = [](const std::array<double, D + 2>& w) {
    double square = 0;
    for (std::size_t d = 0; d < D; ++d) square += w[1 + d] * w[1 + d];
    return w[D + 1] - 0.5 * square / w[0];
  };
  const double old = thermal(before), now = thermal(after);
  return after[0] > 0.5 * before[0] && after[0] < 2 * before[0] && now > 0.5 * old && now < 2 * old;
}

}  // namespace eddyline::multiblock
