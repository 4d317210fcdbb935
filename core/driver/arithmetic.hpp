#pragma once

#include <string>

namespace eddyline::driver {

/// How many directed pairs a second one core sums, rates and forces of the scheme delta in single precision, if all it
/// does is their arithmetic: every pair is near, all lanes are full, everything lies in the first cache, and nothing is
/// transposed. What whole steps reach is measured against it. Takes some milliseconds.
/// dimensions: 2 or 3. free_surface: whose sums, those of flows with one or without. instructions: as in Execution.
double arithmetic_limit(int dimensions, bool free_surface, const std::string& instructions);

}  // namespace eddyline::driver
