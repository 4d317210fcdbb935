#pragma once

#include <string>
#include <vector>

namespace eddyline {

/// Instruction sets that both this build and this processor support, fastest last.
std::vector<std::string> instruction_sets();

/// "auto" selects the fastest set. Any other name must be one of instruction_sets(); throws UserError if it is not.
std::string choose_instructions(const std::string& wanted);

/// True if gathering the last values of sixteen rows with AVX-512 is faster than transposing them. This holds on Intel
/// processors since Sapphire Rapids, which are recognised by their half-precision support.
bool has_fast_gather();

}  // namespace eddyline
