#pragma once
// Sizes and offsets of messages, as collective operations need them.

#include <climits>
#include <stdexcept>

#include "comm/requests.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Blocks of one piece of memory that begins at `base`.
class CollectiveBlocks {
 public:
  void assign(std::size_t ranks) {
    blocks_.sizes.assign(ranks, 0);
    blocks_.offsets.assign(ranks, 0);
  }
  void set(std::size_t rank, const std::byte* base, const std::byte* first, std::size_t bytes) {
    if (first - base > INT_MAX || bytes > INT_MAX)
      throw std::length_error("messages of more than 2 GiB: use an exchange without collective operations");
    blocks_.offsets[rank] = static_cast<int>(first - base);
    blocks_.sizes[rank] = static_cast<int>(bytes);
  }
  const comm::Blocks& get() const { return blocks_; }

 private:
  comm::Blocks blocks_;
};

}  // namespace eddyline::exchange
