#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace eddyline::driver {

/// Finds those of a rank's `ids` that belong to the first `limit` ids of all ranks that are larger than `after`.
/// Returns indices in order of id. Ids are unique. Collective.
std::vector<std::int64_t> next_ids(comm::Communicator& communicator, std::span<const std::int64_t> ids,
                                   std::int64_t after, std::int64_t limit);

}  // namespace eddyline::driver
