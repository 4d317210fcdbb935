#pragma once
// The one loop over pairs: chunks, lanes and lists. Loading a state from its row is the caller's, given as functions.

#include "base/pack.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

/// Calls body(part) for every group of lanes of a chunk that one pack holds: part is the first lane.
template <class P, class Body>
EDDYLINE_INLINE void for_each_part(Body&& body) {
  for (int part = 0; part < k_chunk; part += P::width) body(part);
}

/// Calls visit(rows) for every entry of the chunk's lists: `rows` points at the rows of the lanes' neighbours.
template <class P, class Visit>
EDDYLINE_INLINE void for_each_neighbor(const Chunk& chunk, int part, Visit&& visit) {
  const std::int32_t* entries = chunk.entries + part;
  for (std::int32_t k = 0; k < chunk.length; ++k, entries += k_chunk) visit(entries);
}

}  // namespace eddyline::neighbors
