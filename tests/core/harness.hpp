#pragma once
// A small test harness: no package index that the build reaches without root carries a C++ test framework.
//   TEST(name) { CHECK(a == b); CHECK_NEAR(x, y, 1e-12); CHECK_THROWS(f(), "part of the message"); }

#include <cmath>
#include <sstream>
#include <string>

namespace harness {

using TestFunction = void (*)();
bool register_test(const char* name, TestFunction function);
void fail(const char* file, int line, const std::string& message);

}  // namespace harness

#define TEST(name)                                                                  \
  static void test_##name();                                                        \
  static const bool registered_##name = harness::register_test(#name, test_##name); \
  static void test_##name()

#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) harness::fail(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_NEAR(value, expected, tolerance)                                                   \
  do {                                                                                           \
    const double value_ = (value), expected_ = (expected);                                       \
    if (!(std::abs(value_ - expected_) <= (tolerance))) {                                        \
      std::ostringstream text_;                                                                  \
      text_.precision(17);                                                                       \
      text_ << #value << " = " << value_ << ", expected " << expected_ << " +- " << (tolerance); \
      harness::fail(__FILE__, __LINE__, text_.str());                                            \
    }                                                                                            \
  } while (false)

#define CHECK_THROWS(expression, part)                                                                      \
  do {                                                                                                      \
    try {                                                                                                   \
      (void)(expression);                                                                                   \
      harness::fail(__FILE__, __LINE__, #expression " did not throw");                                      \
    } catch (const std::exception& error_) {                                                                \
      if (std::string(error_.what()).find(part) == std::string::npos)                                       \
        harness::fail(__FILE__, __LINE__, std::string("message lacks `") + (part) + "`: " + error_.what()); \
    }                                                                                                       \
  } while (false)
