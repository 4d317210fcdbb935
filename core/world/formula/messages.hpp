#pragma once
// Parts of messages about formulas: what was written, and what may have been meant.

#include <string>
#include <string_view>
#include <vector>

namespace eddyline::world::formula {

/// The text between backquotes, on one line.
std::string quoted(std::string_view text);

/// "; did you mean `sin`?", or "; known are ..." where nothing is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace eddyline::world::formula
