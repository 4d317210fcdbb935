#pragma once
// The turbulence model of Spalart and Allmaras on the blocks of a gas.

#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "solvers/multiblock/multigrid.hpp"
#include "solvers/multiblock/scheme.hpp"
#include "world/world.hpp"

namespace eddyline::multiblock {

/// nu~ on the finest level, and the eddy viscosity on all levels. The flow and nu~ advance in turn: cycles of multigrid
/// see a fixed eddy viscosity, which is computed anew when nu~ has changed.
template <int D>
class Turbulence {
  using E = Gas<D>;

 public:
  /// Adds the fields of the model to the levels of `multigrid`, whose metrics must be set; nu~ is as in the stream
  /// everywhere.
  Turbulence(comm::Communicator& communicator, Multigrid<E>& multigrid, const Scheme& scheme, const world::World& world,
             const Boundaries& boundaries);

  /// An implicit step of nu~ in pseudo-time. Gradients, primitive fields with their ghosts and local steps of the
  /// finest level must be set. Sets residual(). Collective.
  void advance(const TimeDerivative& time);
  /// Sets the eddy viscosity of all levels. Collective.
  void set_eddy_viscosity();
  /// Takes nu~ as that of the last time step.
  void keep_for_time();
  /// Takes the viscosity of the stream [m^2/s], and the scheme with it.
  void set_viscosity(double viscosity, const Scheme& scheme);
  /// Root mean square of the rates of nu~ before the last step, over the viscosity of the stream [1/s].
  double residual() const { return residual_; }
  std::int64_t memory() const;

 private:
  void allocate(const world::World& world, const Boundaries& boundaries);
  void fill_ghosts();
  void set_row(PieceFields<E>& piece, const TimeDerivative& time, std::ptrdiff_t first, std::int32_t count) const;
  void solve();
  void set_eddy_ghosts(Level<E>& level);

  comm::Communicator& communicator_;
  Multigrid<E>& multigrid_;
  std::span<const std::unique_ptr<Level<E>>> levels_;
  Scheme scheme_;
  double ratio_;       // nu~ of the stream, over its viscosity
  double unit_ = 0;    // kinematic viscosity of the stream [m^2/s]
  double stream_ = 0;  // nu~ there
  double cells_;
  double residual_ = 0;
};

}  // namespace eddyline::multiblock
