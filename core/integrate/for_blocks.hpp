#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace eddyline::integrate {

/// Calls sweep(first, last) for blocks of chunks, in parallel. Which thread takes which block changes nothing.
template <class Sweep>
void for_blocks(std::size_t chunks, Sweep&& sweep) {
  constexpr std::int64_t k_block = 16;
  const auto n = static_cast<std::int64_t>(chunks);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t first = 0; first < n; first += k_block) sweep(first, std::min(first + k_block, n));
}

}  // namespace eddyline::integrate
