#pragma once
// Scalars that a liquid carries, with the properties and sources of a module.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "physics/scalars/module_scalars.hpp"
#include "solvers/multiblock/multigrid.hpp"
#include "solvers/multiblock/scalar_rows.hpp"
#include "world/world.hpp"

namespace eddyline::multiblock {

/// Transport on the finest level, by the volume that the flow scheme sends through faces: what one cell loses another
/// one gains. The scalars do not act on the flow.
template <int D>
class Scalars {
  using E = Incompressible<D>;

 public:
  /// The metrics of `multigrid` must be set. `speed` of the flow [m/s]. Throws UserError. Collective.
  Scalars(comm::Communicator& communicator, Multigrid<E>& multigrid, const world::World& world, double speed);

  /// Sets what sides, openings and bodies impose at time t [s].
  void impose(double t);
  /// Reads the flow on the finest level. Collective.
  void set_flow(const Scheme& scheme);
  /// A step towards the solution in the flow of set_flow(): of a steady state, or of a time step to the time t [s].
  /// Sets the residuals. Collective.
  void advance(const TimeDerivative& time, double t);
  /// Takes the values as those of the last time step.
  void keep_for_time();
  /// Takes the parameters of a world, see physics::scalars_of(). Throws UserError.
  void set_parameters(const world::World& world);

  const std::vector<physics::scalars::Scalar>& all() const { return scalars_; }
  /// Root mean squares of the rates of each scalar before the last step [unit/s].
  std::span<const double> residuals() const { return residuals_; }
  void set_residuals(std::span<const double> residuals) { residuals_.assign(residuals.begin(), residuals.end()); }
  /// A rate that is small for a scalar: the largest of its first values, times the speed over the size of the domain.
  double unit_rate(std::size_t scalar) const { return rates_[scalar]; }
  bool is_good() const;
  PieceScalars<D>& of(const PieceFields<E>& piece) { return pieces_[number(piece)]; }
  const PieceScalars<D>& of(const PieceFields<E>& piece) const { return pieces_[number(piece)]; }
  /// Sets ghosts and gradients of the present values. Collective.
  void set_gradients();
  std::int64_t memory() const;

 private:
  /// The value of a scalar at a face of the boundary. formula: null for the value at the start.
  struct Imposed {
    bool is_stated = false;
    const world::Formula* formula = nullptr;
    double value = 0;
  };
  std::size_t number(const PieceFields<E>& piece) const {
    return static_cast<std::size_t>(&piece - level_.pieces.data());
  }
  void allocate();
  void set_start();
  void find_imposed();
  void find_range(double speed);
  bool is_imposed(const BoundaryFace& face, const Imposed& imposed) const;
  void fill_ghosts();
  void set_sources(double t);
  void solve(std::size_t scalar);

  comm::Communicator& communicator_;
  Level<E>& level_;
  const Residual<E>& residual_;
  const world::World& world_;
  std::unique_ptr<physics::scalars::ModuleScalars> module_;
  std::vector<physics::scalars::Scalar> scalars_;
  std::vector<PieceScalars<D>> pieces_;
  std::vector<Imposed> imposed_;  // of each face, a scalar each
  std::vector<double> middles_, rates_, residuals_;
  double cells_;
};

}  // namespace eddyline::multiblock
