#pragma once
// The state of a run and its time step.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "base/timers.hpp"
#include "solver/execution.hpp"
#include "solvers/multiblock/multigrid.hpp"
#include "solvers/multiblock/options.hpp"
#include "solvers/multiblock/scalars.hpp"
#include "solvers/multiblock/turbulence.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::multiblock {

/// Values set beside the state of cells, for those who read it. Each includes those before it.
enum class Prepared {
  nothing,
  ghosts,     // of the state
  gradients,  // of the state
  scalars     // their ghosts and gradients
};

template <class E>
class Flow {
  static constexpr int D = E::k_dimensions;

 public:
  /// Throws UserError. Collective. The communicator must outlive the flow.
  Flow(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);

  /// Steady: one cycle of multigrid, or none once the residual is small enough. Else a time step of second order (the
  /// first one of first order): cycles in pseudo-time until the residual has dropped. Collective.
  void step();
  /// Tells whether the state is finite; the same on all ranks.
  bool is_good() const { return good_; }

  const world::World& world() const { return world_; }
  comm::Communicator& communicator() const { return communicator_; }
  const Options& options() const { return options_; }
  const Pieces& pieces() const { return pieces_; }
  Level<E>& finest() { return multigrid_.finest(); }
  const Level<E>& finest() const { return multigrid_.finest(); }
  Residual<E>& residual_terms() { return multigrid_.residual(); }
  std::span<const std::unique_ptr<Level<E>>> levels() const { return multigrid_.levels(); }
  /// See Multigrid::traffic().
  exchange::Traffic traffic() const { return multigrid_.traffic(); }
  double reference_speed() const { return speed_; }
  double time_step() const { return time_step_; }
  double cfl() const { return options_.cfl > 0 ? options_.cfl : !E::k_is_gas ? 3 : D == 2 ? 4 : 2.5; }
  /// Null without a model.
  const Turbulence<D>* turbulence() const { return turbulence_.get(); }
  /// Null without scalars.
  const Scalars<D>* scalars() const { return scalars_.get(); }
  /// Sets what `wanted` names on the finest level, unless it is set since the last change of the state. Collective.
  void prepare(Prepared wanted);
  /// Pressure [Pa], velocity, and of a gas p / rho: of a cell's unknowns, or of its values() for fresh ghosts.
  std::array<double, E::k_unknowns> values(const PieceFields<E>& piece, std::size_t cell) const;
  double density(const PieceFields<E>& piece, std::size_t cell) const {
    return E::k_is_gas ? piece.state[0][cell] : world_.fluid.density;
  }
  /// Kinematic viscosity [m^2/s].
  double viscosity_at(const PieceFields<E>& piece, std::size_t cell) const;
  /// Eddy viscosity over viscosity; 0 without a turbulence model.
  double eddy_ratio(const PieceFields<E>& piece, std::size_t cell) const {
    if (!piece.is_turbulent()) return 0;
    return piece.turbulence.eddy[cell] / (viscosity_at(piece, cell) * density(piece, cell));
  }
  /// The pressure of values() of pieces is in this unit.
  double pressure_unit() const { return E::k_is_gas ? 1.0 : world_.fluid.density; }
  /// Gas: pressure [Pa] and density [kg/m^3] at the start, at a place.
  struct StartOfGas {
    double pressure, density;
  };
  StartOfGas start_at(Vec3 x) const;
  /// Gas: the same in the middle of the domain: of the stream around a body.
  StartOfGas start_amid() const { return start_at(world_.origin + 0.5 * world_.size); }
  /// Largest speed at the start, in the fluid and on the boundaries [m/s].
  double start_speed() const { return start_speed_; }

  double time = 0;  // [s]
  std::int64_t steps = 0;
  double residual = 0;                       // of the last cycle, see Multigrid::cycle() [1/s]
  double largest_residual = 0;               // so far
  std::int64_t cycles = 0, last_cycles = 0;  // in all, and of the last step
  bool converged = false;                    // steady: no more cycles are needed
  bool flow_converged = false;               // the same of the flow without its scalars
  Timers timers;

  /// Number of a cell in the mesh: blocks in their order, i fastest.
  std::int64_t id_of(const PieceFields<E>& piece, Int3 cell) const;
  /// Calls visit(piece, cell, place in arrays, number among the cells of this process) for each cell of this process.
  template <class Visit>
  void for_each_cell(Visit&& visit) const {
    std::size_t number = 0;
    for (const PieceFields<E>& piece : finest().pieces) {
      const Int3 cells = piece.extents.cells;
      for (std::int32_t k = 0; k < cells[2]; ++k)
        for (std::int32_t j = 0; j < cells[1]; ++j)
          for (std::int32_t i = 0; i < cells[0]; ++i)
            visit(piece, Int3{i, j, k}, static_cast<std::size_t>(piece.extents.at(i, j, k)), number++);
    }
  }
  std::int64_t cells() const { return own_cells_; }
  std::int64_t memory() const;

  /// Changes the world between two steps. Throws UserError for what a run cannot change.
  void change(const world::Change& change);
  /// Changes the viscosity [m^2/s].
  void set_viscosity(double viscosity);
  void save(ArchiveWriter& archive) const;
  /// Collective.
  void restore(const std::vector<ArchiveReader>& parts);

 private:
  Scheme scheme() const;
  int levels_of_options() const;
  void set_start();
  void set_forces();
  double find_speed(bool with_sound);
  void advance_time();
  void seek_steady();
  /// A cycle of the flow, and a step of the turbulence model. Returns the residual.
  double cycle(const TimeDerivative& derivative);
  void seek_steady_scalars();
  void advance_scalars(const TimeDerivative& derivative);
  void save_scalars(ArchiveWriter& archive) const;
  void restore_scalars(const std::vector<ArchiveReader>& parts);

  world::World world_;
  comm::Communicator& communicator_;
  Options options_;
  Boundaries boundaries_;
  Pieces pieces_;
  comm::Tags tags_;
  double speed_ = 0, start_speed_ = 0, time_step_ = 0;
  Multigrid<E> multigrid_;
  std::unique_ptr<Turbulence<D>> turbulence_;
  std::unique_ptr<Scalars<D>> scalars_;
  std::vector<double> largest_of_scalars_;  // their largest residuals so far
  std::int64_t own_cells_ = 0;
  Prepared prepared_ = Prepared::nothing;
  bool good_ = true;
  bool is_forced_ = false;  // cells have forces
};

}  // namespace eddyline::multiblock
