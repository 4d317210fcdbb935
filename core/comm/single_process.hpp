#pragma once

#include <memory>

#include "comm/communicator.hpp"

namespace eddyline::comm {

/// One process without any message passing: collective operations leave values as they are.
std::unique_ptr<Communicator> alone();

}  // namespace eddyline::comm
