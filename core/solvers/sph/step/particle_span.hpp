#pragma once
// Spans of particles, for computations on each particle alone: simple loops over the arrays of a span. The compiler
// turns them into vector instructions, and the data stay in the first-level cache from one loop to the next.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "solvers/sph/lists/schedule.hpp"

namespace eddyline::sph {

inline constexpr std::int64_t k_span = 128;  // particles

/// Particles [first, first + count).
struct ParticleSpan {
  std::size_t first, count;
};

/// Calls visit(span) for all of n particles, in parallel.
template <class Visit>
void for_each_span(std::int64_t n, Visit&& visit) {
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < n; first += k_span)
    visit(ParticleSpan{static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(k_span, n - first))});
}

/// Calls visit(span) for the particles of a block of chunks that are among the first n.
template <class Visit>
void for_each_span(const Block& block, std::int64_t n, Visit&& visit) {
  const std::int64_t last = std::min(block.last * neighbors::k_chunk, n);
  for (std::int64_t first = block.first * neighbors::k_chunk; first < last; first += k_span)
    visit(ParticleSpan{static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(k_span, last - first))});
}

/// Calls visit(span) for the particles of several blocks, in parallel.
template <class Visit>
void for_each_span(std::span<const Block> blocks, std::int64_t n, Visit&& visit) {
  parallel_for(static_cast<std::int64_t>(blocks.size()),
               [&](std::int64_t b) { for_each_span(blocks[static_cast<std::size_t>(b)], n, visit); });
}

/// A value for each particle of a span.
struct SpanValues {
  double value[k_span];

  double& operator[](std::size_t l) { return value[l]; }
  double operator[](std::size_t l) const { return value[l]; }
};

}  // namespace eddyline::sph
