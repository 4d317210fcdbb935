#pragma once
// What a rank keeps of its exchanges if it is asked to: who sends how much to whom.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "comm/requests.hpp"

namespace eddyline::comm {

/// Exchanges in order, the same on all ranks. Their messages are rows: the same ones serve many exchanges, until a
/// rebuild, which differ in how long a row is. Nothing is kept for each message of each exchange.
class TrafficLog {
 public:
  struct Exchange {
    std::int64_t step;  // steps done before it
    std::int64_t tag;
    std::int64_t group;  // of messages
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

  /// Notes an exchange. `changed`: its messages are not those of the last one with this tag. True if it begins a new
  /// group, whose messages are to be added.
  bool begin(Tag tag, bool changed, std::size_t row_bytes) {
    std::int64_t group = changed ? k_none : group_of(tag);
    const bool is_new = group == k_none;
    if (is_new) newest_[tag] = group = groups_++;
    exchanges.push_back({step, static_cast<std::int64_t>(tag), group, static_cast<std::int64_t>(row_bytes)});
    return is_new;
  }
  /// A message of the exchange that began last.
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

/// Of what the rows of an exchange are.
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
