#pragma once
// Delivery of parcels that almost always go to neighbours.

#include <span>
#include <string_view>
#include <vector>

#include "comm/collectives.hpp"

namespace eddyline::comm {

/// A faster deliver() for the case that almost all parcels go to `neighbors`, each of which must name this rank too;
/// deliver() takes four times as long as a message. Each neighbour gets one message, possibly an empty one. Meanwhile a
/// maximum over all ranks finds out whether any rank has a parcel for a rank that is not a neighbour, or a parcel too
/// long for one message; only then deliver() is called for those parcels. Empty parcels are not delivered. Collective.
std::vector<Parcel> deliver_to_neighbors(Communicator& communicator, const std::vector<Parcel>& parcels,
                                         std::span<const int> neighbors, std::string_view phase);

}  // namespace eddyline::comm
