#include "world/formula/language.hpp"

#include <algorithm>
#include <array>

namespace eddyline::world::formula {

namespace {

constexpr std::array k_functions{
    Function{"sqrt", Op::sqrt, "sqrt(x)"},
    Function{"abs", Op::abs, "abs(x)"},
    Function{"exp", Op::exp, "exp(x)"},
    Function{"log", Op::log, "log(x)"},
    Function{"log10", Op::log10, "log10(x)"},
    Function{"sin", Op::sin, "sin(x)"},
    Function{"cos", Op::cos, "cos(x)"},
    Function{"tan", Op::tan, "tan(x)"},
    Function{"asin", Op::asin, "asin(x)"},
    Function{"acos", Op::acos, "acos(x)"},
    Function{"atan", Op::atan, "atan(x)"},
    Function{"atan2", Op::atan2, "atan2(y, x)"},
    Function{"sinh", Op::sinh, "sinh(x)"},
    Function{"cosh", Op::cosh, "cosh(x)"},
    Function{"tanh", Op::tanh, "tanh(x)"},
    Function{"min", Op::min, "min(a, b, ...)", true},
    Function{"max", Op::max, "max(a, b, ...)", true},
    Function{"floor", Op::floor, "floor(x)"},
    Function{"ceil", Op::ceil, "ceil(x)"},
    Function{"sign", Op::sign, "sign(x)"},
    Function{"step", Op::step, "step(x)"},
    Function{"pow", Op::power, "pow(a, b)"},
    Function{"mod", Op::mod, "mod(a, b)"},
    Function{"if", Op::select, "if(condition, a, b)"},
};

constexpr std::array k_operators{
    Operator{"or", Op::logical_or, k_or},
    Operator{"and", Op::logical_and, k_and},
    Operator{"<", Op::less, k_comparison},
    Operator{"<=", Op::less_equal, k_comparison},
    Operator{">", Op::greater, k_comparison},
    Operator{">=", Op::greater_equal, k_comparison},
    Operator{"==", Op::equal, k_comparison},
    Operator{"!=", Op::not_equal, k_comparison},
    Operator{"+", Op::add, k_sum},
    Operator{"-", Op::subtract, k_sum},
    Operator{"*", Op::multiply, k_product},
    Operator{"/", Op::divide, k_product},
    Operator{"^", Op::power, k_power},
};

constexpr std::array<ForeignSymbol, 14> k_foreign_symbols{{
    {"**", "^"},
    {"&&", "and"},
    {"||", "or"},
    {"&", "and"},
    {"|", "or"},
    {"!", "not"},
    {"=", "=="},
    {"\u00d7", "*"},
    {"\u00b7", "*"},
    {"\u2212", "-"},
    {"\u2013", "-"},
    {"\u00b2", "^2"},
    {"\u00b3", "^3"},
    {"\u03c0", "pi"},
}};

}  // namespace

std::span<const Function> functions() { return k_functions; }

std::span<const ForeignSymbol> foreign_symbols() { return k_foreign_symbols; }

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(k_functions.begin(), k_functions.end(), [&](auto& f) { return f.name == name; });
  return found == k_functions.end() ? nullptr : &*found;
}

const Operator* find_operator(std::string_view symbol) {
  const auto found = std::find_if(k_operators.begin(), k_operators.end(), [&](auto& o) { return o.symbol == symbol; });
  return found == k_operators.end() ? nullptr : &*found;
}

}  // namespace eddyline::world::formula
