#pragma once

#include <vector>

#include "base/archive.hpp"
#include "comm/communicator.hpp"
#include "patches/levels.hpp"
#include "physics/equations/equations.hpp"

namespace eddyline::amr {

/// Adds this rank's patches to a checkpoint: which units are refined, boxes, and all fields at the begin of a step.
void save_levels(const patches::Levels& levels, const physics::Equations& equations, ArchiveWriter& archive);
/// Takes them from a checkpoint of any number of ranks: each rank has some of its parts, the root the first. Throws
/// UserError. Collective.
void restore_levels(patches::Levels& levels, const physics::Equations& equations,
                    const std::vector<ArchiveReader>& parts, comm::Communicator& communicator);

}  // namespace eddyline::amr
