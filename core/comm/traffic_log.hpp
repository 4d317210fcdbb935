#pragma once
// Optional log of the messages that a rank exchanges.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace eddyline::comm {

/// The exchanges in order, which is the same on all ranks. Until a rebuild, all exchanges of a halo with the same
/// fields have the same messages, which form a group and are stored once.
class TrafficLog {
 public:
  struct Exchange {
    std::int64_t step;     // number of completed steps
    std::int64_t halo;     // number in `halos`
    std::int64_t rebuild;  // exchanges of one rebuild have the same neighbours
    std::int64_t group;    // group of messages
  };
  struct Message {
    std::int64_t group;
    std::int64_t from, to;  // ranks
    std::int64_t bytes;
  };

  std::int64_t step = 0;
  std::vector<std::string> halos;  // names, in the order of their first exchanges
  std::vector<Exchange> exchanges;
  std::vector<Message> messages;

  /// Records an exchange of a halo, or of what else has a name. `rebuilt`: its neighbours or rows are others than in
  /// its last exchange. `row_bytes`: of its fields; decides between rebuilds which messages are the same. Returns true
  /// if the exchange begins a new group, whose messages the caller must then add().
  bool begin(std::string_view name, bool rebuilt, std::size_t row_bytes) {
    const std::size_t halo = number_of(name);
    State& state = states_[halo];
    if (rebuilt) state.rebuild = rebuilds_++, state.groups.clear();
    const auto [group, is_new] = state.groups.try_emplace(row_bytes, groups_);
    if (is_new) ++groups_;
    exchanges.push_back({step, static_cast<std::int64_t>(halo), state.rebuild, group->second});
    return is_new;
  }
  /// Records a message of the exchange that began last.
  void add(int from, int to, std::size_t bytes) {
    if (bytes > 0) messages.push_back({exchanges.back().group, from, to, static_cast<std::int64_t>(bytes)});
  }

 private:
  struct State {
    std::int64_t rebuild = 0;
    std::map<std::size_t, std::int64_t> groups;  // by bytes of a row, since the last rebuild
  };

  std::size_t number_of(std::string_view name) {
    for (std::size_t k = 0; k < halos.size(); ++k)
      if (halos[k] == name) return k;
    halos.emplace_back(name);
    states_.emplace_back();
    return halos.size() - 1;
  }

  std::int64_t rebuilds_ = 0, groups_ = 0;
  std::vector<State> states_;  // of each halo
};

}  // namespace eddyline::comm
