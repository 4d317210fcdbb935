#pragma once
// Runs the instructions of a formula.

#include <cstddef>
#include <span>

#include "world/formula/instruction.hpp"
#include "world/jet.hpp"

namespace eddyline::world::formula {

/// The value on the stack after all instructions; values[v] is that of variable v. The stack must suffice
/// (k_stack_size). Does not allocate.
double evaluate(std::span<const Instruction> instructions, std::span<const double> values);

/// The same with the derivatives by one of the variables.
Jet differentiate(std::span<const Instruction> instructions, std::span<const double> values, std::size_t variable);

}  // namespace eddyline::world::formula
