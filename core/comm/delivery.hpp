#pragma once
// Parcels that nearly always go to neighbours.

#include <span>
#include <string_view>
#include <vector>

#include "comm/collectives.hpp"

namespace eddyline::comm {

/// As deliver(), which takes four times as long as a message does, where nearly all parcels go to `neighbors`, each of
/// whom names this rank, too: they get one message each, if only an empty one, and meanwhile a maximum finds out
/// whether anybody has a parcel for another rank, or one too long for a message; only then those are delivered. Empty
/// parcels do not arrive.
std::vector<Parcel> deliver_to_neighbors(Communicator& communicator, const std::vector<Parcel>& parcels,
                                 std::span<const int> neighbors, std::string_view phase);

}  // namespace eddyline::comm
