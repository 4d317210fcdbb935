#include "world/formula/parser.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "world/formula/evaluate.hpp"
#include "world/formula/language.hpp"
#include "world/formula/lexer.hpp"
#include "world/formula/messages.hpp"

namespace eddyline::world::formula {

namespace {

constexpr int k_nesting_limit = 64;
constexpr double k_most_terms = 1000;  // of all sums of a formula
constexpr double k_largest_bound = 1e6;
constexpr std::string_view k_sum_usage = "sum(k, 1, 20, term)";

void check_variables(const std::vector<std::string>& variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string& name = variables[i];
    if (name.empty() || name_length(name) != name.size())
      throw UserError("variable " + quoted(name) +
                      " cannot be used in formulas; a name consists of letters, digits, _ and single dots, and begins "
                      "with a letter or _");
    if (name == "pi" || name == "sum" || name == "and" || name == "or" || name == "not")
      throw UserError("variable " + quoted(name) + " has a reserved name; choose another name");
    if (std::find(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        variables.begin() + static_cast<std::ptrdiff_t>(i))
      throw UserError("variable " + quoted(name) + " is given twice");
  }
}

/// Compiles while it parses (Pratt 1973): an operator's operands are on the stack when its instruction is appended.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& variables) : lexer_(text), variables_(variables) {}

  std::vector<Instruction> parse() {
    advance();
    if (token_.kind == Token::k_end)
      throw UserError("an empty formula; write a number or an expression, for instance 0");
    expression(k_any);
    if (token_.kind != Token::k_end) refuse_trailing();
    return std::move(instructions_);
  }

 private:
  void advance() { token_ = lexer_.next(); }

  [[noreturn]] void fail(std::string_view at, const std::string& message) const { lexer_.fail(at, message); }

  bool at(std::string_view symbol) const {
    return (token_.kind == Token::k_symbol || token_.kind == Token::k_name) && token_.text == symbol;
  }

  const Operator* infix_operator() const {
    return token_.kind == Token::k_symbol || token_.kind == Token::k_name ? find_operator(token_.text) : nullptr;
  }

  /// Parses an expression of operators that bind at least as strongly as `weakest`.
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
    const auto counter = std::find(counters_.begin(), counters_.end(), word);
    if (word == "sum") {
      if (!at("(")) fail(word, "`sum` is a function; write " + std::string(k_sum_usage));
      return sum(word);
    }
    if (counter != counters_.end() && !at("(")) {
      append_operand({Op::counter, static_cast<std::int32_t>(counter - counters_.begin()), 0}, word);
      return;
    }
    if (at("(")) {
      if (function != nullptr) return call(word, *function);
      if (variable != variables_.end() || counter != counters_.end() || word == "pi")
        fail(word, quoted(word) + " is a value, not a function; a product needs *: " + std::string(word) + "*(...)");
      std::vector<std::string> known;
      for (const Function& f : functions()) known.emplace_back(f.name);
      known.emplace_back("sum");
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
      known.insert(known.end(), counters_.begin(), counters_.end());
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

  /// sum(k, first, last, term): terms are added one after the other, from the first on.
  void sum(std::string_view word) {
    const std::string_view parenthesis = token_.text;
    advance();
    const std::string_view counter = counter_name();
    comma(word);
    const std::string_view bounds = token_.text;
    const double first = bound(word);
    comma(word);
    const double last = bound(word);
    comma(word);
    if (last < first) fail(bounds, "a sum counts upwards; write the smaller bound first");
    const double terms = (last - first + 1) * terms_of_sums_around_;
    terms_ += terms;
    if (terms_ > k_most_terms)
      fail(word, "the sums of a formula may have " + std::to_string(static_cast<int>(k_most_terms)) +
                     " terms in all, found " + std::to_string(static_cast<long long>(terms_)) + "; lower the bounds");
    if (counters_.size() == k_most_sums) fail(word, "at most " + std::to_string(k_most_sums) + " sums may be nested");
    const std::size_t begin = instructions_.size();
    append_operand({Op::begin_sum, static_cast<std::int32_t>(counters_.size()), first}, word);
    const double around = std::exchange(terms_of_sums_around_, terms);
    counters_.emplace_back(counter);
    nested(word, [&] { expression(k_any); });
    counters_.pop_back();
    terms_of_sums_around_ = around;
    if (at(",")) fail(word, "`sum` takes 4 arguments; write " + std::string(k_sum_usage));
    close(parenthesis);
    --depth_;
    instructions_.push_back({Op::end_term, static_cast<std::int32_t>(instructions_.size() - begin), last});
    const auto whole = std::span<const Instruction>(instructions_).subspan(begin);
    const bool varies = std::any_of(whole.begin(), whole.end(), [](auto& i) { return i.op == Op::variable; });
    if (varies || !counters_.empty()) return;
    const double value = evaluate(whole, {});
    instructions_.resize(begin);
    instructions_.push_back({Op::constant, 0, value});
  }

  std::string_view counter_name() {
    const std::string_view name = token_.text;
    if (token_.kind != Token::k_name || find_operator(name) != nullptr || name.find('.') != std::string_view::npos)
      fail(name, "a sum begins with the name of its counter; write " + std::string(k_sum_usage));
    const bool is_taken = std::find(variables_.begin(), variables_.end(), name) != variables_.end() ||
                          std::find(counters_.begin(), counters_.end(), name) != counters_.end() || name == "pi" ||
                          name == "not" || name == "sum" || find_function(name) != nullptr;
    if (is_taken) fail(name, quoted(name) + " is already in use; choose another name for the counter");
    advance();
    return name;
  }

  double bound(std::string_view word) {
    const std::string_view place = token_.text;
    const bool is_negative = at("-");
    if (is_negative) advance();
    const double value = is_negative ? -token_.value : token_.value;
    const bool is_whole = token_.kind == Token::k_number && std::floor(value) == value;
    if (!is_whole || std::abs(value) > k_largest_bound)
      fail(place.empty() ? word : place,
           "the bounds of a sum must be whole numbers, not formulas; write " + std::string(k_sum_usage));
    advance();
    return value;
  }

  void comma(std::string_view word) {
    if (!at(",")) fail(word, "`sum` takes 4 arguments; write " + std::string(k_sum_usage));
    advance();
  }

  void close(std::string_view parenthesis) {
    if (!at(")")) {
      if (token_.kind == Token::k_end) fail(parenthesis, "this `(` has no matching `)`");
      if (!at(",")) refuse_trailing();
      fail(token_.text, "`,` may only separate arguments of a function");
    }
    advance();
  }

  [[noreturn]] void refuse_trailing() const {
    if (at(")")) fail(token_.text, "this `)` has no matching `(`");
    if (at(",")) fail(token_.text, "`,` may only separate arguments of a function; decimals have a point");
    const bool is_unknown = token_.kind == Token::k_name && find_function(token_.text) == nullptr &&
                            token_.text != "pi" &&
                            std::find(variables_.begin(), variables_.end(), token_.text) == variables_.end();
    fail(token_.text,
         "an operator is expected before " + quoted(token_.text) +
             (is_unknown ? "; if it is a unit, write the number in SI units, without it" : "; a product needs *"));
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
    instructions_.push_back({op});
    const auto operation = std::span<const Instruction>(instructions_).last(operands + 1);
    if (!std::all_of(operation.begin(), operation.end() - 1, [](auto& i) { return i.op == Op::constant; })) return;
    const double value = evaluate(operation, {});
    instructions_.resize(instructions_.size() - operands);
    instructions_.back() = {Op::constant, 0, value};
  }

  Lexer lexer_;
  const std::vector<std::string>& variables_;
  Token token_;
  int nesting_ = 0;
  std::vector<std::string> counters_;  // of the sums around, outermost first
  double terms_ = 0;                   // of all sums so far
  double terms_of_sums_around_ = 1;
  int depth_ = 0;  // values on the stack when the instructions so far have run
  std::vector<Instruction> instructions_;
};

}  // namespace

std::vector<Instruction> parse(std::string_view text, const std::vector<std::string>& variables) {
  check_variables(variables);
  return Parser(text, variables).parse();
}

}  // namespace eddyline::world::formula
