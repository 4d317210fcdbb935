#include "neighbors/list.hpp"

#include <omp.h>

#include <cmath>
#include <cstring>

namespace eddyline::neighbors {

namespace {

std::int32_t filter_plain(const FixedPositions& positions, int dimensions, const std::int32_t* x_i, float cut_squared,
                          std::int32_t begin, std::int32_t end, std::int32_t self, std::int32_t* out) {
  std::int32_t found = 0;
  for (std::int32_t j = begin; j < end; ++j) {
    float r2 = 0;
    for (int d = 0; d < dimensions; ++d) {
      const auto u =
          static_cast<std::uint32_t>(x_i[d]) - static_cast<std::uint32_t>(positions.x[d][static_cast<std::size_t>(j)]);
      const auto r = static_cast<float>(static_cast<std::int32_t>(u));
      r2 = std::fma(r, r, r2);
    }
    out[found] = j;
    found += static_cast<std::int32_t>((r2 <= cut_squared) & (j != self));
  }
  return found;
}

void interleave_plain(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to) {
  for (std::int32_t k = 0; k < length; ++k)
    for (int lane = 0; lane < k_chunk; ++lane) to[k * k_chunk + lane] = from[lane * stride + k];
}

ListKernels choose(const char* instructions) {
#ifdef EDDYLINE_HAS_AVX2
  if (std::strcmp(instructions, "avx2") == 0) return list_kernels_avx2();
#endif
#ifdef EDDYLINE_HAS_AVX512
  if (std::strcmp(instructions, "avx512") == 0) return list_kernels_avx512();
#endif
  (void)instructions;
  return list_kernels_plain();
}

/// Candidate rows of one particle: one run for each neighbouring row of cells, or everything for all_pairs.
class Candidates {
 public:
  explicit Candidates(const Search& search) : search_(search), boxes_(search.layout->boxes()) {}

  /// Calls visit(begin, end) for each run, in canonical order. The box is remembered: particles come box by box.
  template <class Visit>
  void for_each_run(std::int32_t cell, Visit&& visit) {
    const auto& begin = search_.sources->begin;
    if (search_.all_pairs) {
      visit(0, search_.sources->rows);
      return;
    }
    const auto* box = &boxes_[box_];
    if (cell < box->first_cell || cell >= box->first_cell + box->shape[0] * box->shape[1] * box->shape[2]) {
      box_ = static_cast<std::size_t>(search_.layout->box_of(cell));
      box = &boxes_[box_];
    }
    const std::int32_t nx = box->shape[0], nxy = nx * box->shape[1];
    const std::int32_t depth = search_.dimensions == 3 ? 1 : 0;
    for (std::int32_t dz = -depth; dz <= depth; ++dz)
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        const auto first = static_cast<std::size_t>(cell + dz * nxy + dy * nx - 1);
        visit(begin[first], begin[first + 3]);
      }
  }

 private:
  const Search& search_;
  const std::vector<particles::CellLayout::Box>& boxes_;
  std::size_t box_ = 0;
};

}  // namespace

ListKernels list_kernels_plain() { return {filter_plain, interleave_plain}; }

void NeighborList::build(const Search& search, const char* instructions) {
  const ListKernels kernels = choose(instructions);
  const auto& slot = search.targets->slot;
  const auto n = static_cast<std::int64_t>(slot.size());
  const std::int64_t count = (n + k_chunk - 1) / k_chunk;
  const std::int32_t sentinel = search.sources->rows;
  chunks_.resize(static_cast<std::size_t>(count));
  places_.resize(static_cast<std::size_t>(count));
  target_rows_.resize(static_cast<std::size_t>(count * k_chunk));
  for (std::int64_t i = 0; i < count * k_chunk; ++i)
    target_rows_[static_cast<std::size_t>(i)] = i < n ? slot[static_cast<std::size_t>(i)] : search.targets->rows;

  arenas_.resize(static_cast<std::size_t>(omp_get_max_threads()));
  scratch_.resize(arenas_.size());
  std::int64_t stored = 0, padded = 0;
#pragma omp parallel reduction(+ : stored, padded)
  {
    const int thread = omp_get_thread_num();
    Array<std::int32_t>& arena = arenas_[static_cast<std::size_t>(thread)];
    Array<std::int32_t>& scratch = scratch_[static_cast<std::size_t>(thread)];
    Candidates candidates(search);
    std::int64_t used = 0;
#pragma omp for schedule(static)
    for (std::int64_t c = 0; c < count; ++c) {
      std::int32_t most = 0;  // candidates of the busiest particle
      const std::int64_t first = c * k_chunk, last = std::min(first + k_chunk, n);
      for (std::int64_t i = first; i < last; ++i) {
        std::int32_t runs = 0;
        candidates.for_each_run(search.targets->cell[static_cast<std::size_t>(i)],
                                [&](std::int32_t begin, std::int32_t end) { runs += end - begin; });
        most = std::max(most, runs);
      }
      const std::int64_t stride = (most + 2 * k_chunk) / k_chunk * k_chunk;
      scratch.resize(static_cast<std::size_t>(stride * k_chunk));
      std::int32_t found[k_chunk] = {}, length = 0;
      for (std::int64_t i = first; i < last; ++i) {
        const auto lane = static_cast<std::size_t>(i - first);
        const std::int32_t self = slot[static_cast<std::size_t>(i)];
        std::int32_t x_i[3] = {0, 0, 0};
        for (int d = 0; d < search.dimensions; ++d)
          x_i[d] = search.target_positions->x[d][static_cast<std::size_t>(self)];
        std::int32_t* out = scratch.data() + static_cast<std::int64_t>(lane) * stride;
        candidates.for_each_run(
            search.targets->cell[static_cast<std::size_t>(i)], [&](std::int32_t begin, std::int32_t end) {
              if (begin < end)
                found[lane] += kernels.filter(*search.source_positions, search.dimensions, x_i, search.cut_squared,
                                              begin, end, search.same ? self : -1, out + found[lane]);
            });
        length = std::max(length, found[lane]);
        stored += found[lane];
      }
      for (int lane = 0; lane < k_chunk; ++lane)
        std::fill(scratch.data() + lane * stride + found[lane], scratch.data() + lane * stride + length, sentinel);
      arena.resize(static_cast<std::size_t>(used + static_cast<std::int64_t>(length) * k_chunk));
      kernels.interleave(scratch.data(), stride, length, arena.data() + used);
      places_[static_cast<std::size_t>(c)] = {thread, length, used};
      used += static_cast<std::int64_t>(length) * k_chunk;
      padded += static_cast<std::int64_t>(length) * k_chunk;
    }
  }
  for (std::size_t c = 0; c < chunks_.size(); ++c)
    chunks_[c] = {arenas_[static_cast<std::size_t>(places_[c].arena)].data() + places_[c].offset, places_[c].length};
  stored_ = stored;
  padded_ = padded;
}

std::size_t NeighborList::bytes() const {
  std::size_t bytes = chunks_.bytes() + places_.bytes() + target_rows_.bytes();
  for (const auto& arena : arenas_) bytes += arena.bytes();
  for (const auto& scratch : scratch_) bytes += scratch.bytes();
  return bytes;
}

}  // namespace eddyline::neighbors
