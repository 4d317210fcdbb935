#pragma once
// Formulas of a world file: numbers, names, + - * / ^, parentheses, functions. No eval, no access to anything else.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "world/jet.hpp"

namespace eddyline::world {

/// A formula that was checked and compiled once and is evaluated often.
///
/// Grammar, loosest first; all operators but ^ and comparisons group from the left:
///   or | and | not | < <= > >= == != (not chained) | + - | * / | unary + - | ^ (from the right: 2^3^2 = 2^9)
/// so -2^2 = -4 and 2^-1 = 0.5. A number is 1, 2.5, .5 or 1e-3; a name consists of letters, digits, _ and single dots
/// and begins with a letter or _; pi is a constant. There is no implied product: 2*x, not 2x.
///
/// Functions: sqrt abs exp log (natural) log10 sin cos tan asin acos atan atan2(y, x) sinh cosh tanh, min and max (two
/// or more values; NaN if one is), floor ceil, sign (-1, 0 or 1), step (1 where x >= 0, else 0), pow(a, b) = a^b,
/// mod(a, b) = a - b floor(a / b) (has the sign of b), if(condition, a, b), sum(k, 1, 20, term), see parser.hpp.
/// Truth is a number: comparisons, `and`, `or` and `not` give 1 or 0, and every number other than 0 and NaN is true.
/// All arguments are always evaluated, also those that `if`, `and` or `or` then does not use.
///
/// Arithmetic follows IEEE 754, so 1/0 is infinite and sqrt(-1) is NaN; callers refuse such values. The
/// transcendental functions and ^ come from base/portable_math.hpp: a value has the same bits on every machine.
///
/// A Formula is cheap to copy (the program is shared) and safe to evaluate from several threads.
class Formula {
 public:
  /// The constant 0.
  Formula();
  /// The constant `value`.
  Formula(double value);  // NOLINT(google-explicit-constructor)
  /// Parses `text`; `variables` are the names it may use, in the order in which evaluate() takes their values.
  /// Throws UserError that names the place and the nearest known name ("column 3 of `2*Rr`: unknown name `Rr`; did you
  /// mean `R`?"), also for a formula that is nested too deeply (64 levels) and for a variable that cannot be a name.
  Formula(std::string_view text, std::vector<std::string> variables);

  /// The value, given one value for each variable in their order. Does not allocate. Throws std::invalid_argument if
  /// there are fewer values than variables; a formula without variables in it takes any span, also an empty one.
  double evaluate(std::span<const double> values) const;

  /// The value, with its first and second derivative by one of the variables (its place among variables()). Exact up
  /// to rounding, by rules and not by differences; the same bits on every machine. Where a formula jumps or has a
  /// corner (floor, ceil, sign, step, comparisons, mod; abs, min, max, if) the derivative is that of the branch taken;
  /// where it has none (sqrt at 0), infinite or NaN.
  Jet differentiate(std::span<const double> values, std::size_t variable) const;

  /// The names it may use, as given to the constructor; empty for a constant made from a number.
  const std::vector<std::string>& variables() const;
  /// True if no variable occurs in it.
  bool is_constant() const;
  /// The variables that really occur in it, in the order of the constructor's list.
  std::vector<std::string> used_variables() const;
  /// The text it was made from; of a constant, the shortest decimal that reads back as the same number.
  const std::string& text() const;

 private:
  struct Program;
  void check_count(std::span<const double> values) const;
  std::shared_ptr<const Program> program_;
};

}  // namespace eddyline::world
