#pragma once
// Formulas of terms as programs over many pairs at once.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "world/formula/instruction.hpp"

namespace eddyline::physics::terms {

using world::formula::Op;

/// Frequency at which a value of a program changes.
enum class Rate : std::uint8_t {
  once,    // a constant, or a function of time: once in a time step
  target,  // once for each particle whose pairs are summed
  pair,    // once for each pair
};

/// A variable of a program's formulas.
struct Variable {
  std::string name;
  Rate rate = Rate::pair;
};

/// Number of pairs, or particles, that a step of a program treats at once. Intermediate values stay in the first-level
/// cache, and the cost of choosing an operation is divided by this number.
inline constexpr int k_lanes = 128;
/// Lanes that are computed together, whether all of them are used or not.
inline constexpr int k_together = 32;
inline constexpr int k_most_registers = 96;
inline constexpr int k_no_register = -1;

/// One operation on registers of k_lanes values: to = op(a, b, c), or an operation on a and b and then one on the
/// result and c, each rounded.
struct Step {
  enum class Tail : std::uint8_t {
    none,
    fused,  // op is multiply: a b + c, rounded once
    add,
    multiply,
    subtract,
    subtract_from,  // c - (a op b)
  };
  Op op = Op::constant;
  Tail tail = Tail::none;
  std::uint16_t to = 0, a = 0, b = 0, c = 0;
};

/// Some formulas compiled together: common subexpressions are computed once, what does not change from pair to pair is
/// computed less often, powers with small whole exponents become products, and a b + c becomes a fused operation. The
/// program and with it every bit of its values depend on the formulas only.
class Program {
 public:
  Program() = default;
  /// outputs: formulas, in the language of world::Formula. Throws UserError for a formula that is wrong or too long.
  Program(std::span<const std::string> outputs, std::span<const Variable> variables);

  /// Registers of the outputs, in their order.
  const std::vector<int>& outputs() const { return outputs_; }
  /// Register that holds a variable, or k_no_register if no formula uses it.
  int register_of(std::size_t variable) const { return inputs_[variable]; }
  /// Steps for values that change with the target, and with the pair.
  std::span<const Step> of_target() const { return target_; }
  std::span<const Step> of_pair() const { return pair_; }
  /// Registers with a value for each target that steps for pairs read.
  const std::vector<int>& shared() const { return shared_; }

  /// A register that holds the same value in all lanes.
  struct Filled {
    int to = 0;
    double value = 0;
  };
  /// All such registers, for values of the variables with Rate::once, by the number of the variable.
  std::vector<Filled> filled(std::span<const double> values) const;

 private:
  struct Once {
    Op op = Op::constant;
    std::array<int, 3> from{};
    int variable = 0;
    double constant = 0;
    int to = k_no_register;
  };

  std::vector<int> outputs_, inputs_, shared_;
  std::vector<Once> once_;
  std::vector<Step> target_, pair_;
};

}  // namespace eddyline::physics::terms
