#include "solvers/multiblock/multigrid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/collectives.hpp"

namespace eddyline::multiblock {

namespace {

struct Stage {
  double alpha, blend;  // share of the local step; share of new dissipation
};
constexpr std::array<Stage, 5> k_stages{{{0.25, 1}, {1.0 / 6, 0}, {0.375, 0.56}, {0.5, 0}, {1, 0.44}}};

/// Calls visit(cell of the coarse piece, place of its first child in the fine one) for each coarse cell.
template <int D, class Visit>
void for_each_parent(const PieceFields<D>& coarse, const PieceFields<D>& fine, Visit&& visit) {
  const Int3 cells = coarse.extents.cells;
  for (std::int32_t k = 0; k < cells[2]; ++k)
    for (std::int32_t j = 0; j < cells[1]; ++j)
      for (std::int32_t i = 0; i < cells[0]; ++i)
        visit(static_cast<std::size_t>(coarse.extents.at(i, j, k)), fine.extents.at(2 * i, 2 * j, D == 3 ? 2 * k : 0));
}

/// Distances from the first child of a cell to all, in lexicographic order.
template <int D>
std::array<std::ptrdiff_t, 1 << D> children(const Extents& fine) {
  std::array<std::ptrdiff_t, 1 << D> places{};
  for (std::size_t child = 0; child < places.size(); ++child)
    for (std::size_t d = 0; d < D; ++d)
      if ((child >> d & 1) != 0) places[child] += fine.stride[d];
  return places;
}

}  // namespace

template <int D>
Multigrid<D>::Multigrid(comm::Communicator& communicator, const Pieces& pieces, std::span<const std::int32_t> local,
                        const Boundaries& boundaries, const Scheme& scheme, bool w_cycle)
    : communicator_(communicator), residual_(scheme), w_cycle_(w_cycle), cells_(pieces.mesh().cells()) {
  comm::agree(communicator, "mesh", [&] {
    for (int level = 0; level < pieces.levels(); ++level)
      levels_.push_back(std::make_unique<Level<D>>(communicator, pieces, local, boundaries, level));
  });
  fill_metric_ghosts(finest());
  for (std::size_t level = 1; level < levels_.size(); ++level) coarsen_metrics(*levels_[level - 1], *levels_[level]);
}

template <int D>
void Multigrid<D>::impose(const Boundaries& boundaries, double t) {
  for (const auto& level : levels_) level->impose(boundaries, t);
}

template <int D>
void Multigrid<D>::run_stages(Level<D>& level, const TimeDerivative& time, double unit) {
  level.for_each_row([](PieceFields<D>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v <= D; ++v)
      std::copy_n(piece.state[v].data() + first, count, piece.stage[v].data() + first);
  });
  for (std::size_t stage = 0; stage < k_stages.size(); ++stage) {
    level.fill_ghosts();
    if (stage == 0) residual_.set_local_steps(level);
    if (k_stages[stage].blend > 0 && residual_.needs_gradients(level)) residual_.set_gradients(level);
    residual_.evaluate(level, k_stages[stage].blend, time, !level.is_finest());
    if (stage == 0 && unit > 0) squares_ = residual_.sum_of_squares(level, unit);
    residual_.update(level, k_stages[stage].alpha, time);
  }
}

template <int D>
void Multigrid<D>::whole_residual(Level<D>& level, const TimeDerivative& time, bool forced) {
  level.fill_ghosts();
  residual_.set_local_steps(level);
  if (residual_.needs_gradients(level)) residual_.set_gradients(level);
  residual_.evaluate(level, 1, time, forced);
}

template <int D>
double Multigrid<D>::cycle(const TimeDerivative& time, double unit) {
  visit(0, time, unit);
  comm::sum(communicator_, std::span(&squares_, 1), "residual");
  return std::sqrt(squares_.value() / static_cast<double>(cells_));
}

/// The state of a coarse cell is the mean of its children. Its forcing is what their residuals add up to, less what the
/// coarse level would find itself.
template <int D>
void Multigrid<D>::restrict_to(const Level<D>& fine, Level<D>& coarse, const TimeDerivative& time) {
  parallel_for(static_cast<std::int64_t>(coarse.pieces.size()), [&](std::int64_t p) {
    const PieceFields<D>& from = fine.pieces[static_cast<std::size_t>(p)];
    PieceFields<D>& to = coarse.pieces[static_cast<std::size_t>(p)];
    const auto places = children<D>(from.extents);
    for (std::size_t v = 0; v <= D; ++v)
      for_each_parent<D>(to, from, [&](std::size_t parent, std::ptrdiff_t first) {
        double state = 0, residual = 0;
        for (const std::ptrdiff_t place : places) {
          const auto child = static_cast<std::size_t>(first + place);
          state += from.state[v][child] * from.volume[child];
          residual += from.residual[v][child];
        }
        to.restricted[v][parent] = to.state[v][parent] = state / to.volume[parent];
        to.forcing[v][parent] = residual;
      });
  });
  whole_residual(coarse, time, false);
  coarse.for_each_row([](PieceFields<D>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v <= D; ++v)
      for (std::int32_t n = 0; n < count; ++n) {
        const auto c = static_cast<std::size_t>(first + n);
        piece.forcing[v][c] -= piece.residual[v][c];
      }
  });
}

/// Adds the change of the coarse state to the children, linear between cells that share a face:
///   c + sum over the directions of (c_neighbor - c) / 4.
template <int D>
void Multigrid<D>::prolong(Level<D>& coarse, Level<D>& fine) {
  constexpr std::size_t N = PieceFields<D>::k_unknowns;
  coarse.for_each_row([](PieceFields<D>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v <= D; ++v)
      for (std::int32_t n = 0; n < count; ++n) {
        const auto c = static_cast<std::size_t>(first + n);
        piece.residual[v][c] = piece.state[v][c] - piece.restricted[v][c];
      }
  });
  coarse.ghosts.fetch(N, Ghosts::Layers::near, [&](std::int32_t piece, int field, int) {
    return coarse.pieces[static_cast<std::size_t>(piece)].residual[static_cast<std::size_t>(field)].data();
  });
  for (const BoundaryFace& face : coarse.faces) {
    auto& change = coarse.pieces[static_cast<std::size_t>(face.piece)].residual;
    std::array<double, N> w;
    for (std::size_t v = 0; v < N; ++v) w[v] = change[v][static_cast<std::size_t>(face.cell)];
    w = beyond(face, w, true);
    for (std::size_t v = 0; v < N; ++v) change[v][static_cast<std::size_t>(face.ghost)] = w[v];
  }
  parallel_for(static_cast<std::int64_t>(coarse.pieces.size()), [&](std::int64_t p) {
    const PieceFields<D>& from = coarse.pieces[static_cast<std::size_t>(p)];
    PieceFields<D>& to = fine.pieces[static_cast<std::size_t>(p)];
    const auto places = children<D>(to.extents);
    for (std::size_t v = 0; v < N; ++v)
      for_each_parent<D>(from, to, [&](std::size_t parent, std::ptrdiff_t first) {
        const double* change = from.residual[v].data() + parent;
        for (std::size_t child = 0; child < places.size(); ++child) {
          double sum = change[0];
          for (std::size_t d = 0; d < D; ++d) {
            const std::ptrdiff_t stride = from.extents.stride[d];
            sum += 0.25 * (change[(child >> d & 1) != 0 ? stride : -stride] - change[0]);
          }
          to.state[v][static_cast<std::size_t>(first + places[child])] += sum;
        }
      });
  });
}

template <int D>
void Multigrid<D>::visit(std::size_t number, const TimeDerivative& time, double unit) {
  Level<D>& level = *levels_[number];
  run_stages(level, time, unit);
  if (number + 1 == levels_.size()) return;
  Level<D>& coarse = *levels_[number + 1];
  whole_residual(level, time, number > 0);
  restrict_to(level, coarse, time);
  visit(number + 1, time, 0);
  if (w_cycle_ && number + 2 < levels_.size()) visit(number + 1, time, 0);
  prolong(coarse, level);
}

template class Multigrid<2>;
template class Multigrid<3>;

}  // namespace eddyline::multiblock
