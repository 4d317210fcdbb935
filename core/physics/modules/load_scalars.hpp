#pragma once

#include <memory>

#include "physics/scalars/module_scalars.hpp"
#include "world/world.hpp"

namespace eddyline::physics {

/// The scalars of the module that a world names, with the parameters among its options; null if it names none. Throws
/// UserError.
std::unique_ptr<scalars::ModuleScalars> scalars_of(const world::World& world);

}  // namespace eddyline::physics
