#include "physics/terms/program.hpp"

#include <algorithm>
#include <cstddef>

#include "base/errors.hpp"
#include "physics/terms/graph.hpp"
#include "world/formula/parser.hpp"

namespace eddyline::physics::terms {

namespace {

/// Registers of values while steps are written.
class Registers {
 public:
  int take() {
    if (!free_.empty()) {
      const int last = free_.back();
      free_.pop_back();
      return last;
    }
    if (count_ == k_most_registers) throw UserError(k_too_long);
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
  join(nodes, ends);
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
    Step step{.op = node.op, .tail = node.tail};
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
