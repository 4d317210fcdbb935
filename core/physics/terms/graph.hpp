#pragma once
// The values that formulas of a program compute, as a graph without repetitions.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "physics/terms/program.hpp"

namespace eddyline::physics::terms {

inline constexpr const char* k_too_long =
    "the formulas of terms are too long for a term without a build. Shorten them.";

/// A value: an operation on others, which come before it.
struct Node {
  Op op = Op::constant;
  std::array<int, 3> from{-1, -1, -1};
  int variable = -1;
  double constant = 0;
  Rate rate = Rate::once;
  Step::Tail tail = Step::Tail::none;  // what follows the operation, on from[2]
};

/// Applies an operation to numbers, as formulas do.
double value_of(Op op, double a, double b, double c);

/// The values of formulas, each once.
class Graph {
 public:
  explicit Graph(std::span<const Variable> variables) : variables_(variables) {}

  std::vector<Node> nodes;

  /// Adds the values of a formula; returns that of the whole.
  int add(std::span<const world::formula::Instruction> instructions);

 private:
  int constant(double value);
  int variable(int number);
  const double* constant_of(int node) const;
  int apply(Op op, int a, int b = -1, int c = -1);
  int power(int a, int exponent);
  int unique(const Node& node);

  std::span<const Variable> variables_;
  std::map<std::tuple<Op, std::array<int, 3>, int, std::uint64_t>, int> known_;
};

/// Counts how often each value is used, from the outputs on.
std::vector<int> uses_of(const std::vector<Node>& nodes, const std::vector<int>& outputs);

/// Replaces sums with a product that nothing else uses by fused operations.
void fuse(std::vector<Node>& nodes, const std::vector<int>& outputs);

/// Joins sums, differences and products of pairs with one that nothing else uses, so that fewer values are stored.
void join(std::vector<Node>& nodes, const std::vector<int>& outputs);

}  // namespace eddyline::physics::terms
