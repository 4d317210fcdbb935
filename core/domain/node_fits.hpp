#pragma once
// Fits to the fluid in front of openings, at their nodes.

#include <cstdint>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "decompose/partition.hpp"
#include "domain/openings.hpp"
#include "exchange/halo.hpp"
#include "particles/cells.hpp"
#include "physics/inflow/moving_least_squares.hpp"

namespace eddyline::domain {

/// Linear fits to the fluid around each node, indexed by node. The rank that owns the node's cell computes the fit; all
/// ranks that compute cells at an opening, or in its buffer, have the fits of all its nodes.
template <int D>
class NodeFits {
 public:
  NodeFits(comm::Communicator& communicator, comm::HaloTags tags, std::int32_t nodes);

  /// Finds which ranks need which fits, and which ranks are at an opening: those that have cells there, or within
  /// `depth` cells of it. Called after a new partition.
  void share_out(Openings<D>& openings, const particles::CellGrid& grid, const decompose::Partition& partition,
                 std::int32_t depth);
  /// Receives the fits of other ranks. Collective.
  void gather() { halo_.gather(exchange::ArrayField(fits_)); }

  physics::LinearFit<D>& operator[](std::int64_t node) { return fits_[static_cast<std::size_t>(node)]; }
  const physics::LinearFit<D>& operator[](std::int64_t node) const { return fits_[static_cast<std::size_t>(node)]; }
  /// Tells whether the node is in this rank's cells.
  bool is_own(std::int64_t node) const { return own_[static_cast<std::size_t>(node)] != 0; }
  /// Tells whether there is enough fluid around the node for its fit to count.
  bool is_wet(std::int64_t node) const { return (*this)[node].weight > k_least_fraction; }

 private:
  static constexpr double k_least_fraction = 0.1;  // share of the neighbourhood that must be fluid

  comm::Communicator& communicator_;
  Array<physics::LinearFit<D>> fits_;
  Array<std::uint8_t> own_;
  exchange::Halo halo_;
};

}  // namespace eddyline::domain
