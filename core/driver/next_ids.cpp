#include "driver/next_ids.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "comm/collectives.hpp"

namespace eddyline::driver {

namespace {

/// How many of the sorted `later` ids of all ranks are at most `bound`.
std::int64_t count_up_to(comm::Communicator& communicator, const std::vector<std::int64_t>& later, std::int64_t bound) {
  std::int64_t count = std::upper_bound(later.begin(), later.end(), bound) - later.begin();
  comm::sum(communicator, {&count, 1}, "snapshot");
  return count;
}

}  // namespace

std::vector<std::int64_t> next_ids(comm::Communicator& communicator, std::span<const std::int64_t> ids,
                                   std::int64_t after, std::int64_t limit) {
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] > after) chosen.push_back(static_cast<std::int64_t>(i));
  const auto id = [&ids](std::int64_t i) { return ids[static_cast<std::size_t>(i)]; };
  std::sort(chosen.begin(), chosen.end(), [&id](std::int64_t i, std::int64_t j) { return id(i) < id(j); });
  std::vector<std::int64_t> later(chosen.size());
  std::transform(chosen.begin(), chosen.end(), later.begin(), id);

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
