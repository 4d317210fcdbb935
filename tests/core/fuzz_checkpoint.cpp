// Parts of checkpoints with damage: either an error, or a state that goes on for two steps or says why not.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/errors.hpp"
#include "comm/single_process.hpp"
#include "driver/simulation.hpp"
#include "fuzz.hpp"
#include "small_worlds.hpp"
#include "solvers/sph/doctor.hpp"

namespace {

using namespace eddyline;

void try_reader(const std::vector<std::byte>& part, fuzz::Random& random) {
  try {
    const ArchiveReader reader(fuzz::damaged(part, random));
    (void)reader.get<double>("moment");
    (void)reader.get<std::int64_t>("fluid.id");
  } catch (const UserError&) {
  }
}

}  // namespace

int main(int count, char** arguments) {
  const world::World world = fixture::dam();
  const auto communicator = comm::single_process();
  driver::Simulation simulation(world, {}, 0.01, *communicator);
  simulation.advance(INFINITY, 2, INFINITY);
  const std::vector<std::byte> part = simulation.part();
  return fuzz::run(count, arguments, [&](fuzz::Random& random) {
    for (int k = 0; k < 20; ++k) try_reader(part, random);
    try {
      bool given = false;
      const std::vector<std::byte> made = fuzz::damaged(part, random);
      simulation.restore([&] { return std::exchange(given, true) ? std::vector<std::byte>{} : made; });
      simulation.advance(INFINITY, simulation.solver().clock().steps + 2, 1);
    } catch (const UserError&) {
    } catch (const solver::StepError&) {
    }
  });
}
