#pragma once

#include <string>
#include <vector>

namespace eddyline {

/// Instruction sets that this build and this processor share, best last.
std::vector<std::string> instruction_sets();

/// "auto" gives the best one; anything else must be one of instruction_sets(), or UserError.
std::string choose_instructions(const std::string& wanted);

/// Whether it costs less to gather the last values of sixteen rows with AVX-512 than to transpose them: on Intel's
/// processors since Sapphire Rapids, which are told by their half precision.
bool has_fast_gather();

}  // namespace eddyline
