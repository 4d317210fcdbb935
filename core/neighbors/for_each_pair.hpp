#pragma once
// The loop over pairs: chunks, lanes and lists. The caller supplies functions that load states from rows.

#include "base/pack.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

/// Calls body(part) for each part of a chunk that fits one pack; `part` is its first lane.
template <class P, class Body>
EDDYLINE_INLINE void for_each_part(Body&& body) {
  for (int part = 0; part < k_chunk; part += P::width) body(part);
}

/// True if the registers can hold the values of two neighbours besides the sums and the values of the particle itself.
template <class P, class State>
inline constexpr bool k_holds_two = 3 * sizeof(State) <= (P::k_registers - 2) * sizeof(P);

/// Calls body(chunk, part) for each part of some chunks.
template <class P, class Body>
void for_each_part(std::int64_t first_chunk, std::int64_t last_chunk, Body&& body) {
  for (std::int64_t c = first_chunk; c < last_chunk; ++c) for_each_part<P>([&](int part) { body(c, part); });
}

/// Number of entries by which lists are prefetched. It exceeds what the processor fetches at a time; loads of rows keep
/// the processor so busy that its own prefetch of lists comes too late.
inline constexpr std::int32_t k_prefetch_entries = 32 * k_chunk;

/// Calls visit(load(places)) for every entry of the chunk's lists, in order; `places` points at the places of the
/// lanes' neighbours. If there are enough registers, the next neighbours are loaded during the computation with the
/// current ones: the chain of load, transpose, square root and sums is too long for the processor's window to overlap
/// by itself.
template <class P, class Load, class Visit>
EDDYLINE_INLINE void for_each_neighbor(const Chunk& chunk, int part, Load&& load, Visit&& visit) {
  if (chunk.length == 0) return;
  const std::int32_t* entries = chunk.entries + part;
  if constexpr (k_holds_two<P, decltype(load(entries))>) {
    auto j = load(entries);
    for (std::int32_t k = 1; k < chunk.length; ++k) {
      entries += k_chunk;
      prefetch(entries + k_prefetch_entries);
      const auto next = load(entries);
      visit(j);
      j = next;
    }
    visit(j);
  } else {
    for (std::int32_t k = 0; k < chunk.length; ++k, entries += k_chunk) {
      prefetch(entries + k_prefetch_entries);
      visit(load(entries));
    }
  }
}

/// Stores the sums of the lanes. Adds +0, so that a sum of padding only is +0, never -0.
template <class P, class T>
EDDYLINE_INLINE void put(P sum, T* to) {
  (sum + P(0)).store(to);
}

/// Stores small integers of the lanes.
template <class P>
EDDYLINE_INLINE void put_whole(P numbers, std::uint8_t* to) {
  typename P::value_type lanes[P::width];
  numbers.store(lanes);
  for (int l = 0; l < P::width; ++l) to[l] = static_cast<std::uint8_t>(lanes[l]);
}

}  // namespace eddyline::neighbors
