#include "harness.hpp"

#include <atomic>
#include <cstdio>
#include <exception>
#include <vector>

namespace harness {

namespace {
struct Test {
  const char* name;
  TestFunction function;
};
std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
std::atomic<int> failures = 0;  // ranks that are threads fail at once
}  // namespace

bool register_test(const char* name, TestFunction function) {
  tests().push_back({name, function});
  return true;
}

void fail(const char* file, int line, const std::string& message) {
  ++failures;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, message.c_str());
}

}  // namespace harness

int main() {
  for (const auto& test : harness::tests()) {
    const int before = harness::failures;
    try {
      test.function();
    } catch (const std::exception& error) {
      harness::fail(test.name, 0, std::string("threw: ") + error.what());
    }
    std::printf("%s %s\n", harness::failures == before ? "ok  " : "FAIL", test.name);
  }
  return harness::failures == 0 ? 0 : 1;
}
