#pragma once

#include <string>
#include <vector>

namespace eddyline {

/// Instruction sets that this build and this processor share, best last.
std::vector<std::string> instruction_sets();

/// "auto" gives the best one; anything else must be one of instruction_sets(), or UserError.
std::string choose_instructions(const std::string& wanted);

/// Whether gathering sixteen values with AVX-512 costs less than transposing them with four others: on Intel's
/// processors since Sapphire Rapids, which are told by their half precision. Those of AMD load values one by one.
bool gathers_quickly();

}  // namespace eddyline
