#pragma once
// How the messages of a halo exchange travel. A strategy moves bytes and changes none of them.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"

namespace eddyline::exchange {

/// What goes to another rank, or comes from it.
struct Message {
  int rank;
  std::span<std::byte> bytes;
};

/// One way of exchanging messages with the neighbours, who all do so at the same time. Between start() and finish() the
/// caller computes what needs nothing from others.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Messages in the order of ranks. Their memory must stay until finish() has returned.
  virtual void start(std::span<const Message> sent, std::span<const Message> received) = 0;
  virtual void finish() = 0;
};

/// Names that make_strategy() knows, the default first.
std::vector<std::string> strategy_names();
/// Exchanges with different tags may be under way at once. Throws UserError for a name that is not known.
std::unique_ptr<Strategy> make_strategy(std::string_view name, comm::Communicator& communicator, comm::Tag tag);

}  // namespace eddyline::exchange
