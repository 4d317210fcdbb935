#include "solvers/multiblock/multigrid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/collectives.hpp"
#include "solvers/multiblock/children.hpp"
#include "solvers/multiblock/gas_state.hpp"

namespace eddyline::multiblock {

namespace {

struct Stage {
  double alpha, blend;  // share of the local step; share of new dissipation
};
constexpr std::array<Stage, 5> k_stages{{{0.25, 1}, {1.0 / 6, 0}, {0.375, 0.56}, {0.5, 0}, {1, 0.44}}};

}  // namespace

template <class E>
Multigrid<E>::Multigrid(comm::Communicator& communicator, const solver::Execution& execution, const Pieces& pieces,
                        std::span<const std::int32_t> local, const Boundaries& boundaries, const Scheme& scheme,
                        bool w_cycle)
    : communicator_(communicator), residual_(scheme), w_cycle_(w_cycle), cells_(pieces.mesh().cells()) {
  comm::Tags tags;
  for (int level = 0; level < pieces.levels(); ++level)
    levels_.push_back(std::make_unique<Level<E>>(communicator, execution, tags, pieces, local, level));
  comm::agree(communicator, "mesh", [&] {
    for (const auto& level : levels_) level->measure(pieces, local, boundaries);
  });
  fill_metric_ghosts(finest());
  for (std::size_t level = 1; level < levels_.size(); ++level) coarsen_metrics(*levels_[level - 1], *levels_[level]);
}

template <class E>
void Multigrid<E>::impose(const Boundaries& boundaries, double t) {
  for (const auto& level : levels_) level->impose(boundaries, t);
}

template <class E>
void Multigrid<E>::run_stages(Level<E>& level, const TimeDerivative& time, double unit) {
  level.for_each_row([](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v < E::k_unknowns; ++v)
      std::copy_n(piece.state[v].data() + first, count, piece.stage[v].data() + first);
  });
  for (std::size_t stage = 0; stage < k_stages.size(); ++stage) {
    level.fill_ghosts();
    if (stage == 0) residual_.set_local_steps(level);
    if (k_stages[stage].blend > 0 && residual_.needs_gradients(level)) residual_.set_gradients(level);
    residual_.evaluate(level, k_stages[stage].blend, time, !level.is_finest());
    if (stage == 0 && unit > 0) squares_ = residual_.sum_of_squares(level, unit);
    residual_.smooth(level);
    residual_.update(level, k_stages[stage].alpha, time);
  }
}

template <class E>
void Multigrid<E>::whole_residual(Level<E>& level, const TimeDerivative& time, bool forced) {
  level.fill_ghosts();
  residual_.set_local_steps(level);
  if (residual_.needs_gradients(level)) residual_.set_gradients(level);
  residual_.evaluate(level, 1, time, forced);
}

template <class E>
double Multigrid<E>::cycle(const TimeDerivative& time, double unit) {
  visit(0, time, unit);
  return mean_of_squares();
}

/// Collective.
template <class E>
double Multigrid<E>::mean_of_squares() {
  comm::sum(communicator_, std::span(&squares_, 1), "residual");
  return std::sqrt(squares_.value() / static_cast<double>(cells_));
}

/// The state of coarse cells is the mean of their children.
template <class E>
void Multigrid<E>::restrict_state(const Level<E>& fine, Level<E>& coarse) {
  parallel_for(static_cast<std::int64_t>(coarse.pieces.size()), [&](std::int64_t p) {
    const PieceFields<E>& from = fine.pieces[static_cast<std::size_t>(p)];
    PieceFields<E>& to = coarse.pieces[static_cast<std::size_t>(p)];
    const auto places = children<D>(from.extents);
    for (std::size_t v = 0; v < E::k_unknowns; ++v)
      for_each_parent<E>(to, from, [&](std::size_t parent, std::ptrdiff_t first) {
        double state = 0;
        for (const std::ptrdiff_t place : places) {
          const auto child = static_cast<std::size_t>(first + place);
          state += from.state[v][child] * from.volume[child];
        }
        to.state[v][parent] = state / to.volume[parent];
      });
  });
}

/// Each level searches without forcing, and hands what it changed to the next finer one.
template <class E>
double Multigrid<E>::start_coarse(int cycles, double unit) {
  const TimeDerivative steady;
  whole_residual(finest(), steady, false);
  squares_ = residual_.sum_of_squares(finest(), unit);
  for (std::size_t number = 1; number < levels_.size(); ++number)
    restrict_state(*levels_[number - 1], *levels_[number]);
  for (std::size_t number = levels_.size() - 1; number > 0; --number) {
    Level<E>& level = *levels_[number];
    for (PieceFields<E>& piece : level.pieces)
      for (std::size_t v = 0; v < E::k_unknowns; ++v) {
        std::copy(piece.state[v].begin(), piece.state[v].end(), piece.restricted[v].begin());
        std::fill(piece.forcing[v].begin(), piece.forcing[v].end(), 0.0);
      }
    for (int n = 0; n < cycles; ++n) visit(number, steady, 0);
    prolong(level, *levels_[number - 1]);
  }
  return mean_of_squares();
}

/// The state of a coarse cell is the mean of its children. Its forcing is what their residuals add up to, less what the
/// coarse level would find itself.
template <class E>
void Multigrid<E>::restrict_to(const Level<E>& fine, Level<E>& coarse, const TimeDerivative& time) {
  parallel_for(static_cast<std::int64_t>(coarse.pieces.size()), [&](std::int64_t p) {
    const PieceFields<E>& from = fine.pieces[static_cast<std::size_t>(p)];
    PieceFields<E>& to = coarse.pieces[static_cast<std::size_t>(p)];
    const auto places = children<D>(from.extents);
    for (std::size_t v = 0; v < E::k_unknowns; ++v)
      for_each_parent<E>(to, from, [&](std::size_t parent, std::ptrdiff_t first) {
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
  coarse.for_each_row([](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v < E::k_unknowns; ++v)
      for (std::int32_t n = 0; n < count; ++n) {
        const auto c = static_cast<std::size_t>(first + n);
        piece.forcing[v][c] -= piece.residual[v][c];
      }
  });
}

/// Adds the change of the coarse state to the children, linear between cells that share a face:
///   c + sum over the directions of (c_neighbor - c) / 4.
template <class E>
void Multigrid<E>::prolong(Level<E>& coarse, Level<E>& fine) {
  constexpr std::size_t N = PieceFields<E>::k_unknowns;
  coarse.for_each_row([](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v < E::k_unknowns; ++v)
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
    if constexpr (E::k_is_gas)
      w = correction_beyond<D>(face, w);
    else
      w = beyond(face, w, true);
    for (std::size_t v = 0; v < N; ++v) change[v][static_cast<std::size_t>(face.ghost)] = w[v];
  }
  parallel_for(static_cast<std::int64_t>(coarse.pieces.size()), [&](std::int64_t p) {
    const PieceFields<E>& from = coarse.pieces[static_cast<std::size_t>(p)];
    PieceFields<E>& to = fine.pieces[static_cast<std::size_t>(p)];
    const auto places = children<D>(to.extents);
    const auto added = [&](std::size_t v, std::size_t parent, std::size_t child) {
      const double* change = from.residual[v].data() + parent;
      double sum = change[0];
      for (std::size_t d = 0; d < D; ++d) {
        const std::ptrdiff_t stride = from.extents.stride[d];
        sum += 0.25 * (change[(child >> d & 1) != 0 ? stride : -stride] - change[0]);
      }
      return sum;
    };
    for_each_parent<E>(from, to, [&](std::size_t parent, std::ptrdiff_t first) {
      for (std::size_t child = 0; child < places.size(); ++child) {
        const auto c = static_cast<std::size_t>(first + places[child]);
        std::array<double, N> old, w;
        for (std::size_t v = 0; v < N; ++v) old[v] = to.state[v][c], w[v] = old[v] + added(v, parent, child);
        if constexpr (E::k_is_gas)
          if (!is_small_change<D>(old, w)) continue;
        for (std::size_t v = 0; v < N; ++v) to.state[v][c] = w[v];
      }
    });
  });
}

template <class E>
void Multigrid<E>::visit(std::size_t number, const TimeDerivative& time, double unit) {
  Level<E>& level = *levels_[number];
  run_stages(level, time, unit);
  if (number + 1 == levels_.size()) return;
  Level<E>& coarse = *levels_[number + 1];
  whole_residual(level, time, number > 0);
  restrict_to(level, coarse, time);
  visit(number + 1, time, 0);
  if (w_cycle_ && number + 2 < levels_.size()) visit(number + 1, time, 0);
  prolong(coarse, level);
}

template class Multigrid<Incompressible<2>>;
template class Multigrid<Incompressible<3>>;
template class Multigrid<Gas<2>>;
template class Multigrid<Gas<3>>;

}  // namespace eddyline::multiblock
