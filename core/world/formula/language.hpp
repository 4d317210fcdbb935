#pragma once
// Language of formulas: functions, operators, and common symbols of other languages.

#include <span>
#include <string_view>

#include "world/formula/instruction.hpp"

namespace eddyline::world::formula {

struct Function {
  std::string_view name;
  Op op;
  std::string_view usage;
  bool any_number = false;  // two arguments or more
};

/// Binding strengths, weakest first; a comparison is the only operator that does not chain.
enum Binding : int { k_any = 0, k_or, k_and, k_not, k_comparison, k_sum, k_product, k_unary, k_power };

struct Operator {
  std::string_view symbol;
  Op op;
  Binding binding;
};

/// A symbol of other languages and its equivalent here, for error messages.
struct ForeignSymbol {
  std::string_view symbol, ours;
};

std::span<const Function> functions();
std::span<const ForeignSymbol> foreign_symbols();

/// Returns null if no function has this name.
const Function* find_function(std::string_view name);
const Operator* find_operator(std::string_view symbol);

}  // namespace eddyline::world::formula
