#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/timers.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::solver {

/// One number that a solver counts: pairs, cells, messages, bytes.
struct Counter {
  enum class Over { sum, largest, same };  // how the values of ranks are combined
  enum class Kind { whole, real, flag };
  std::string_view name;  // "lazy.every" is the entry `every` of a table `lazy`
  Over over = Over::sum;
  Kind kind = Kind::whole;
  std::int64_t whole = 0;
  double real = 0;
};

/// Numbers of one rank, in the order in which they are shown.
class Counters {
 public:
  void sum(std::string_view name, std::int64_t value) { all_.push_back({.name = name, .whole = value}); }
  void same(std::string_view name, std::int64_t value) {
    all_.push_back({.name = name, .over = Counter::Over::same, .whole = value});
  }
  void largest(std::string_view name, double value) {
    all_.push_back({.name = name, .over = Counter::Over::largest, .kind = Counter::Kind::real, .real = value});
  }
  void same_real(std::string_view name, double value) {
    all_.push_back({.name = name, .over = Counter::Over::same, .kind = Counter::Kind::real, .real = value});
  }
  void flag(std::string_view name, bool value) {
    all_.push_back({.name = name, .over = Counter::Over::same, .kind = Counter::Kind::flag, .whole = value ? 1 : 0});
  }
  std::vector<Counter>& all() { return all_; }
  const std::vector<Counter>& all() const { return all_; }

 private:
  std::vector<Counter> all_;
};

/// Work of one rank. Trivially copyable.
struct RankShare {
  std::array<std::int64_t, 4> members{};  // number in each set of FieldSets
  std::int64_t migrants = 0, memory_bytes = 0;
  std::int64_t neighbors = 0, messages = 0,
               bytes = 0;  // neighbours: ranks that it sends rows to; messages and bytes: those sent
  std::int64_t messages_between = 0, bytes_between = 0;  // the part sent to other sites
  std::array<std::int64_t, 32> sizes{};                  // number of messages of 2^(k-1) to less than 2^k bytes
  std::array<double, static_cast<std::size_t>(Phase::count)> seconds{};

  void add(const exchange::Sent& sent) {
    messages += sent.messages, bytes += sent.bytes;
    messages_between += sent.messages_between, bytes_between += sent.bytes_between;
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] += sent.sizes[k];
  }
};

}  // namespace eddyline::solver
