#pragma once

#include <cstddef>

#include "physics/equations/equations.hpp"
#include "solvers/amr/options.hpp"
#include "world/formula.hpp"

namespace eddyline::amr {

/// Variables of the formula method.refine before the quantities of the equations: x, y, z, t, level.
inline constexpr std::size_t k_place_variables = 5;

/// The formula that chooses the cells to refine. Throws UserError.
world::Formula refinement_of(const Options& options, const physics::Equations& equations);
/// True if the formula depends on the time or on quantities.
bool can_change(const world::Formula& formula);

}  // namespace eddyline::amr
