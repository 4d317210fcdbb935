#include "physics/terms/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/errors.hpp"
#include "world/formula/evaluate.hpp"

namespace eddyline::physics::terms {

using world::formula::arity;
using world::formula::Instruction;

namespace {

constexpr std::size_t k_most_nodes = 4000;
constexpr int k_longest_power = 16;

bool is_sum_or_product(Op op) { return op == Op::add || op == Op::subtract || op == Op::multiply; }

}  // namespace

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

int Graph::add(std::span<const Instruction> instructions) {
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

int Graph::constant(double value) { return unique({.op = Op::constant, .constant = value}); }

int Graph::variable(int number) {
  return unique({.op = Op::variable, .variable = number, .rate = variables_[static_cast<std::size_t>(number)].rate});
}

const double* Graph::constant_of(int node) const {
  const Node& at = nodes[static_cast<std::size_t>(node)];
  return node >= 0 && at.op == Op::constant ? &at.constant : nullptr;
}

int Graph::apply(Op op, int a, int b, int c) {
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

int Graph::power(int a, int exponent) {
  if (exponent == 1) return a;
  const int half = power(a, exponent / 2), even = apply(Op::multiply, half, half);
  return exponent % 2 == 0 ? even : apply(Op::multiply, even, a);
}

int Graph::unique(const Node& node) {
  const auto bits = __builtin_bit_cast(std::uint64_t, node.constant);
  const auto [found, is_new] =
      known_.try_emplace({node.op, node.from, node.variable, bits}, static_cast<int>(nodes.size()));
  if (is_new) {
    if (nodes.size() == k_most_nodes) throw UserError(k_too_long);
    nodes.push_back(node);
  }
  return found->second;
}

std::vector<int> uses_of(const std::vector<Node>& nodes, const std::vector<int>& outputs) {
  std::vector<int> uses(nodes.size(), 0);
  for (const int output : outputs) ++uses[static_cast<std::size_t>(output)];
  for (std::size_t k = nodes.size(); k-- > 0;)
    if (uses[k] > 0)
      for (const int from : nodes[k].from)
        if (from >= 0) ++uses[static_cast<std::size_t>(from)];
  return uses;
}

void fuse(std::vector<Node>& nodes, const std::vector<int>& outputs) {
  const auto uses = uses_of(nodes, outputs);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    Node& sum = nodes[k];
    if (uses[k] == 0 || sum.op != Op::add || sum.rate == Rate::once) continue;
    for (const int side : {0, 1}) {
      const auto p = static_cast<std::size_t>(sum.from[static_cast<std::size_t>(side)]);
      const Node& product = nodes[p];
      if (product.op != Op::multiply || product.tail != Step::Tail::none) continue;
      if (product.rate != sum.rate || uses[p] != 1) continue;
      sum.op = Op::multiply, sum.tail = Step::Tail::fused;
      sum.from = {product.from[0], product.from[1], sum.from[static_cast<std::size_t>(1 - side)]};
      break;
    }
  }
}

void join(std::vector<Node>& nodes, const std::vector<int>& outputs) {
  const auto uses = uses_of(nodes, outputs);
  const auto is_simple = [&](const Node& node) {
    return node.rate == Rate::pair && node.tail == Step::Tail::none && is_sum_or_product(node.op);
  };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    Node& last = nodes[k];
    if (uses[k] == 0 || !is_simple(last)) continue;
    for (const std::size_t side : {0U, 1U}) {
      const auto f = static_cast<std::size_t>(last.from[side]);
      const Node& first = nodes[f];
      if (uses[f] != 1 || !is_simple(first)) continue;
      last.tail = last.op == Op::add        ? Step::Tail::add
                  : last.op == Op::multiply ? Step::Tail::multiply
                  : side == 0               ? Step::Tail::subtract
                                            : Step::Tail::subtract_from;
      last.op = first.op;
      last.from = {first.from[0], first.from[1], last.from[1 - side]};
      break;
    }
  }
}

}  // namespace eddyline::physics::terms
