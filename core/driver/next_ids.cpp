#include "driver/next_ids.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>

#include "comm/collectives.hpp"

namespace eddyline::driver {

namespace {

/// Counts how many of the sorted `later` ids of all ranks are at most `bound`.
std::int64_t count_up_to(comm::Communicator& communicator, const std::vector<std::int64_t>& later, std::int64_t bound) {
  std::int64_t count = std::upper_bound(later.begin(), later.end(), bound) - later.begin();
  comm::sum(communicator, {&count, 1}, "snapshot");
  return count;
}

}  // namespace

std::vector<std::int64_t> next_ids(comm::Communicator& communicator, std::span<const std::int64_t> ids,
                                   std::int64_t after, std::int64_t limit) {
  std::vector<std::pair<std::int64_t, std::int64_t>> order;  // ids and their indices
  order.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] > after) order.emplace_back(ids[i], i);
  // One more than can be chosen, so that bounds that are too high are recognised.
  if (static_cast<std::int64_t>(order.size()) - 1 > limit) {
    std::nth_element(order.begin(), order.begin() + limit, order.end());
    order.resize(static_cast<std::size_t>(limit + 1));
  }
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> later(order.size()), chosen(order.size());
  std::ranges::copy(std::views::keys(order), later.begin());
  std::ranges::copy(std::views::values(order), chosen.begin());

  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  if (count_up_to(communicator, later, last) <= limit) return chosen;
  std::int64_t enough = after, too_many = last;  // bounds with at most and with more than `limit` ids
  while (too_many - 1 > enough) {
    const std::int64_t middle = std::midpoint(enough, too_many);
    (count_up_to(communicator, later, middle) <= limit ? enough : too_many) = middle;
  }
  chosen.resize(static_cast<std::size_t>(std::upper_bound(later.begin(), later.end(), enough) - later.begin()));
  return chosen;
}

}  // namespace eddyline::driver
