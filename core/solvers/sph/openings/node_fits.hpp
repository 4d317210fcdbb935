#pragma once
// What nodes of openings see of the fluid in front of them.

#include <cstdint>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "decompose/partition.hpp"
#include "exchange/halo.hpp"
#include "particles/cells.hpp"
#include "physics/inflow/moving_least_squares.hpp"
#include "solvers/sph/openings.hpp"

namespace eddyline::sph {

/// Linear fits to the fluid around each node, by its number. Each is made by the rank whose cells hold the node; all
/// ranks that compute cells at an opening, or in its buffer, have those of all its nodes.
template <int D>
class NodeFits {
 public:
  NodeFits(comm::Communicator& communicator, std::int32_t nodes);

  /// Finds who needs whose fits, and which ranks are at an opening: those that have cells there, or within `depth`
  /// cells of it. Called when cells have changed hands.
  void share_out(Openings<D>& openings, const particles::CellGrid& grid, const decompose::Partition& partition,
                 std::int32_t depth);
  /// Brings the fits of other ranks. Collective.
  void gather() { halo_.gather(exchange::ArrayField(fits_)); }

  physics::LinearFit<D>& operator[](std::int64_t node) { return fits_[static_cast<std::size_t>(node)]; }
  const physics::LinearFit<D>& operator[](std::int64_t node) const { return fits_[static_cast<std::size_t>(node)]; }
  /// Whether the node stands in this rank's cells.
  bool is_own(std::int64_t node) const { return own_[static_cast<std::size_t>(node)] != 0; }
  /// Whether there is enough fluid around the node for its fit to count.
  bool is_wet(std::int64_t node) const { return (*this)[node].weight > k_least_fraction; }

 private:
  static constexpr double k_least_fraction = 0.1;  // of the neighbourhood that is fluid

  comm::Communicator& communicator_;
  Array<physics::LinearFit<D>> fits_;
  Array<std::uint8_t> own_;
  exchange::Halo halo_;
};

}  // namespace eddyline::sph
