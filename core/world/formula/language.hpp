#pragma once
// What formulas are written with: functions, operators, and what people write elsewhere for them.

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

/// What people write elsewhere, and what it is here.
struct ForeignSymbol {
  std::string_view symbol, ours;
};

std::span<const Function> functions();
std::span<const ForeignSymbol> foreign_symbols();

/// Null where there is none of that name.
const Function* find_function(std::string_view name);
const Operator* find_operator(std::string_view symbol);

}  // namespace eddyline::world::formula
