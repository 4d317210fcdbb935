// Formulas with damage: either an error in a line of limited length, or a formula that can be evaluated and
// differentiated.

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "fuzz.hpp"
#include "world/formula.hpp"

namespace {

using eddyline::world::Formula;

const std::vector<std::string> k_names{"x", "y", "z", "t", "U", "front.position"};
const std::vector<std::string> k_valid{"1 + 2 * 3",
                                       "-2^2 + 4*U*y*(H - y)/H^2",
                                       "if(t < 1 and not x == 2, sin(2*pi*t), max(0, x, y, -1e-3))",
                                       "pow(x, 2.5e-1) + mod(front.position, 3) - atan2(y, x)",
                                       "((((x))))/0",
                                       "exp(1e3) - log(-1) + 1e308*10",
                                       "step(x - 0.5)*tanh(t) + floor(y) >= ceil(z) or x != y",
                                       "sum(k, 1, 20, sin(k*x)/k) + sum(i, -1, 1, sum(j, 0, 9, i*j*U))"};
const std::vector<std::string> k_pieces{"(",
                                        ")",
                                        ",",
                                        "+",
                                        "-",
                                        "^",
                                        "e",
                                        ".",
                                        "1e400",
                                        "\xc3\xa9",
                                        "`",
                                        "sin(",
                                        "\xff",
                                        "not ",
                                        "min(x",
                                        "((((((((((((((((((((",
                                        "----------------",
                                        "2^",
                                        "sum(",
                                        "sum(k, 1, 9, ",
                                        "sum(n, 0, 99, k*",
                                        std::string(1, '\0')};

void try_one(fuzz::Random& random) {
  std::string text = random.pick(k_valid);
  if (random.below(2) == 0) text += " " + random.pick(k_pieces) + " " + random.pick(k_valid);
  for (std::size_t n = random.below(4); n > 0; --n) {
    std::string many;
    const std::string piece = random.pick(k_pieces);
    for (std::size_t k = random.below(20) == 0 ? 3000 : 1 + random.below(3); k > 0; --k) many += piece;
    text.insert(random.below(text.size() + 1), many);
  }
  if (random.below(2) == 0) text = fuzz::damaged(text, random);
  try {
    const Formula formula(text, k_names);
    std::array<double, 6> values{};
    for (double& value : values) value = random.pick(fuzz::k_extremes);
    (void)formula.evaluate(values);
  } catch (const eddyline::UserError& error) {
    const std::string told = error.what();
    if (told.size() > 1000) throw std::runtime_error("a message of " + std::to_string(told.size()) + " bytes");
    if (told.find('\n') != std::string::npos) throw std::runtime_error("a message of two lines");
  }
}

}  // namespace

int main(int count, char** arguments) { return fuzz::run(count, arguments, try_one); }
