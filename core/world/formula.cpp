#include "world/formula.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/errors.hpp"
#include "base/portable_math.hpp"

namespace eddyline::world {

namespace {

constexpr int k_nesting_limit = 64;
constexpr int k_stack_size = 256;

enum class Op : std::uint8_t {
  // clang-format off
  constant, variable,
  negate, logical_not, sqrt, abs, exp, log, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, floor, ceil, sign, step,
  add, subtract, multiply, divide, power, less, less_equal, greater, greater_equal, equal, not_equal, logical_and, logical_or,
  atan2, min, max, mod,
  select
  // clang-format on
};

constexpr int arity(Op op) { return op < Op::negate ? 0 : op < Op::add ? 1 : op < Op::select ? 2 : 3; }

struct Instruction {
  Op op;
  std::int32_t variable = 0;
  double constant = 0;
};

bool holds(double a) { return a < 0 || a > 0; }

double remainder_like_divisor(double a, double b) {
  const double r = std::fmod(a, b);  // exact by definition
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

double apply(Op op, double a) {
  switch (op) {
    case Op::negate: return -a;
    case Op::logical_not: return holds(a) ? 0 : 1;
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::abs(a);
    case Op::exp: return portable::exp(a);
    case Op::log: return portable::log(a);
    case Op::log10: return portable::log10(a);
    case Op::sin: return portable::sin(a);
    case Op::cos: return portable::cos(a);
    case Op::tan: return portable::tan(a);
    case Op::asin: return portable::asin(a);
    case Op::acos: return portable::acos(a);
    case Op::atan: return portable::atan(a);
    case Op::sinh: return portable::sinh(a);
    case Op::cosh: return portable::cosh(a);
    case Op::tanh: return portable::tanh(a);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::sign: return a > 0 ? 1 : a < 0 ? -1 : a;  // keeps NaN
    case Op::step: return a >= 0 ? 1 : a < 0 ? 0 : a;
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return portable::pow(a, b);
    case Op::less: return a < b ? 1 : 0;
    case Op::less_equal: return a <= b ? 1 : 0;
    case Op::greater: return a > b ? 1 : 0;
    case Op::greater_equal: return a >= b ? 1 : 0;
    case Op::equal: return a == b ? 1 : 0;
    case Op::not_equal: return a != b ? 1 : 0;
    case Op::logical_and: return holds(a) && holds(b) ? 1 : 0;
    case Op::logical_or: return holds(a) || holds(b) ? 1 : 0;
    case Op::atan2: return portable::atan2(a, b);
    case Op::min: return a != a || a < b ? a : b;
    case Op::max: return a != a || a > b ? a : b;
    case Op::mod: return remainder_like_divisor(a, b);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

Jet apply(Op op, Jet a) {
  const double x = a.value, f = apply(op, x);
  switch (op) {
    case Op::negate: return -a;
    case Op::sqrt: return chain(a, f, 0.5 / f, -0.25 / (f * x));
    case Op::abs: return chain(a, f, x < 0 ? -1 : 1, 0);
    case Op::exp: return chain(a, f, f, f);
    case Op::log: return chain(a, f, 1 / x, -1 / (x * x));
    case Op::log10: {
      const double ln10 = portable::log(10);
      return chain(a, f, 1 / (x * ln10), -1 / (x * x * ln10));
    }
    case Op::sin: return chain(a, f, portable::cos(x), -f);
    case Op::cos: return chain(a, f, -portable::sin(x), -f);
    case Op::tan: return chain(a, f, 1 + f * f, 2 * f * (1 + f * f));
    case Op::asin: {
      const double slope = 1 / std::sqrt(1 - x * x);
      return chain(a, f, slope, x * slope * slope * slope);
    }
    case Op::acos: {
      const double slope = -1 / std::sqrt(1 - x * x);
      return chain(a, f, slope, x * slope * slope * slope);
    }
    case Op::atan: {
      const double slope = 1 / (1 + x * x);
      return chain(a, f, slope, -2 * x * slope * slope);
    }
    case Op::sinh: return chain(a, f, portable::cosh(x), f);
    case Op::cosh: return chain(a, f, portable::sinh(x), f);
    case Op::tanh: return chain(a, f, 1 - f * f, -2 * f * (1 - f * f));
    default: return {f, 0, 0};  // not, floor, ceil, sign, step
  }
}

/// a^b: by the power rule where b is a constant, so that a may be 0 or negative; else from b log(a).
Jet power(Jet a, Jet b) {
  const double x = a.value, n = b.value, f = portable::pow(x, n);
  if (is_still(b)) {
    const double first = n == 0 ? 0 : n * portable::pow(x, n - 1);
    const double second = n == 0 || n == 1 ? 0 : n * (n - 1) * portable::pow(x, n - 2);
    return chain(a, f, first, second);
  }
  const Jet exponent = b * apply(Op::log, a);
  return {f, f * exponent.first, f * (exponent.first * exponent.first + exponent.second)};
}

Jet atan2(Jet y, Jet x) {
  const double square = x.value * x.value + y.value * y.value;
  const double first = (x.value * y.first - y.value * x.first) / square;
  const double turned = x.value * y.second - y.value * x.second;
  const double outward = 2 * (x.value * x.first + y.value * y.first);
  return {portable::atan2(y.value, x.value), first, (turned - first * outward) / square};
}

Jet apply(Op op, Jet a, Jet b) {
  const double f = apply(op, a.value, b.value);
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return power(a, b);
    case Op::atan2: return atan2(a, b);
    case Op::min: return std::isnan(a.value) || a.value < b.value ? a : b;
    case Op::max: return std::isnan(a.value) || a.value > b.value ? a : b;
    case Op::mod: {
      const double times = std::floor(a.value / b.value);
      return {f, a.first - times * b.first, a.second - times * b.second};
    }
    default: return {f, 0, 0};  // comparisons, and, or
  }
}

double value_of(double a) { return a; }
double value_of(Jet a) { return a.value; }

struct Function {
  std::string_view name;
  Op op;
  std::string_view usage;
  bool any_number = false;  // two arguments or more
};

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

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(k_functions.begin(), k_functions.end(), [&](auto& f) { return f.name == name; });
  return found == k_functions.end() ? nullptr : &*found;
}

// Binding strengths; a comparison is the only operator that does not chain.
enum Binding : int { k_any = 0, k_or, k_and, k_not, k_comparison, k_sum, k_product, k_unary, k_power };

struct Operator {
  std::string_view symbol;
  Op op;
  Binding binding;
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

const Operator* find_operator(std::string_view symbol) {
  const auto found = std::find_if(k_operators.begin(), k_operators.end(), [&](auto& o) { return o.symbol == symbol; });
  return found == k_operators.end() ? nullptr : &*found;
}

/// What people write elsewhere, and what it is here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> k_foreign_symbols{{
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

// The C library's classification depends on the locale; this does not.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The length of the name at the start of `text`, 0 if there is none.
std::size_t name_length(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return 0;
  std::size_t n = 1;
  while (n < text.size()) {
    const bool dot = text[n] == '.' && n + 1 < text.size() && is_letter(text[n + 1]);
    if (!dot && !is_letter(text[n]) && !is_digit(text[n])) break;
    ++n;
  }
  return n;
}

/// Letters to insert, delete, replace or swap with a neighbour, not counting upper and lower case (optimal string
/// alignment).
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char p = lower(a[i - 1]), q = lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (p == q ? 0 : 1)});
      if (i > 1 && j > 1 && p == lower(b[j - 2]) && lower(a[i - 2]) == q) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

/// "; did you mean `sin`?", or "; known are ..." where nothing is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t k_longest = 64, k_listed = 12;
  const std::string* nearest = nullptr;
  int smallest = std::max<int>(1, static_cast<int>(name.size()) / 3) + 1;
  for (const std::string& candidate : known) {
    if (name.size() > k_longest || candidate.size() > k_longest) continue;
    const int distance = edit_distance(name, candidate);
    if (distance < smallest && distance < static_cast<int>(std::max(name.size(), candidate.size()))) {
      smallest = distance;
      nearest = &candidate;
    }
  }
  if (nearest != nullptr) return "; did you mean `" + *nearest + "`?";
  std::string list = "; known are ";
  for (std::size_t i = 0; i < known.size() && i < k_listed; ++i) list += (i == 0 ? "" : ", ") + known[i];
  return list + (known.size() > k_listed ? ", ..." : "");
}

std::string quoted(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return is_space(c) || c == '\0'; }, ' ');
  return "`" + line + "`";
}

}  // namespace

struct Formula::Program {
  std::string text;
  std::vector<std::string> variables;
  std::vector<Instruction> instructions;
  bool constant = true;
};

namespace {

struct Token {
  enum Kind { k_number, k_name, k_symbol, k_end } kind = k_end;
  std::string_view text;
  double value = 0;
};

/// Compiles while it parses (Pratt 1973): an operator's operands are on the stack when its instruction is appended.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& variables) : text_(text), variables_(variables) {}

  std::vector<Instruction> parse() {
    check_variables();
    advance();
    if (token_.kind == Token::k_end)
      throw UserError("an empty formula; write a number or an expression, for instance 0");
    expression(k_any);
    if (token_.kind != Token::k_end) refuse_trailing();
    return std::move(instructions_);
  }

 private:
  void check_variables() const {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const std::string& name = variables_[i];
      if (name.empty() || name_length(name) != name.size())
        throw UserError(
            "variable " + quoted(name) +
            " cannot be used in formulas; a name consists of letters, digits, _ and single dots, and begins "
            "with a letter or _");
      if (name == "pi" || name == "and" || name == "or" || name == "not")
        throw UserError("variable " + quoted(name) + " has the name of something else; choose another name");
      if (std::find(variables_.begin(), variables_.begin() + static_cast<std::ptrdiff_t>(i), name) !=
          variables_.begin() + static_cast<std::ptrdiff_t>(i))
        throw UserError("variable " + quoted(name) + " is given twice");
    }
  }

  [[noreturn]] void fail(std::string_view at, const std::string& message) const {
    constexpr std::size_t k_shown = 40;  // on either side
    const auto offset = static_cast<std::size_t>(at.data() - text_.data());
    const auto column = 1 + std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset),
                                          [](char c) { return !is_continuation_byte(c); });
    std::size_t first = offset > k_shown ? offset - k_shown : 0, last = std::min(text_.size(), offset + k_shown);
    while (first > 0 && is_continuation_byte(text_[first])) --first;
    while (last < text_.size() && is_continuation_byte(text_[last])) ++last;
    std::string shown = quoted(text_.substr(first, last - first));
    if (first > 0) shown.insert(1, "...");
    if (last < text_.size()) shown.insert(shown.size() - 1, "...");
    throw UserError("column " + std::to_string(column) + " of " + shown + ": " + message);
  }

  void advance() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
    const char* const begin = text_.data() + position_;
    const char* const end = text_.data() + text_.size();
    token_ = {Token::k_end, {begin, 0}, 0};
    if (begin == end) return;
    const std::string_view rest(begin, text_.size() - position_);
    std::size_t length = name_length(rest);
    if (length > 0) {
      token_.kind = Token::k_name;
    } else if (is_digit(*begin) || (*begin == '.' && rest.size() > 1 && is_digit(begin[1]))) {
      token_.kind = Token::k_number;
      const auto result = std::from_chars(begin, end, token_.value);
      length = static_cast<std::size_t>(result.ptr - begin);
      if (result.ec != std::errc{}) fail(rest, quoted(rest.substr(0, length)) + " is outside the range of numbers");
    } else {
      token_.kind = Token::k_symbol;
      length = symbol_length(rest);
    }
    token_.text = {begin, length};
    position_ += length;
  }

  std::size_t symbol_length(std::string_view rest) const {
    const std::string_view two = rest.substr(0, 2);
    if (two == "<=" || two == ">=" || two == "==" || two == "!=") return 2;
    for (const auto& [foreign, ours] : k_foreign_symbols)
      if (rest.starts_with(foreign)) fail(rest, quoted(foreign) + " is not known here; write " + quoted(ours));
    if (find_operator(rest.substr(0, 1)) != nullptr || rest[0] == '(' || rest[0] == ')' || rest[0] == ',') return 1;
    std::size_t n = 1;
    while (n < rest.size() && is_continuation_byte(rest[n])) ++n;
    fail(rest, "unexpected " + quoted(rest.substr(0, n)));
  }

  bool at(std::string_view symbol) const {
    return (token_.kind == Token::k_symbol || token_.kind == Token::k_name) && token_.text == symbol;
  }

  const Operator* infix_operator() const {
    return token_.kind == Token::k_symbol || token_.kind == Token::k_name ? find_operator(token_.text) : nullptr;
  }

  /// An expression whose operators all bind at least as strongly as `weakest`.
  void expression(int weakest) {
    operand(weakest);
    for (const Operator* op = infix_operator(); op != nullptr && op->binding >= weakest; op = infix_operator()) {
      const std::string_view symbol = token_.text;
      advance();
      if (op->binding == k_power) {
        nested(symbol, [&] { expression(k_unary); });
      } else {
        expression(op->binding + 1);
      }
      append(op->op);
      if (op->binding == k_comparison && infix_operator() != nullptr && infix_operator()->binding == k_comparison)
        fail(token_.text, "comparisons cannot be chained; write a < b and b < c");
    }
  }

  void operand(int weakest) {
    const Token token = token_;
    if (token.kind == Token::k_end) fail(token.text, "the formula ends where a value is expected");
    if (at("-") || at("+")) {
      advance();
      nested(token.text, [&] { expression(k_unary); });
      if (token.text == "-") append(Op::negate);
    } else if (at("not")) {
      if (weakest > k_not) fail(token.text, "write `not` with its operand in parentheses here");
      advance();
      nested(token.text, [&] { expression(k_not); });
      append(Op::logical_not);
    } else if (at("(")) {
      advance();
      nested(token.text, [&] { expression(k_any); });
      close(token.text);
    } else if (token.kind == Token::k_number) {
      advance();
      append_operand({Op::constant, 0, token.value}, token.text);
    } else if (token.kind == Token::k_name && find_operator(token.text) == nullptr) {
      advance();
      name(token.text);
    } else {
      fail(token.text, "a value is expected before " + quoted(token.text));
    }
  }

  void name(std::string_view word) {
    const auto variable = std::find(variables_.begin(), variables_.end(), word);
    const Function* function = find_function(word);
    if (at("(")) {
      if (function != nullptr) return call(word, *function);
      if (variable != variables_.end() || word == "pi")
        fail(word, quoted(word) + " is a value, not a function; a product needs *: " + std::string(word) + "*(...)");
      std::vector<std::string> known;
      for (const Function& f : k_functions) known.emplace_back(f.name);
      fail(word, "unknown function " + quoted(word) + suggestion(word, known));
    }
    if (variable != variables_.end()) {
      append_operand({Op::variable, static_cast<std::int32_t>(variable - variables_.begin()), 0}, word);
    } else if (word == "pi") {
      append_operand({Op::constant, 0, portable::k_pi}, word);
    } else if (function != nullptr) {
      fail(word, quoted(word) + " is a function; write " + std::string(function->usage));
    } else {
      std::vector<std::string> known = variables_;
      known.emplace_back("pi");
      fail(word, "unknown name " + quoted(word) + suggestion(word, known));
    }
  }

  void call(std::string_view word, const Function& function) {
    const std::string_view parenthesis = token_.text;
    advance();
    int given = 0;
    const int wanted = arity(function.op);
    if (!at(")")) {
      while (true) {
        nested(word, [&] { expression(k_any); });
        ++given;
        if (function.any_number && given > 1) append(function.op);
        if (!at(",")) break;
        advance();
      }
    }
    close(parenthesis);
    if (function.any_number ? given < 2 : given != wanted)
      fail(word, quoted(word) + " takes " + std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") +
                     (function.any_number ? " or more" : "") + ", found " + std::to_string(given) + "; write " +
                     std::string(function.usage));
    if (!function.any_number) append(function.op);
  }

  void close(std::string_view parenthesis) {
    if (!at(")")) {
      if (token_.kind == Token::k_end) fail(parenthesis, "this `(` is never closed; a `)` is missing");
      if (!at(",")) refuse_trailing();
      fail(token_.text, "`,` stands outside the arguments of a function");
    }
    advance();
  }

  [[noreturn]] void refuse_trailing() const {
    if (at(")")) fail(token_.text, "this `)` closes nothing; a `(` is missing");
    if (at(",")) fail(token_.text, "`,` stands outside the arguments of a function; decimals have a point");
    fail(token_.text, "an operator is expected before " + quoted(token_.text) + "; a product needs *");
  }

  template <class Parse>
  void nested(std::string_view where, Parse parse) {
    if (++nesting_ > k_nesting_limit)
      fail(where, "nested too deeply; at most " + std::to_string(k_nesting_limit) + " levels");
    parse();
    --nesting_;
  }

  void append_operand(Instruction instruction, std::string_view where) {
    if (++depth_ > k_stack_size) fail(where, "nested too deeply; compute parts of it in [let]");
    instructions_.push_back(instruction);
  }

  /// Appends an operation, or its result where all operands are constants: the same functions give the same bits.
  void append(Op op) {
    const auto operands = static_cast<std::size_t>(arity(op));
    depth_ -= static_cast<int>(operands) - 1;
    Instruction* const last = instructions_.data() + instructions_.size() - operands;
    const bool fold = std::all_of(last, last + operands, [](const Instruction& i) { return i.op == Op::constant; });
    if (!fold) {
      instructions_.push_back({op});
      return;
    }
    const double a = last[0].constant;
    const double value = operands == 1   ? apply(op, a)
                         : operands == 2 ? apply(op, a, last[1].constant)
                         : holds(a)      ? last[1].constant
                                         : last[2].constant;
    instructions_.resize(instructions_.size() - operands + 1);
    instructions_.back() = {Op::constant, 0, value};
  }

  std::string_view text_;
  const std::vector<std::string>& variables_;
  std::size_t position_ = 0;
  Token token_;
  int nesting_ = 0;
  int depth_ = 0;  // values on the stack when the instructions so far have run
  std::vector<Instruction> instructions_;
};

/// Runs the program on numbers of type Number (double or Jet); input(v) is that of variable v.
template <class Number, class Input>
Number run(const std::vector<Instruction>& instructions, Input&& input) {
  std::array<Number, k_stack_size> stack;  // NOLINT: every element is written before it is read
  Number* top = stack.data();              // one above the last value
  for (const Instruction& instruction : instructions) {
    switch (arity(instruction.op)) {
      case 0:
        *top++ = instruction.op == Op::constant ? Number{instruction.constant}
                                                : input(static_cast<std::size_t>(instruction.variable));
        break;
      case 1: top[-1] = apply(instruction.op, top[-1]); break;
      case 2:
        --top;
        top[-1] = apply(instruction.op, top[-1], top[0]);
        break;
      default: top -= 2; top[-1] = holds(value_of(top[-1])) ? top[0] : top[1];
    }
  }
  return top[-1];
}

std::string shortest_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace

Formula::Formula() {
  static const auto zero = std::make_shared<const Program>(Program{"0", {}, {{Op::constant, 0, 0.0}}, true});
  program_ = zero;
}

Formula::Formula(double value)
    : program_(std::make_shared<const Program>(Program{shortest_text(value), {}, {{Op::constant, 0, value}}, true})) {}

Formula::Formula(std::string_view text, std::vector<std::string> variables) {
  auto program = std::make_shared<Program>();
  program->text = text;
  program->variables = std::move(variables);
  program->instructions = Parser(program->text, program->variables).parse();
  program->constant = std::none_of(program->instructions.begin(), program->instructions.end(),
                                   [](const Instruction& i) { return i.op == Op::variable; });
  program_ = std::move(program);
}

double Formula::evaluate(std::span<const double> values) const {
  check_count(values);
  return run<double>(program_->instructions, [&](std::size_t v) { return values[v]; });
}

Jet Formula::differentiate(std::span<const double> values, std::size_t variable) const {
  check_count(values);
  return run<Jet>(program_->instructions, [&](std::size_t v) { return Jet{values[v], v == variable ? 1.0 : 0.0, 0}; });
}

void Formula::check_count(std::span<const double> values) const {
  if (!program_->constant && values.size() < program_->variables.size())
    throw std::invalid_argument("formula " + quoted(program_->text) + " takes " +
                                std::to_string(program_->variables.size()) + " values, found " +
                                std::to_string(values.size()));
}

const std::vector<std::string>& Formula::variables() const { return program_->variables; }

bool Formula::is_constant() const { return program_->constant; }

std::vector<std::string> Formula::used_variables() const {
  std::vector<std::string> used;
  for (std::size_t v = 0; v < program_->variables.size(); ++v) {
    const bool occurs = std::any_of(
        program_->instructions.begin(), program_->instructions.end(),
        [&](const Instruction& i) { return i.op == Op::variable && static_cast<std::size_t>(i.variable) == v; });
    if (occurs) used.push_back(program_->variables[v]);
  }
  return used;
}

const std::string& Formula::text() const { return program_->text; }

}  // namespace eddyline::world
