#pragma once
// One rank leads: it talks to the user, and what it does with its simulation the other ranks do too.

#include <memory>

#include "driver/simulation.hpp"

namespace eddyline::driver {

/// On the root: a simulation whose calls the other ranks join, with the particles of all of them. It says to them that
/// the run is over when it ends.
std::unique_ptr<Simulation> lead(std::unique_ptr<Simulation> own, comm::Communicator& communicator);

/// On every other rank: does what the root does, until that is over.
void follow(Simulation& own, comm::Communicator& communicator);

}  // namespace eddyline::driver
