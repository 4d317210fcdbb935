#include "driver/make_solver.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/errors.hpp"
#include "solvers/amr/solver.hpp"
#include "solvers/mps/solver.hpp"
#include "solvers/multiblock/solver.hpp"
#include "solvers/sph/solver.hpp"

namespace eddyline::driver {

namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<solver::Solver> (*make)(const world::World&, const solver::Execution&, comm::Communicator&);
  solver::Description (*describe)(const world::World&);
};

constexpr std::array k_solvers{Entry{"sph", &sph::make, &sph::describe}, Entry{"mps", &mps::make, &mps::describe},
                               Entry{"amr", &amr::make, &amr::describe},
                               Entry{"multiblock", &multiblock::make, &multiblock::describe}};

const Entry& entry_of(const world::World& world) {
  const auto* found = std::ranges::find(k_solvers, std::string_view(world.solver), &Entry::name);
  if (found == k_solvers.end()) throw UserError("There is no solver \"" + world.solver + "\".");
  return *found;
}

}  // namespace

std::vector<std::string_view> solver_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : k_solvers) names.push_back(entry.name);
  return names;
}

solver::Description describe(const world::World& world) { return entry_of(world).describe(world); }

std::string device_refusal(const world::World& world) {
  if (world.solver != "sph") return "method.name = \"" + world.solver + "\" cannot be computed on a device yet";
  return sph::device_refusal(world);
}

std::unique_ptr<solver::Solver> make_solver(const world::World& world, const solver::Execution& execution,
                                            comm::Communicator& communicator) {
  const Entry& entry = entry_of(world);
  if (execution.device != "cpu")
    if (const std::string refusal = device_refusal(world); !refusal.empty())
      throw UserError("device = \"" + execution.device + "\": " + refusal + "; use device = \"cpu\".");
  return entry.make(world, execution, communicator);
}

}  // namespace eddyline::driver
