#pragma once
// Collective operations that wait for their end.

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/communicator.hpp"
#include "comm/wait.hpp"

namespace eddyline::comm {

/// Maxima and sums on their way while the rank computes: values belong to them until wait() has returned. All ranks
/// begin and await the same.
class Reduction {
 public:
  explicit Reduction(Communicator& communicator) : communicator_(communicator) {}

  /// Each value becomes the largest of all ranks. Maxima of doubles are exact.
  void begin_maximum(std::span<double> values);
  void begin_sum(std::span<std::int64_t> values);
  /// Whether wait() would not wait. Makes progress here.
  bool arrived() { return !requests_ || requests_->test(); }
  void wait(std::string_view phase);

 private:
  Requests& requests();

  Communicator& communicator_;
  std::unique_ptr<Requests> requests_;
};

/// Each value becomes the largest of all ranks.
void maximum(Communicator& communicator, std::span<double> values, std::string_view phase);
void minimum(Communicator& communicator, std::span<std::int64_t> values, std::string_view phase);
void sum(Communicator& communicator, std::span<std::int64_t> values, std::string_view phase);
/// Each sum becomes that of all ranks, still exact.
void sum(Communicator& communicator, std::span<ReproducibleSum> sums, std::string_view phase);
void broadcast(Communicator& communicator, std::span<std::byte> bytes, int root, std::string_view phase);
/// A value that may not be the same everywhere, as rank `root` has it.
template <class Value>
Value broadcast(Communicator& communicator, Value value, int root, std::string_view phase) {
  static_assert(std::is_trivially_copyable_v<Value>);
  broadcast(communicator, std::as_writable_bytes(std::span(&value, 1)), root, phase);
  return value;
}
std::vector<std::byte> broadcast(Communicator& communicator, std::vector<std::byte> bytes, int root,
                                 std::string_view phase);
/// Whether `value` is true on any rank.
bool any(Communicator& communicator, bool value, std::string_view phase);
/// Throws a UserError on all ranks if any has a problem. The root says what that of the first of them is.
void throw_if_any(Communicator& communicator, const std::optional<std::string>& problem, std::string_view phase);
/// Does `work`, which talks to nobody and may throw UserError on some ranks alone: then all throw one, so that none
/// waits for another.
template <class Work>
void agree(Communicator& communicator, std::string_view phase, Work&& work) {
  std::optional<std::string> problem;
  try {
    work();
  } catch (const UserError& error) {
    problem = error.what();
  }
  throw_if_any(communicator, problem, phase);
}
/// The bytes of all ranks, by rank, on the root; nothing on others.
std::vector<std::vector<std::byte>> gather(Communicator& communicator, std::span<const std::byte> bytes,
                                           std::string_view phase);
/// Values of all ranks, one rank after the other, and how many each rank has; on the root.
template <class Value>
std::pair<std::vector<std::ptrdiff_t>, std::vector<Value>> gather_values(Communicator& communicator,
                                                                         std::span<const Value> own,
                                                                         std::string_view phase) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::pair<std::vector<std::ptrdiff_t>, std::vector<Value>> all;
  for (const auto& bytes : gather(communicator, std::as_bytes(own), phase)) {
    const std::size_t before = all.second.size(), count = bytes.size() / sizeof(Value);
    all.first.push_back(static_cast<std::ptrdiff_t>(count));
    all.second.resize(before + count);
    if (count > 0) std::memcpy(all.second.data() + before, bytes.data(), bytes.size());
  }
  return all;
}

/// Bytes for another rank, or from one.
struct Parcel {
  int rank;
  std::vector<std::byte> bytes;
};
/// Sends parcels to whoever is named; returns those that came, by rank. Nobody needs to know beforehand who will send
/// to whom, and nothing is as long as the number of ranks: sizes travel first, each of them acknowledged, and when all
/// of a rank's are, it joins a barrier; the end of the barrier says that no more will come. Then the contents.
/// Source: Hoefler et al. 2010, dynamic sparse data exchange.
std::vector<Parcel> deliver(Communicator& communicator, const std::vector<Parcel>& parcels, std::string_view phase);

}  // namespace eddyline::comm
