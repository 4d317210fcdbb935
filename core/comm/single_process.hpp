#pragma once

#include <memory>

#include "comm/communicator.hpp"

namespace eddyline::comm {

/// A communicator for a single process without message passing; collective operations leave values unchanged.
std::unique_ptr<Communicator> single_process();

}  // namespace eddyline::comm
