#pragma once
// The grammar of formulas: from a text to instructions.

#include <string>
#include <string_view>
#include <vector>

#include "world/formula/instruction.hpp"

namespace eddyline::world::formula {

/// sum(k, 1, 20, term) is the terms for k = 1, 2, ..., 20, added in this order to 0. The bounds are whole numbers. All
/// sums of a formula together have at most 1,000 terms, one inside another counted as often as it is computed.
///
/// Compiles `text`; its variables are numbered by their place in `variables`. The instructions leave one value on
/// a stack of sufficient size. Throws UserError like the constructor of Formula.
std::vector<Instruction> parse(std::string_view text, const std::vector<std::string>& variables);

}  // namespace eddyline::world::formula
