#include "world/formula.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "world/formula/evaluate.hpp"
#include "world/formula/instruction.hpp"
#include "world/formula/messages.hpp"
#include "world/formula/parser.hpp"

namespace eddyline::world {

using formula::Instruction;
using formula::Op;

namespace {

std::string shortest_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace

struct Formula::Program {
  std::string text;
  std::vector<std::string> variables;
  std::vector<Instruction> instructions;
  bool constant = true;
};

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
  program->instructions = formula::parse(program->text, program->variables);
  program->constant = std::none_of(program->instructions.begin(), program->instructions.end(),
                                   [](const Instruction& i) { return i.op == Op::variable; });
  program_ = std::move(program);
}

double Formula::evaluate(std::span<const double> values) const {
  check_count(values);
  return formula::evaluate(program_->instructions, values);
}

Jet Formula::differentiate(std::span<const double> values, std::size_t variable) const {
  check_count(values);
  return formula::differentiate(program_->instructions, values, variable);
}

void Formula::check_count(std::span<const double> values) const {
  if (!program_->constant && values.size() < program_->variables.size())
    throw std::invalid_argument("formula " + formula::quoted(program_->text) + " takes " +
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
