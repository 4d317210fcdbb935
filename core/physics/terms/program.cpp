#include "physics/terms/program.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

#include "base/errors.hpp"
#include "world/formula/evaluate.hpp"
#include "world/formula/parser.hpp"

namespace eddyline::physics::terms {

using world::formula::arity;
using world::formula::Instruction;

struct Program::Node {
  Op op = Op::constant;
  std::array<int, 3> from{-1, -1, -1};
  int variable = -1;
  double constant = 0;
  Rate rate = Rate::once;
  bool fused = false;
};

namespace {

constexpr std::size_t k_most_nodes = 4000;
constexpr int k_longest_power = 16;

using Node = Program::Node;

[[noreturn]] void too_long() {
  throw UserError("the formulas of terms are too long for a term without a build. Shorten them.");
}

double value_of(Op op, double a, double b, double c) {
  std::array<Instruction, 4> program;
  std::size_t n = 0;
  for (const double operand : {a, b, c}) {
    if (static_cast<int>(n) == arity(op)) break;
    program[n++] = {Op::constant, 0, operand};
  }
  program[n++] = {op};
  return world::formula::evaluate({program.data(), n}, {});
}

/// The values of formulas, each once.
class Graph {
 public:
  explicit Graph(std::span<const Variable> variables) : variables_(variables) {}

  std::vector<Node> nodes;

  /// Adds the values of a formula; returns that of the whole.
  int add(std::span<const Instruction> instructions) {
    std::vector<int> stack;
    std::vector<double> counters;
    for (std::size_t at = 0; at < instructions.size(); ++at) {
      const Instruction& each = instructions[at];
      const auto pop = [&] {
        const int top = stack.back();
        stack.pop_back();
        return top;
      };
      switch (arity(each.op)) {
        case 0:
          switch (each.op) {
            case Op::constant: stack.push_back(constant(each.constant)); break;
            case Op::counter: stack.push_back(constant(counters[static_cast<std::size_t>(each.variable)])); break;
            case Op::begin_sum:
              counters.push_back(each.constant);
              stack.push_back(constant(0));
              break;
            default: stack.push_back(variable(each.variable));
          }
          break;
        case 1: stack.push_back(apply(each.op, pop())); break;
        case 2: {
          const int b = pop(), a = pop();
          stack.push_back(apply(each.op == Op::end_term ? Op::add : each.op, a, b));
          if (each.op != Op::end_term) break;
          if (counters.back() < each.constant) {
            counters.back() += 1;
            at -= static_cast<std::size_t>(each.variable);
          } else {
            counters.pop_back();
          }
          break;
        }
        default: {
          const int c = pop(), b = pop(), a = pop();
          stack.push_back(apply(each.op, a, b, c));
        }
      }
    }
    return stack.back();
  }

 private:
  int constant(double value) { return unique({.op = Op::constant, .constant = value}); }

  int variable(int number) {
    return unique({.op = Op::variable, .variable = number, .rate = variables_[static_cast<std::size_t>(number)].rate});
  }

  const double* constant_of(int node) const {
    const Node& at = nodes[static_cast<std::size_t>(node)];
    return node >= 0 && at.op == Op::constant ? &at.constant : nullptr;
  }

  int apply(Op op, int a, int b = -1, int c = -1) {
    Node node{.op = op, .from = {a, b, c}};
    bool all_constant = true;
    for (const int from : node.from) {
      if (from < 0) continue;
      node.rate = std::max(node.rate, nodes[static_cast<std::size_t>(from)].rate);
      all_constant = all_constant && constant_of(from) != nullptr;
    }
    if (all_constant) {
      const auto operand = [&](int from) { return from < 0 ? 0.0 : *constant_of(from); };
      return constant(value_of(op, operand(a), operand(b), operand(c)));
    }
    if (op == Op::power && constant_of(b) != nullptr) {
      const double exponent = *constant_of(b);
      if (exponent == std::floor(exponent) && std::abs(exponent) <= k_longest_power && exponent != 0) {
        const int positive = power(a, static_cast<int>(std::abs(exponent)));
        return exponent > 0 ? positive : apply(Op::divide, constant(1), positive);
      }
      if (exponent == 0.5) return apply(Op::sqrt, a);
    }
    if (op == Op::divide && constant_of(b) != nullptr && std::isnormal(1 / *constant_of(b)))
      return apply(Op::multiply, a, constant(1 / *constant_of(b)));
    return unique(node);
  }

  int power(int a, int exponent) {
    if (exponent == 1) return a;
    const int half = power(a, exponent / 2), even = apply(Op::multiply, half, half);
    return exponent % 2 == 0 ? even : apply(Op::multiply, even, a);
  }

  int unique(const Node& node) {
    const auto bits = __builtin_bit_cast(std::uint64_t, node.constant);
    const auto [found, is_new] =
        known_.try_emplace({node.op, node.from, node.variable, bits}, static_cast<int>(nodes.size()));
    if (is_new) {
      if (nodes.size() == k_most_nodes) too_long();
      nodes.push_back(node);
    }
    return found->second;
  }

  std::span<const Variable> variables_;
  std::map<std::tuple<Op, std::array<int, 3>, int, std::uint64_t>, int> known_;
};

/// Counts how often each value is used, from the outputs on; nodes come after those that they use.
std::vector<int> uses_of(const std::vector<Node>& nodes, const std::vector<int>& outputs) {
  std::vector<int> uses(nodes.size(), 0);
  for (const int output : outputs) ++uses[static_cast<std::size_t>(output)];
  for (std::size_t k = nodes.size(); k-- > 0;)
    if (uses[k] > 0)
      for (const int from : nodes[k].from)
        if (from >= 0) ++uses[static_cast<std::size_t>(from)];
  return uses;
}

/// Replaces sums with a product that nothing else uses by fused operations.
void fuse(std::vector<Node>& nodes, const std::vector<int>& outputs) {
  const auto uses = uses_of(nodes, outputs);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    Node& sum = nodes[k];
    if (uses[k] == 0 || sum.op != Op::add || sum.rate == Rate::once) continue;
    for (const int side : {0, 1}) {
      const auto p = static_cast<std::size_t>(sum.from[static_cast<std::size_t>(side)]);
      const Node& product = nodes[p];
      if (product.op != Op::multiply || product.rate != sum.rate || uses[p] != 1) continue;
      sum.fused = true;
      sum.from = {product.from[0], product.from[1], sum.from[static_cast<std::size_t>(1 - side)]};
      break;
    }
  }
}

/// Registers of values while steps are written.
class Registers {
 public:
  int take() {
    if (!free_.empty()) {
      const int last = free_.back();
      free_.pop_back();
      return last;
    }
    if (count_ == k_most_registers) too_long();
    return count_++;
  }
  void give_back(int number) { free_.push_back(number); }

 private:
  std::vector<int> free_;
  int count_ = 0;
};

}  // namespace

Program::Program(std::span<const std::string> outputs, std::span<const Variable> variables)
    : inputs_(variables.size(), k_no_register) {
  std::vector<std::string> names;
  for (const auto& each : variables) names.push_back(each.name);
  Graph graph(variables);
  std::vector<int> ends;
  for (const auto& text : outputs) ends.push_back(graph.add(world::formula::parse(text, names)));
  auto& nodes = graph.nodes;
  fuse(nodes, ends);
  auto uses = uses_of(nodes, ends);

  // Values that steps for pairs or targets read, of slower ones, stay in their registers.
  std::vector<bool> is_read(nodes.size(), false), is_shared(nodes.size(), false);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (const int from : nodes[k].from)
      if (uses[k] > 0 && from >= 0) {
        const auto f = static_cast<std::size_t>(from);
        is_read[f] = is_read[f] || nodes[k].rate != Rate::once;
        is_shared[f] = is_shared[f] || (nodes[f].rate == Rate::target && nodes[k].rate == Rate::pair);
      }
  for (const int end : ends) {
    const auto e = static_cast<std::size_t>(end);
    is_read[e] = true;
    is_shared[e] = is_shared[e] || nodes[e].rate == Rate::target;
  }

  Registers registers;
  std::vector<int> at(nodes.size(), k_no_register);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    if (node.rate == Rate::once && is_read[k]) at[k] = registers.take();
    const bool stays = node.rate == Rate::target || node.op == Op::variable;
    if (uses[k] > 0 && node.rate != Rate::once && stays) at[k] = registers.take();
    if (uses[k] > 0 && node.op == Op::variable && node.rate != Rate::once)
      inputs_[static_cast<std::size_t>(node.variable)] = at[k];
    if (is_shared[k]) shared_.push_back(at[k]);
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    if (node.rate == Rate::once) once_.push_back({node.op, node.from, node.variable, node.constant, at[k]});
    if (node.rate != Rate::once) once_.push_back({});
    if (uses[k] == 0 || node.rate == Rate::once || node.op == Op::variable) continue;
    Step step{.op = node.op, .fused = node.fused};
    std::uint16_t* const operands[] = {&step.a, &step.b, &step.c};
    for (std::size_t o = 0; o < 3; ++o)
      if (node.from[o] >= 0) *operands[o] = static_cast<std::uint16_t>(at[static_cast<std::size_t>(node.from[o])]);
    if (node.rate == Rate::pair) {
      for (const int from : node.from) {  // a register is free again after its last use
        const auto f = static_cast<std::size_t>(std::max(from, 0));
        if (from < 0 || nodes[f].rate != Rate::pair || nodes[f].op == Op::variable) continue;
        if (--uses[f] == 0) registers.give_back(at[f]);
      }
      at[k] = registers.take();
    }
    step.to = static_cast<std::uint16_t>(at[k]);
    (node.rate == Rate::pair ? pair_ : target_).push_back(step);
  }
  for (const int end : ends) outputs_.push_back(at[static_cast<std::size_t>(end)]);
}

std::vector<Program::Filled> Program::filled(std::span<const double> values) const {
  std::vector<double> found(once_.size(), 0);
  std::vector<Filled> result;
  for (std::size_t k = 0; k < once_.size(); ++k) {
    const Once& each = once_[k];
    if (each.op == Op::constant) {
      found[k] = each.constant;
    } else if (each.op == Op::variable) {
      found[k] = values[static_cast<std::size_t>(each.variable)];
    } else {
      const auto operand = [&](int o) {
        const int from = each.from[static_cast<std::size_t>(o)];
        return from < 0 ? 0.0 : found[static_cast<std::size_t>(from)];
      };
      found[k] = value_of(each.op, operand(0), operand(1), operand(2));
    }
    if (each.to != k_no_register) result.push_back({each.to, found[k]});
  }
  return result;
}

}  // namespace eddyline::physics::terms
