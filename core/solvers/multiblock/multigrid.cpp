#include "solvers/multiblock/multigrid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/collectives.hpp"
#include "solvers/multiblock/gas_state.hpp"

namespace eddyline::multiblock {

namespace {

struct Stage {
  double alpha, blend;  // share of the local step; share of new dissipation
};
constexpr std::array<Stage, 5> k_stages{{{0.25, 1}, {1.0 / 6, 0}, {0.375, 0.56}, {0.5, 0}, {1, 0.44}}};

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

template <class E>
Multigrid<E>::Multigrid(const HaloSetup& setup, const Pieces& pieces, const Boundaries& boundaries,
                        const Scheme& scheme, bool w_cycle)
    : communicator_(setup.communicator),
      timers_(setup.timers),
      residual_(scheme),
      w_cycle_(w_cycle),
      cells_(pieces.mesh().cells()) {
  const Pieces uncut = pieces.uncut();
  const auto pieces_of = [&](int level) -> const Pieces& { return pieces.is_replicated(level) ? uncut : pieces; };
  for (int level = 0; level < pieces.levels(); ++level)
    levels_.push_back(std::make_unique<Level<E>>(setup, pieces_of(level), level, scheme.sweeps > 0));
  comm::agree(communicator_, "mesh", [&] {
    for (const auto& level : levels_) level->measure(pieces_of(level->number), boundaries);
  });
  fill_metric_ghosts(finest());
  measure_coarse(setup, pieces);
}

template <class E>
void Multigrid<E>::measure_coarse(const HaloSetup& setup, const Pieces& pieces) {
  for (std::size_t number = 1; number < levels_.size(); ++number) {
    const Level<E>& fine = *levels_[number - 1];
    Level<E>& coarse = *levels_[number];
    coarse.find_parents(fine);
    coarsen_metrics(fine, coarse);
    if (coarse.is_replicated && !fine.is_replicated) {
      replication_ = std::make_unique<Replication>(setup, pieces, coarse.number, -1);
      replication_->gather(1, [&](std::int32_t block, int, int) {
        return coarse.pieces[static_cast<std::size_t>(block)].volume.data();
      });
      for (int axis = 0; axis < D; ++axis) {
        Replication faces(setup, pieces, coarse.number, axis);
        faces.gather(D, [&](std::int32_t block, int field, int) {
          auto& face = coarse.pieces[static_cast<std::size_t>(block)].face;
          return face[static_cast<std::size_t>(axis)][static_cast<std::size_t>(field)].data();
        });
      }
    }
    fill_metric_ghosts(coarse);
  }
}

template <class E>
exchange::Traffic Multigrid<E>::traffic() const {
  exchange::Traffic sum;
  for (const auto& level : levels_)
    if (!level->is_replicated) sum += level->ghosts.traffic();
  if (replication_) sum += replication_->traffic();
  return sum;
}

template <class E>
void Multigrid<E>::impose(const Boundaries& boundaries, double t) {
  for (const auto& level : levels_) level->impose(boundaries, t);
}

template <class E>
void Multigrid<E>::run_stages(Level<E>& level, const TimeDerivative& time, bool is_evaluated, double unit) {
  level.for_each_row([](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v < E::k_unknowns; ++v)
      std::copy_n(piece.state[v].data() + first, count, piece.stage[v].data() + first);
  });
  for (std::size_t stage = 0; stage < k_stages.size(); ++stage) {
    const double blend = k_stages[stage].blend;
    if (stage > 0 || !is_evaluated) {
      stage == 0 ? residual_.set_local_steps(level) : level.fill_ghosts();
      if (blend > 0 && residual_.needs_gradients(level)) residual_.set_gradients(level);
      residual_.evaluate(level, blend, time, !level.is_finest());
    }
    if (stage == 0 && unit > 0) squares_ = residual_.sum_of_squares(level, unit);
    residual_.smooth(level);
    residual_.update(level, k_stages[stage].alpha, time);
  }
}

template <class E>
void Multigrid<E>::whole_residual(Level<E>& level, const TimeDerivative& time, bool forced) {
  residual_.set_local_steps(level);
  if (residual_.needs_gradients(level)) residual_.set_gradients(level);
  residual_.evaluate(level, 1, time, forced);
}

template <class E>
double Multigrid<E>::cycle(const TimeDerivative& time, double unit) {
  visit(0, time, false, unit);
  return mean_of_squares();
}

/// Collective.
template <class E>
double Multigrid<E>::mean_of_squares() {
  timers_.lap();
  comm::sum(communicator_, std::span(&squares_, 1), "residual");
  timers_.lap(Phase::wait);
  return std::sqrt(squares_.value() / static_cast<double>(cells_));
}

template <class E>
void Multigrid<E>::average(Field field) {
  for (std::size_t number = 1; number < levels_.size(); ++number) {
    Level<E>&fine = *levels_[number - 1], &coarse = *levels_[number];
    coarse.for_each_row_of_parents(fine, [&](PieceFields<E>& to, PieceFields<E>& from, std::ptrdiff_t parents,
                                             std::ptrdiff_t first, std::int32_t count) {
      const auto places = children<D>(from.extents);
      const double *values = field(from).data() + first, *volumes = from.volume.data() + first;
      for (std::int32_t n = 0; n < count; ++n) {
        const auto parent = static_cast<std::size_t>(parents + n);
        double sum = 0;
        for (const std::ptrdiff_t place : places) sum += values[2 * n + place] * volumes[2 * n + place];
        field(to)[parent] = sum / to.volume[parent];
      }
    });
    if (fine.is_replicated || !coarse.is_replicated) continue;
    replication_->gather(
        1, [&](std::int32_t block, int, int) { return field(coarse.pieces[static_cast<std::size_t>(block)]).data(); });
  }
}

template <class E>
void Multigrid<E>::restrict_cells(const Level<E>& fine, Level<E>& coarse, bool with_residual) {
  coarse.for_each_row_of_parents(fine, [&](PieceFields<E>& to, const PieceFields<E>& from, std::ptrdiff_t parents,
                                           std::ptrdiff_t first, std::int32_t count) {
    const auto places = children<D>(from.extents);
    const double *volumes = from.volume.data() + first, *whole = to.volume.data() + parents;
    for (std::size_t v = 0; v < E::k_unknowns; ++v) {
      const double *states = from.state[v].data() + first, *residuals = from.residual[v].data() + first;
      double *state = to.state[v].data() + parents, *forcing = to.forcing[v].data() + parents;
      for (std::int32_t n = 0; n < count; ++n) {
        double sum = 0;
        for (const std::ptrdiff_t place : places) sum += states[2 * n + place] * volumes[2 * n + place];
        state[n] = sum / whole[n];
      }
      for (std::int32_t n = 0; with_residual && n < count; ++n) {
        double sum = 0;
        for (const std::ptrdiff_t place : places) sum += residuals[2 * n + place];
        forcing[n] = sum;
      }
    }
  });
  if (fine.is_replicated || !coarse.is_replicated) return;
  constexpr int N = static_cast<int>(E::k_unknowns);
  replication_->gather(with_residual ? 2 * N : N, [&](std::int32_t block, int field, int) {
    auto& fields = coarse.pieces[static_cast<std::size_t>(block)];
    const auto v = static_cast<std::size_t>(field % N);
    return (field < N ? fields.state[v] : fields.forcing[v]).data();
  });
}

/// Each level searches without forcing, and hands what it changed to the next finer one.
template <class E>
double Multigrid<E>::start_coarse(int cycles, double unit) {
  const TimeDerivative steady;
  whole_residual(finest(), steady, false);
  squares_ = residual_.sum_of_squares(finest(), unit);
  for (std::size_t number = 1; number < levels_.size(); ++number)
    restrict_cells(*levels_[number - 1], *levels_[number], false);
  for (std::size_t number = levels_.size() - 1; number > 0; --number) {
    Level<E>& level = *levels_[number];
    for (PieceFields<E>& piece : level.pieces)
      for (std::size_t v = 0; v < E::k_unknowns; ++v) {
        std::copy(piece.state[v].begin(), piece.state[v].end(), piece.restricted[v].begin());
        std::fill(piece.forcing[v].begin(), piece.forcing[v].end(), 0.0);
      }
    for (int n = 0; n < cycles; ++n) visit(number, steady, false, 0);
    prolong(level, *levels_[number - 1]);
  }
  return mean_of_squares();
}

/// The forcing of a coarse cell is what the residuals of its children add up to, less what the coarse level would find
/// itself. Its residual is that with the forcing.
template <class E>
void Multigrid<E>::restrict_to(const Level<E>& fine, Level<E>& coarse, const TimeDerivative& time) {
  restrict_cells(fine, coarse, true);
  whole_residual(coarse, time, false);
  coarse.for_each_row([](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v < E::k_unknowns; ++v) {
      std::copy_n(piece.state[v].data() + first, count, piece.restricted[v].data() + first);
      double *forcing = piece.forcing[v].data() + first, *residual = piece.residual[v].data() + first;
      for (std::int32_t n = 0; n < count; ++n) {
        forcing[n] -= residual[n];
        residual[n] += forcing[n];
      }
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
  coarse.for_each_row_of_parents(fine, [](const PieceFields<E>& from, PieceFields<E>& to, std::ptrdiff_t parents,
                                          std::ptrdiff_t first, std::int32_t count) {
    const auto places = children<D>(to.extents);
    const auto added = [&](std::size_t v, std::ptrdiff_t parent, std::size_t child) {
      const double* change = from.residual[v].data() + parent;
      double sum = change[0];
      for (std::size_t d = 0; d < D; ++d) {
        const std::ptrdiff_t stride = from.extents.stride[d];
        sum += 0.25 * (change[(child >> d & 1) != 0 ? stride : -stride] - change[0]);
      }
      return sum;
    };
    for (std::int32_t n = 0; n < count; ++n)
      for (std::size_t child = 0; child < places.size(); ++child) {
        const auto c = static_cast<std::size_t>(first + 2 * n + places[child]);
        std::array<double, N> old, w;
        for (std::size_t v = 0; v < N; ++v) old[v] = to.state[v][c], w[v] = old[v] + added(v, parents + n, child);
        if constexpr (E::k_is_gas)
          if (!is_small_change<D>(old, w)) continue;
        for (std::size_t v = 0; v < N; ++v) to.state[v][c] = w[v];
      }
  });
}

template <class E>
void Multigrid<E>::visit(std::size_t number, const TimeDerivative& time, bool is_evaluated, double unit) {
  Level<E>& level = *levels_[number];
  run_stages(level, time, is_evaluated, unit);
  if (number + 1 == levels_.size()) return;
  Level<E>& coarse = *levels_[number + 1];
  whole_residual(level, time, number > 0);
  restrict_to(level, coarse, time);
  visit(number + 1, time, true, 0);
  if (w_cycle_ && number + 2 < levels_.size()) visit(number + 1, time, false, 0);
  prolong(coarse, level);
}

template class Multigrid<Incompressible<2>>;
template class Multigrid<Incompressible<3>>;
template class Multigrid<Gas<2>>;
template class Multigrid<Gas<3>>;

}  // namespace eddyline::multiblock
