#pragma once
// Conditions on the boundaries of a mesh.

#include <string>
#include <vector>

#include "solvers/multiblock/grid.hpp"
#include "world/world.hpp"

namespace eddyline::multiblock {

/// The conditions of a world's sides, openings and bodies.
class Boundaries {
 public:
  explicit Boundaries(const world::World& world);

  /// Sets condition, owner and source of a face from the name of its boundary and its centre. Throws UserError for a
  /// name that is no side, no body and not "far", and for a side whose kind this solver cannot impose.
  void classify(const std::string& boundary, BoundaryFace& face) const;
  /// Sets the velocity and the pressure that a face imposes at time t [s].
  void impose(double t, BoundaryFace& face) const;
  /// Tells whether anything imposed may depend on time.
  bool vary() const { return vary_; }
  /// Looks at the world again for that, after a change.
  void find_variation();
  double gamma() const { return world_.fluid.gamma; }

 private:
  /// Part of a boundary: one of these is not null, except on the far field of a world without a stream.
  struct Source {
    const world::Opening* opening = nullptr;
    const world::Side* side = nullptr;
    const world::Body* body = nullptr;
  };

  const world::World& world_;
  std::vector<Source> sources_;  // openings, then sides, then bodies
  bool vary_ = false;
};

}  // namespace eddyline::multiblock
