#pragma once

#include <string>
#include <vector>

namespace eddyline {

/// Instruction sets that this build and this processor share, best last.
std::vector<std::string> instruction_sets();

/// "auto" gives the best one; anything else must be one of instruction_sets(), or UserError.
std::string choose_instructions(const std::string& wanted);

}  // namespace eddyline
