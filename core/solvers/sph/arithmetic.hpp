#pragma once

#include <string>

namespace eddyline::sph {

/// How many directed pairs a second one core sums in single precision if all it does is their arithmetic: every pair is
/// near, all lanes are full, everything lies in the first cache, and nothing is transposed. What whole steps reach is
/// measured against it. Takes some milliseconds.
/// dimensions: 2 or 3. sums: of the scheme delta, rates and forces, those of a flow that is "confined" or has a
/// "free surface"; of the scheme classic, rates, those of a "liquid" with laminar viscosity or of a "gas".
/// instructions: as in Execution. Throws std::invalid_argument for other sums.
double arithmetic_limit(int dimensions, const std::string& sums, const std::string& instructions);

}  // namespace eddyline::sph
