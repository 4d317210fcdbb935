// Cost of an exact dot product, compared with a plain sum and with adding term by term to a ReproducibleSum. It is
// measured in core time, which other programs disturb less; the smallest of several repetitions counts.
//
//   cmake -S . -B build/benchmarks -DEDDYLINE_TESTS=ON -DEDDYLINE_PYTHON=OFF
//   cmake --build build/benchmarks --target benchmark_dots && build/benchmarks/benchmark_dots
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/instructions.hpp"
#include "base/random.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/single_process.hpp"
#include "linear/dots.hpp"

using namespace eddyline;

namespace {

double core_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Nanoseconds of one call, the smallest mean of seven series that sum about 4 million terms each.
template <class Call>
double nanoseconds(std::size_t terms, Call&& call) {
  const std::size_t calls = std::max<std::size_t>(1, 4'000'000 / terms);
  double least = std::numeric_limits<double>::infinity();
  for (int series = 0; series < 7; ++series) {
    const double start = core_seconds();
    for (std::size_t k = 0; k < calls; ++k) call();
    least = std::min(least, (core_seconds() - start) / static_cast<double>(calls));
  }
  return 1e9 * least;
}

/// Numbers of both signs whose sizes span so many powers of two.
std::vector<double> numbers(std::size_t count, std::uint64_t seed, double powers) {
  std::vector<double> found(count);
  for (std::uint64_t i = 0; i < count; ++i)
    found[i] = std::ldexp(uniform_random(seed, i, 0) - 0.5, static_cast<int>(powers * uniform_random(seed, i, 1)));
  return found;
}

void print_costs(std::size_t n, double powers) {
  const auto a = numbers(n, 1, powers), b = numbers(n, 2, 0), c = numbers(n, 3, 0);
  const auto a_term = static_cast<double>(n);
  volatile double sink = 0;
  const auto alone = comm::single_process();
  std::printf("%zu terms, sizes over 2^%g:", n, powers);
  for (const auto& instructions : instruction_sets()) {
    linear::Dots dots(*alone, instructions);
    const linear::DotTerm three[] = {{a.data(), b.data()}, {b.data(), c.data()}, {b.data(), b.data()}};
    const double one = nanoseconds(n, [&] { sink = dots.of(std::span(three).first(1), n)[0]; }) / a_term;
    const double of_three = nanoseconds(3 * n, [&] { sink = dots.of(three, n)[0]; }) / (3 * a_term);
    std::printf("  %s %.2f, three at once %.2f;", instructions.c_str(), one, of_three);
  }
  const double alone_each = nanoseconds(n, [&] {
    ReproducibleSum sum;
    for (std::size_t i = 0; i < n; ++i) sum.add(a[i] * b[i]);
    sink = sum.value();
  });
  const double plain = nanoseconds(n, [&] {
    double lane[8] = {};
    for (std::size_t i = 0; i + 8 <= n; i += 8)
      for (std::size_t k = 0; k < 8; ++k) lane[k] += a[i + k] * b[i + k];
    sink = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  });
  std::printf("  term by term %.2f; plain %.2f\n", alone_each / a_term, plain / a_term);
}

}  // namespace

int main() {
  omp_set_num_threads(1);
  std::printf("nanoseconds a term\n");
  for (const std::size_t n : {1'000, 5'000, 100'000, 1'000'000})
    for (const double powers : {1.0, 40.0, 200.0}) print_costs(n, powers);
}
