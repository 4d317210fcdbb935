#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "harness.hpp"
#include "world/formula.hpp"

using eddyline::world::Formula;
namespace portable = eddyline::portable;

namespace {

const std::vector<std::string> k_names{"x", "y", "U", "H", "front.position"};
constexpr std::array<double, 5> k_values{2, 3, 4, 5, 6};

Formula parse(const std::string& text) { return {text, k_names}; }
double value(const std::string& text) { return parse(text).evaluate(k_values); }

long allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

TEST(precedence) {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("1 - 2 - 3") == -4);
  CHECK(value("8 / 2 / 2") == 2);
  CHECK(value("-2^2") == -4);
  CHECK(value("2^-1") == 0.5);
  CHECK(value("2^3^2") == 512);
  CHECK(value("2*-x") == -4);
  CHECK(value("- - +x") == 2);
  CHECK(value("2^-x^2") == 0.0625);
  CHECK(value("1 + 1 < 3") == 1);
  CHECK(value("not x == 3") == 1);
  CHECK(value("1 or 0 and 0") == 1);
  CHECK(value("(1 or 0) and 0") == 0);
  CHECK(value("not 0 and 0") == 0);
}

TEST(numbers_and_names) {
  CHECK(value(".5 + 1. + 2.5e-1 + 1E2") == 101.75);
  CHECK(value("0.1") == 0.1);
  CHECK(value("pi") == portable::k_pi);
  CHECK(value("front.position / x") == 3);
  CHECK(Formula("step", {"step"}).evaluate(std::array{7.0}) == 7);
  CHECK(value("6*U*y*(H-y)/H^2") == 6 * 4.0 * 3 * (5.0 - 3) / 25);
  CHECK(value("x\n +\ty") == 5);
}

TEST(functions) {
  CHECK(value("sqrt(2)") == std::sqrt(2.0));
  CHECK(value("sin(x) + cos(x)") == portable::sin(2) + portable::cos(2));
  CHECK(value("atan2(-1, -2)") == portable::atan2(-1, -2));
  CHECK(value("exp(x)*log(y)/log10(U)") == portable::exp(2) * portable::log(3) / portable::log10(4));
  CHECK(value("tan(x)+asin(.5)+acos(.5)+atan(x)") ==
        portable::tan(2) + portable::asin(.5) + portable::acos(.5) + portable::atan(2));
  CHECK(value("sinh(x)+cosh(x)+tanh(x)") == portable::sinh(2) + portable::cosh(2) + portable::tanh(2));
  CHECK(value("pow(x, 0.5)") == portable::pow(2, 0.5));
  CHECK(value("min(x, y, 1)") == 1);
  CHECK(value("max(x, y, 7, 3)") == 7);
  CHECK(value("abs(-x) + floor(-1.5) + ceil(-1.5)") == -1);
  CHECK(value("sign(-x) + sign(0) + sign(x)") == 0);
  CHECK(value("step(-1) + step(0) + step(1)") == 2);
  CHECK(value("mod(-1, 3)") == 2);
  CHECK(value("mod(5, -3)") == -1);
  CHECK(value("mod(-6, 3)") == 0);
  CHECK(value("if(x > y, 1, 2)") == 2);
  CHECK(value("if(x < y, 1, 0/0)") == 1);
}

TEST(nan_is_kept) {
  for (const char* text : {"min(0/0, x)", "max(x, 0/0)", "sign(0/0)", "step(0/0)", "0/0 + x", "sqrt(-x)"})
    CHECK(std::isnan(value(text)));
  CHECK(value("0/0 == 0/0") == 0);
  CHECK(value("if(0/0, 1, 2)") == 2);
  CHECK(value("1/0") == std::numeric_limits<double>::infinity());
}

TEST(constants_and_variables) {
  CHECK(parse("2*sqrt(pi)").is_constant());
  CHECK(parse("2*sqrt(pi)").evaluate({}) == 2 * std::sqrt(portable::k_pi));
  CHECK(!parse("0*x").is_constant());
  CHECK((parse("y + x*y").used_variables() == std::vector<std::string>{"x", "y"}));
  CHECK(parse("y").variables() == k_names);
  CHECK(parse(" x +1").text() == " x +1");
  CHECK(Formula().evaluate({}) == 0);
  CHECK(Formula().text() == "0");
  CHECK(Formula(0.1).text() == "0.1");
  CHECK(Formula(-2.5e-300).evaluate({}) == -2.5e-300);
  CHECK_THROWS(parse("x").evaluate({}), "takes 5 values, found 0");
  // Constants folded while parsing have the bits of values computed later.
  CHECK(value("exp(2)^0.3/7") == value("exp(x)^0.3/7"));
}

TEST(messages) {
  CHECK_THROWS(Formula("2*Rr", {"R"}), "column 3 of `2*Rr`: unknown name `Rr`; did you mean `R`?");
  CHECK_THROWS(Formula("h", {"H"}), "did you mean `H`?");
  CHECK_THROWS(parse("2*frnt.position"), "did you mean `front.position`?");
  CHECK_THROWS(parse("qqq"), "unknown name `qqq`; known are x, y, U, H, front.position, pi");
  CHECK_THROWS(parse("sine(x)"), "unknown function `sine`; did you mean `sin`?");
  CHECK_THROWS(parse("U(3)"), "`U` is a value, not a function; a product needs *");
  CHECK_THROWS(parse("sin"), "`sin` is a function; write sin(x)");
  CHECK_THROWS(parse("atan2(1)"), "`atan2` takes 2 arguments, found 1; write atan2(y, x)");
  CHECK_THROWS(parse("sqrt(1, 2)"), "`sqrt` takes 1 argument, found 2");
  CHECK_THROWS(parse("min(1)"), "`min` takes 2 arguments or more, found 1");
  CHECK_THROWS(parse("cos()"), "`cos` takes 1 argument, found 0");
  CHECK_THROWS(parse(""), "an empty formula");
  CHECK_THROWS(parse("  "), "an empty formula");
  CHECK_THROWS(parse("2*(1 + x"), "column 3 of `2*(1 + x`: this `(` has no matching `)`");
  CHECK_THROWS(parse("sin(x"), "no matching `)`");
  CHECK_THROWS(parse("x)"), "column 2 of `x)`: this `)` has no matching `(`");
  CHECK_THROWS(parse("1 +"), "column 4 of `1 +`: the formula ends where a value is expected");
  CHECK_THROWS(parse("1 + * 2"), "a value is expected before `*`");
  CHECK_THROWS(parse("2x"), "column 2 of `2x`: an operator is expected before `x`; a product needs *");
  CHECK_THROWS(parse("(x)(y)"), "an operator is expected before `(`");
  CHECK_THROWS(parse("1,5"), "decimals have a point");
  CHECK_THROWS(parse("x = 1"), "write `==`");
  CHECK_THROWS(parse("x**2"), "write `^`");
  CHECK_THROWS(parse("x && y"), "write `and`");
  CHECK_THROWS(parse("0 < x < 1"), "comparisons cannot be chained");
  CHECK_THROWS(parse("x + $"), "column 5 of `x + $`: unexpected `$`");
  CHECK_THROWS(parse("1e999"), "outside the range of numbers");
  CHECK_THROWS(parse("x\u00b2 + q"), "column 2");
  CHECK_THROWS(parse("\u00e9"), "unexpected `\u00e9`");
  CHECK_THROWS(Formula("1", {"a b"}), "variable `a b` cannot be used");
  CHECK_THROWS(Formula("1", {"pi"}), "choose another name");
  CHECK_THROWS(Formula("1", {"a", "a"}), "given twice");
}

TEST(deep_and_long_formulas) {
  const auto repeat = [](const std::string& part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += part;
    return text;
  };
  CHECK(parse(repeat("(", 60) + "x" + repeat(")", 60)).evaluate(k_values) == 2);
  for (const char* part : {"(", "-", "2^", "sin(", "not ", "1+(2*(3-("})
    CHECK_THROWS(parse(repeat(part, 100000) + "x"), "nested too deeply");
  CHECK(value("x" + repeat("+x", 20000)) == 40002);
  // As deep as operators of every strength allow: the value stack is large enough, or the formula is refused.
  try {
    CHECK(std::isfinite(parse(repeat("x or y and x < y + x * y ^ (", 30) + "x" + repeat(")", 30)).evaluate(k_values)));
  } catch (const std::exception& error) {
    CHECK(std::string(error.what()).find("nested too deeply") != std::string::npos);
  }
}

TEST(evaluation_does_not_allocate) {
  const Formula formula = parse("6*U*y*(H-y)/H^2 + if(x > 1, sin(x), pow(y, 0.3))");
  const long before = allocations;
  const double result = formula.evaluate(k_values);
  CHECK(allocations == before);
  CHECK(std::isfinite(result));
}

// --- derivatives ---------------------------------------------------------------------------------------------

namespace {

const std::vector<std::string> k_time{"t", "k"};

eddyline::world::Jet at(const std::string& text, double t) {
  return Formula(text, k_time).differentiate(std::array{t, 1.5}, 0);
}

}  // namespace

TEST(derivatives_are_those_of_differences) {
  const std::vector<std::string> texts{"3*t - 2",
                                       "t*t*k - 1/t",
                                       "sqrt(t)",
                                       "abs(t - 2)",
                                       "exp(-k*t)",
                                       "log(t + 1)",
                                       "log10(2*t)",
                                       "sin(k*t)*cos(t)",
                                       "tan(t/3)",
                                       "asin(t/3)",
                                       "acos(t/4)",
                                       "atan(k*t)",
                                       "atan2(t, k)",
                                       "atan2(k, t^2)",
                                       "sinh(t)",
                                       "cosh(t)",
                                       "tanh(t/2)",
                                       "t^3",
                                       "t^-1.5",
                                       "k^t",
                                       "t^t",
                                       "(t - 5)^3",
                                       "min(t, t^2)",
                                       "max(t, 9*t)",
                                       "mod(7*t, 1000)",
                                       "if(t > k, t^2, t)",
                                       "-t^2/(1 + t)",
                                       "pow(t, 2)*floor(t)",
                                       "step(t)*t^2",
                                       "sign(t)*t"};
  for (const std::string& text : texts)
    for (const double t : {0.7, 1.2, 2.3}) {
      const double h = 1e-4;
      const auto jet = at(text, t), before = at(text, t - h), after = at(text, t + h);
      const double scale = 1 + std::abs(jet.value) + std::abs(jet.first) + std::abs(jet.second);
      CHECK(jet.value == Formula(text, k_time).evaluate(std::array{t, 1.5}));
      CHECK_NEAR(jet.first, (after.value - before.value) / (2 * h), 1e-6 * scale);
      CHECK_NEAR(jet.second, (after.first - before.first) / (2 * h), 1e-6 * scale);
    }
}

TEST(derivatives_where_powers_meet_zero) {
  CHECK(at("t^2", 0).first == 0 && at("t^2", 0).second == 2);
  CHECK(at("t^1", 0).first == 1 && at("t^1", 0).second == 0);
  CHECK(at("t^0", 0).first == 0 && at("t^0", 0).second == 0);
  CHECK(at("sqrt(0*t)", 3).first == 0 && at("sqrt(k - 1.5)", 3).second == 0);
  CHECK(!std::isfinite(at("sqrt(t)", 0).first));
}

TEST(derivatives_are_by_the_variable_asked_for) {
  const auto by_k = Formula("t*k^2", k_time).differentiate(std::array{2.0, 3.0}, 1);
  CHECK(by_k.value == 18 && by_k.first == 12 && by_k.second == 4);
  CHECK(Formula(4.0).differentiate({}, 0).value == 4 && Formula(4.0).differentiate({}, 0).first == 0);
}

TEST(sums) {
  CHECK(value("sum(k, 1, 20, k)") == 210 && parse("sum(k, 1, 20, k)").is_constant());
  CHECK(value("sum(k, -2, 2, k*x + 1)") == 5);
  CHECK(value("sum(k, 3, 3, k^x)") == 9);
  CHECK(value("1 + 2*sum(k, 1, 3, x)^2 - sum(n, 1, 2, n*y)") == 1 + 2 * 36 - 9);
  CHECK(value("sum(k, 1, 1000, 1)") == 1000);
  double series = 0;  // one term after the other, from the first on
  for (int k = 1; k <= 40; ++k) series += portable::sin(k * 2.0) / k;
  CHECK(value("sum(k, 1, 40, sin(k*x)/k)") == series);
  double nested = 0;
  for (int i = 1; i <= 3; ++i) {
    double inner = 0;
    for (int j = 0; j <= 2; ++j) inner += 2.0 * i + j;
    nested += inner / i;
  }
  CHECK(value("sum(i, 1, 3, sum(j, 0, 2, x*i + j)/i)") == nested);
}

TEST(derivatives_of_sums) {
  const auto jet = at("sum(n, 0, 3, t^n)", 2);
  CHECK(jet.value == 15 && jet.first == 1 + 4 + 12 && jet.second == 2 + 12);
}

TEST(mistakes_in_sums) {
  const auto told = [](const std::string& text) {
    try {
      parse(text);
    } catch (const eddyline::UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto says = [&](const std::string& text, const std::string& part) {
    return told(text).find(part) != std::string::npos;
  };
  CHECK(says("sum(k, 1, 1001, x)", "may have 1000 terms in all, found 1001"));
  CHECK(says("sum(k, 1, 999, x) + sum(k, 1, 2, x)", "found 1001"));
  CHECK(says("sum(i, 1, 40, sum(j, 1, 40, x))", "found 1640"));
  CHECK(says("sum(x, 1, 2, x)", "`x` is already in use"));
  CHECK(says("sum(k, 1, 2, sum(k, 1, 2, k))", "`k` is already in use"));
  CHECK(says("sum(k, 1, U, k)", "bounds of a sum must be whole numbers"));
  CHECK(says("sum(k, 0.5, 2, k)", "bounds of a sum must be whole numbers"));
  CHECK(says("sum(k, 2, 1, k)", "counts upwards"));
  CHECK(says("sum(k, 1, 2)", "`sum` takes 4 arguments"));
  CHECK(says("sum(k, 1, 2, k, k)", "`sum` takes 4 arguments"));
  CHECK(says("sum(k, 1, 2, k) + k", "unknown name `k`"));
  CHECK(says("sum", "`sum` is a function"));
}
