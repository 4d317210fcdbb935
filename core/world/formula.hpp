#pragma once
// Formulas of a world file: numbers, names, + - * / ^, parentheses, functions. No eval, no access to anything else.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eddyline::world {

/// A formula that was checked and compiled once and is evaluated often.
///
/// Grammar: numbers (1, 2.5, 1e-3), names, + - * / ^ (right associative, binds tighter than unary minus: -2^2 = -4),
/// parentheses, comparisons (< <= > >= == !=, giving 1 or 0), `and`, `or`, `not`, the constant pi, and the functions
/// sqrt abs exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh min max floor ceil sign step pow mod
/// if(condition, a, b). All transcendental functions come from base/portable_math.hpp, so that a value has the same
/// bits on every machine.
///
/// A Formula is cheap to copy (the program is shared) and safe to evaluate from several threads.
class Formula {
 public:
  /// The constant 0.
  Formula();
  /// The constant `value`.
  Formula(double value);  // NOLINT(google-explicit-constructor)
  /// Parses `text`; `variables` are the names it may use, in the order in which evaluate() takes their values.
  /// Throws UserError that names the place and the nearest known name ("unknown name `Rr`; did you mean `R`?").
  Formula(std::string_view text, std::vector<std::string> variables);

  double evaluate(std::span<const double> values) const;

  /// True if no variable occurs in it.
  bool is_constant() const;
  /// The variables that really occur in it.
  std::vector<std::string> used_variables() const;
  const std::string& text() const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

}  // namespace eddyline::world
