#pragma once
// Runge-Kutta cycles with full-approximation multigrid.

#include <memory>
#include <span>
#include <vector>

#include "solvers/multiblock/replication.hpp"
#include "solvers/multiblock/residual.hpp"

namespace eddyline::multiblock {

/// All levels of a mesh. Source of the scheme: Jameson 1983; of its stages: Martinelli 1987.
template <class E>
class Multigrid {
  static constexpr int D = E::k_dimensions;

 public:
  Multigrid(const HaloSetup& setup, const Pieces& pieces, const Boundaries& boundaries, const Scheme& scheme,
            bool w_cycle);

  Level<E>& finest() { return *levels_.front(); }
  const Level<E>& finest() const { return *levels_.front(); }
  Residual<E>& residual() { return residual_; }
  const Residual<E>& residual() const { return residual_; }
  std::span<const std::unique_ptr<Level<E>>> levels() const { return levels_; }
  using Field = Array<double>& (*)(PieceFields<E>& piece);
  /// Sets a field of all coarse levels to the means of the children, weighted by volume. Collective.
  void average(Field field);
  /// Messages, and copies between pieces; without those of replicated levels.
  exchange::Traffic traffic() const;

  /// Sets what the boundaries impose at time t [s], on all levels.
  void impose(const Boundaries& boundaries, double t);
  /// One cycle over all levels. Returns the residual of the state before it: the root mean square of the rates of
  /// change of all cells [1/s], velocities over `unit` [m/s]. Collective.
  double cycle(const TimeDerivative& time, double unit);
  /// Begins a search for a steady flow on the coarsest level, with so many cycles on each but the finest. Returns the
  /// residual of the start, as cycle() does. Collective.
  double start_coarse(int cycles, double unit);

 private:
  void measure_coarse(const HaloSetup& setup, const Pieces& pieces);
  double mean_of_squares();
  /// The state of coarse cells is the mean of their children. `with_residual`: their forcing is the sum of the
  /// residuals of these. Collective.
  void restrict_cells(const Level<E>& fine, Level<E>& coarse, bool with_residual);
  /// `is_evaluated`: the residual belongs to the state, see restrict_to(). `unit` > 0: also sets squares_.
  void visit(std::size_t number, const TimeDerivative& time, bool is_evaluated, double unit);
  void run_stages(Level<E>& level, const TimeDerivative& time, bool is_evaluated, double unit);
  void whole_residual(Level<E>& level, const TimeDerivative& time, bool forced);
  void restrict_to(const Level<E>& fine, Level<E>& coarse, const TimeDerivative& time);
  void prolong(Level<E>& coarse, Level<E>& fine);

  comm::Communicator& communicator_;
  Timers& timers_;
  Residual<E> residual_;
  std::vector<std::unique_ptr<Level<E>>> levels_;
  std::unique_ptr<Replication> replication_;  // of the first replicated level, if there is one
  bool w_cycle_;
  ReproducibleSum squares_;  // of the last first stage on the finest level
  std::int64_t cells_;       // of the mesh
};

}  // namespace eddyline::multiblock
