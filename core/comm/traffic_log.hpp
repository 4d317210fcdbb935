#pragma once
// Optional log of the messages that a rank exchanges.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "comm/requests.hpp"

namespace eddyline::comm {

/// The exchanges in order, which is the same on all ranks. A message consists of rows. Until a rebuild, all exchanges
/// of a halo carry the same rows, which form a group; only the size of a row differs. So nothing is stored per message
/// and exchange.
class TrafficLog {
 public:
  struct Exchange {
    std::int64_t step;  // number of completed steps
    std::int64_t tag;
    std::int64_t group;  // group of messages
    std::int64_t row_bytes;
  };
  struct Message {
    std::int64_t group;
    std::int64_t from, to;  // ranks
    std::int64_t rows;
  };

  std::int64_t step = 0;
  std::vector<Exchange> exchanges;
  std::vector<Message> messages;

  /// Records an exchange. `changed`: its messages differ from those of the last exchange with this tag. Returns true if
  /// the exchange begins a new group, whose messages the caller must then add().
  bool begin(Tag tag, bool changed, std::size_t row_bytes) {
    std::int64_t group = changed ? k_none : group_of(tag);
    const bool is_new = group == k_none;
    if (is_new) newest_[tag] = group = groups_++;
    exchanges.push_back({step, static_cast<std::int64_t>(tag), group, static_cast<std::int64_t>(row_bytes)});
    return is_new;
  }
  /// Records a message of the exchange that began last.
  void add(int from, int to, std::size_t rows) {
    if (rows > 0) messages.push_back({exchanges.back().group, from, to, static_cast<std::int64_t>(rows)});
  }

 private:
  static constexpr std::int64_t k_none = -1;

  std::int64_t group_of(Tag tag) const {
    const auto found = newest_.find(tag);
    return found == newest_.end() ? k_none : found->second;
  }

  std::int64_t groups_ = 0;
  std::map<Tag, std::int64_t> newest_;  // group
};

/// Name of the content of the rows of an exchange.
constexpr std::string_view name_of(Tag tag) {
  switch (tag) {
    case Tag::fluid_halo: return "fluid";
    case Tag::wall_halo: return "walls";
    case Tag::cell_halo: return "cells";
    case Tag::fit_halo: return "fits";
    case Tag::migrants: return "migrants";
    case Tag::fluid_copies: return "copies";
    case Tag::wall_copies: return "wall-copies";
    default: return "others";
  }
}

}  // namespace eddyline::comm
