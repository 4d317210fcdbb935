#pragma once

#include <string>

namespace eddyline::sph {

/// Returns how many directed pairs a second one core sums in single precision if it does nothing but their arithmetic:
/// every pair is near, all lanes are full, everything is in the first-level cache, and nothing is transposed. It is the
/// limit with which whole steps are compared. Takes some milliseconds.
/// dimensions: 2 or 3. sums: of the scheme delta, "rates" or "forces", for a flow that is "confined" or has a "free
/// surface"; of the scheme classic, rates, for a "liquid" with laminar viscosity or a "gas". instructions: as in
/// Execution. Throws std::invalid_argument for other sums.
double arithmetic_limit(int dimensions, const std::string& sums, const std::string& instructions);

}  // namespace eddyline::sph
