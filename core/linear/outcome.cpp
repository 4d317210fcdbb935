#include "linear/outcome.hpp"

#include <cmath>
#include <sstream>

#include "base/errors.hpp"

namespace eddyline::linear {

namespace {

const char* text_of(Reason reason) {
  switch (reason) {
    case Reason::converged: return "converged";
    case Reason::too_many_iterations: return "not converged, too many iterations";
    case Reason::breakdown: return "breakdown, the operator or the preconditioner is not positive definite";
    case Reason::not_finite: return "numbers are not finite or too large to be squared";
    case Reason::out_of_range: return "numbers of the right side are too small to be squared, scale the system";
    case Reason::stagnated: return "stagnated, rounding keeps the residual above the tolerance";
  }
  return "unknown";
}

}  // namespace

std::string describe(const Outcome& outcome) {
  std::ostringstream text;
  text << text_of(outcome.reason) << " after " << outcome.iterations
       << (outcome.iterations == 1 ? " iteration" : " iterations");
  text.precision(2);
  text << ", relative residual " << outcome.residual;
  return text.str();
}

void check(const SolveOptions& options) {
  std::ostringstream text;
  if (!(options.tolerance >= 0 && std::isfinite(options.tolerance)))
    text << "tolerance = " << options.tolerance << "; it must be 0 or more.";
  else if (options.max_iterations < 0)
    text << "max_iterations = " << options.max_iterations << "; it must be 0 or more.";
  else
    return;
  throw UserError(text.str());
}

}  // namespace eddyline::linear
