#pragma once
// Steps without messages about particles between ranks.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "particles/cell_index.hpp"
#include "solver/execution.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

/// Decides when ranks exchange particles, and which copies they compute in the meantime. Source: Vertanen 1999, where
/// rows of cells overlap.
/// exact: a rank also computes copies of the particles in the cells around its own. A step consists of several passes,
/// each over the pairs in touching cells; each pass makes the region of correct values one cell narrower. After `every`
/// steps only the rank's own cells are correct, and the copies are renewed from their owners.
/// not exact: ghosts of other ranks stand still with their last values. This is the only option that changes results.
class DeferredExchange {
 public:
  DeferredExchange(solver::Lazy lazy, const world::World& world, bool alone)
      : every_(alone ? 1 : lazy.every), exact_(lazy.exact), passes_(passes_of(world)) {}

  bool is_on() const { return every_ > 1; }
  bool is_exact() const { return exact_; }
  int every() const { return every_; }
  bool computes_copies() const { return is_on() && exact_; }
  /// Width of the border of copies [cells].
  int depth() const { return computes_copies() ? passes_ * every_ : 0; }
  /// Passes of a step.
  int passes() const { return passes_; }

  /// Begins a step. Returns whether ranks exchange particles before it. The same on all ranks.
  bool begin_step();
  /// A rebuild has exchanged particles.
  void rebuilt();
  /// Makes ranks exchange particles before the next step.
  void expire() { used_ = every_ - 1; }
  /// Tells whether ghosts of other ranks come in messages within this step.
  bool exchanges() const { return !is_on() || (!exact_ && fresh_); }

  /// Number of particles, in the order of `rows`, that are correct after so many passes of this step: those of this
  /// rank, and copies near them.
  std::int64_t computed(const particles::CellIndex& rows, int passes) const {
    const int distance = passes_ * (every_ - used_) - passes;
    return computes_copies() ? rows.count_within[static_cast<std::size_t>(std::max(0, distance))] : rows.computed();
  }

  // Steps since the start.
  std::int64_t steps() const { return steps_; }
  std::int64_t refreshes() const { return refreshes_; }  // number of exchanges

 private:
  /// Passes of delta: rates, walls, forces; of classic: walls, rates.
  static int passes_of(const world::World& world) {
    bool walls = !world.bodies.empty() || !world.openings.empty();
    for (std::size_t s = 0; s < 2 * static_cast<std::size_t>(world.dimensions); ++s)
      walls = walls || world.sides[s].kind == world::SideKind::wall;
    return (world.method.scheme == world::Scheme::classic ? 1 : 2) + (walls ? 1 : 0);
  }

  int every_;
  bool exact_;
  int passes_;
  int used_ = 0;       // steps since the last exchange, without this one
  bool fresh_ = true;  // ranks have exchanged particles for this step
  std::int64_t steps_ = 0, refreshes_ = 0;
};

inline bool DeferredExchange::begin_step() {
  ++steps_;
  fresh_ = !is_on() || ++used_ == every_;
  if (!fresh_) return false;
  used_ = 0;
  ++refreshes_;
  return is_on();
}

inline void DeferredExchange::rebuilt() {
  if (!fresh_) ++refreshes_;
  fresh_ = true;
  used_ = 0;
}

}  // namespace eddyline::sph
