#pragma once
// Implicit steps on the finest level: a linear system for the changes of a field that the flow carries.

#include <cmath>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>

#include "base/block_sum.hpp"
#include "base/pack.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/collectives.hpp"
#include "solvers/multiblock/level.hpp"

namespace eddyline::multiblock {

/// Root mean square of the rates of all cells, in units of `unit`. `system(piece)`: the ImplicitSystem of a piece.
/// Collective.
template <class E, class System>
double mean_rate(comm::Communicator& communicator, Level<E>& level, double unit, double cells, System&& system) {
  ReproducibleSum total;
  std::mutex adding;
  level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    ReproducibleSum own;
    BlockSum::Numbers block;
    for (std::int32_t n = 0; n < count;) {
      std::size_t size = 0;
      for (; n < count && size < BlockSum::k_most; ++n) {
        const auto c = static_cast<std::size_t>(first + n);
        const double rate = system(piece).rate[c] * piece.per_volume[c] / unit;
        block[size++] = rate * rate;
      }
      BlockSum::add(own, block, size);
    }
    const std::scoped_lock lock(adding);
    total.merge(own);
  });
  comm::sum(communicator, std::span(&total, 1), "residual");
  return std::sqrt(total.value() / cells);
}

/// Sets the changes of all cells by Jacobi sweeps from 0. `system(piece)`: the ImplicitSystem of a piece;
/// `beyond(face, number, inner)`: the change beyond a face of the boundary, from its number in the level and the change
/// of its cell. Collective.
template <class E, class System, class Beyond>
void solve_implicit(Level<E>& level, int sweeps, System&& system, Beyond&& beyond) {
  using S = Pack4d;
  level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    auto& own = system(piece);
    for (std::ptrdiff_t c = first; c < first + count; c += S::width)
      (S::load(own.rate.data() + c) / S::load(own.diagonal.data() + c)).store(own.change.data() + c);
  });
  for (int sweep = 1; sweep < sweeps; ++sweep) {
    for (PieceFields<E>& piece : level.pieces) std::swap(system(piece).change, system(piece).change_before);
    level.ghosts.fetch(1, Ghosts::Layers::near, [&](std::int32_t piece, int, int) {
      return system(level.pieces[static_cast<std::size_t>(piece)]).change_before.data();
    });
    for (std::size_t number = 0; number < level.faces.size(); ++number) {
      const BoundaryFace& face = level.faces[number];
      auto& change = system(level.pieces[static_cast<std::size_t>(face.piece)]).change_before;
      change[static_cast<std::size_t>(face.ghost)] = beyond(face, number, change[static_cast<std::size_t>(face.cell)]);
    }
    level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
      auto& own = system(piece);
      for (std::ptrdiff_t c = first; c < first + count; c += S::width) {
        const double* before = own.change_before.data() + c;
        S sum = S::load(own.rate.data() + c);
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(E::k_dimensions); ++axis) {
          const std::ptrdiff_t stride = piece.extents.stride[axis];
          sum = sum + (S::load(own.neighbor[axis][0].data() + c) * S::load(before - stride) +
                       S::load(own.neighbor[axis][1].data() + c) * S::load(before + stride));
        }
        (sum / S::load(own.diagonal.data() + c)).store(own.change.data() + c);
      }
    });
  }
}

}  // namespace eddyline::multiblock
