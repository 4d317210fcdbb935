#include "driver/make_solver.hpp"

#include "solvers/sph/solver.hpp"

namespace eddyline::driver {

std::unique_ptr<solver::Solver> make_solver(const world::World& world, const solver::Execution& execution,
                                            comm::Communicator& communicator) {
  return sph::make(world, execution, communicator);
}

}  // namespace eddyline::driver
