#pragma once
// Blocking collective operations.

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

/// Non-blocking maxima and sums that run while the rank computes. The values belong to the operation until wait() has
/// returned. Collective: all ranks begin and await the same operations in the same order.
class Reduction {
 public:
  explicit Reduction(Communicator& communicator) : communicator_(communicator) {}

  /// Each value becomes the maximum over all ranks. Maxima of doubles are exact.
  void begin_maximum(std::span<double> values);
  void begin_sum(std::span<std::int64_t> values);
  /// True if all operations have completed, so that wait() returns at once. Makes progress.
  bool arrived() { return !requests_ || requests_->test(); }
  void wait(std::string_view phase);

 private:
  Requests& requests();

  Communicator& communicator_;
  std::unique_ptr<Requests> requests_;
};

/// Each value becomes the maximum over all ranks.
void maximum(Communicator& communicator, std::span<double> values, std::string_view phase);
void minimum(Communicator& communicator, std::span<std::int64_t> values, std::string_view phase);
void sum(Communicator& communicator, std::span<std::int64_t> values, std::string_view phase);
/// Each sum becomes the sum over all ranks, still exact.
void sum(Communicator& communicator, std::span<ReproducibleSum> sums, std::string_view phase);
void broadcast(Communicator& communicator, std::span<std::byte> bytes, int root, std::string_view phase);
/// Returns the value of rank `root` on all ranks.
template <class Value>
Value broadcast(Communicator& communicator, Value value, int root, std::string_view phase) {
  static_assert(std::is_trivially_copyable_v<Value>);
  broadcast(communicator, std::as_writable_bytes(std::span(&value, 1)), root, phase);
  return value;
}
std::vector<std::byte> broadcast(Communicator& communicator, std::vector<std::byte> bytes, int root,
                                 std::string_view phase);
/// True if `value` is true on any rank.
bool any(Communicator& communicator, bool value, std::string_view phase);
/// Throws a UserError on all ranks if any rank has a problem. The root reports that of the lowest such rank.
void throw_if_any(Communicator& communicator, const std::optional<std::string>& problem, std::string_view phase);
/// Calls work(), which must not communicate and may throw UserError on some ranks only. If any rank throws, all ranks
/// throw a UserError, so that none waits for another.
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
/// Returns the bytes of all ranks, indexed by rank, on the root; returns nothing on other ranks.
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

/// Bytes for another rank, or from another rank.
struct Parcel {
  int rank;
  std::vector<std::byte> bytes;
};
/// Sends each parcel to its rank and returns the received parcels, sorted by rank. Receivers need not know the senders
/// beforehand, and no message grows with the number of ranks. Sizes travel first, as synchronous sends; when all of its
/// own have been received, a rank enters a barrier, and the end of the barrier means that no more sizes will come. The
/// contents follow. Collective.
/// Source: Hoefler et al. 2010, dynamic sparse data exchange.
std::vector<Parcel> deliver(Communicator& communicator, const std::vector<Parcel>& parcels, std::string_view phase);

}  // namespace eddyline::comm
