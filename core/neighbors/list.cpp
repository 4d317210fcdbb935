#include "neighbors/list.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "base/pack.hpp"
#include "base/parallel_for.hpp"

namespace eddyline::neighbors {

namespace {

/// x - center: exact while both are within 16 R of each other.
float relative(std::int32_t x, std::int32_t center) {
  return static_cast<float>(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(center)));
}

ListKernels choose(const char* instructions) {
#ifdef EDDYLINE_HAS_AVX2
  if (std::strcmp(instructions, "avx2") == 0) return list_kernels_avx2();
#endif
#ifdef EDDYLINE_HAS_AVX512
  if (std::strcmp(instructions, "avx512") == 0) return list_kernels_avx512();
#endif
  (void)instructions;
  return list_kernels_scalar();
}

}  // namespace

/// Finds the neighbours of a cell's particles, several particles at a time.
class NeighborList::CellSearch {
 public:
  CellSearch(const Search& search, const ListKernels& kernels, Candidates& candidates)
      : search_(search),
        predicts_(search.prediction.ahead != nullptr),
        kernels_(predicts_ ? kernels.predicted : kernels.unpredicted),
        boxes_(search.layout->boxes()),
        find_cell_(*search.targets),
        candidates_(candidates) {}

  particles::CellFinder::Found find_cell(std::size_t target) { return find_cell_(target); }

  /// The largest number of candidates around one of these cells.
  std::int64_t max_candidates(std::span<const std::int32_t> cells) {
    std::int32_t max_candidates = 0;
    for (const std::int32_t cell : cells) {
      if (cell != std::exchange(counted_cell_, cell)) count_ = count(cell);
      max_candidates = std::max(max_candidates, count_);
    }
    return max_candidates;
  }

  /// Collects the candidates around `cell` in canonical order, unless the previous call was for the same cell.
  void collect_candidates(std::int32_t cell) {
    if (cell == std::exchange(cell_, cell)) return;
    find_group();
    candidates_.count = 0;
    first_ = search_.same ? search_.sources->of(cell).begin : -1;
    for_each_run(cell, [&](RowRun run) {
      if (run.offset == 0 && run.begin <= first_ && first_ < run.end) {
        collect({std::exchange(run.begin, first_), first_});
        candidates_.own = candidates_.count;
      }
      collect(run);
    });
  }

  /// Prepares a query for one of that cell's particles. It is written in place, because loads from a copied query would
  /// wait for the stores of the copy. `neighbors`: output.
  void prepare(std::int32_t row, std::int32_t* neighbors, QueryParticle& query) const {
    find_place(row, -group_.behind, query.begin);
    if (predicts_) find_place(row, group_.ahead, query.end);
    query.self = search_.same ? candidates_.own + (row - first_) : -1;
    query.neighbors = neighbors;
  }
  /// Finds the neighbours of some of that cell's particles.
  void filter(std::span<QueryParticle> queries) { kernels_.filter(candidates_, group_, search_.dimensions, queries); }

 private:
  void collect(const RowRun& run) {
    if (search_.excluded == nullptr) return collect_all(run);
    const auto is_excluded = [&](std::int32_t row) { return search_.excluded[row] != 0; };
    for (RowRun part = run; part.begin < run.end; part.begin = part.end) {
      while (part.begin < run.end && is_excluded(part.begin)) ++part.begin;
      for (part.end = part.begin; part.end < run.end && !is_excluded(part.end);) ++part.end;
      collect_all(part);
    }
  }
  void collect_all(const RowRun& run) {
    kernels_.collect(*search_.source_positions, search_.prediction.sources, search_.dimensions, group_, run,
                     candidates_);
  }
  void find_group() {
    const particles::RowRange rows = search_.targets->of(cell_);
    const std::int32_t first = rows.begin, last = rows.end;
    const std::int32_t number = search_.margins_of == nullptr ? 0 : search_.margins_of->before(cell_);
    const MotionPrediction& prediction = search_.prediction;
    group_.behind = prediction.behind * ReferenceVelocities::k_unit;
    group_.ahead = predicts_ ? prediction.ahead[number] * ReferenceVelocities::k_unit : 0;
    for (int d = 0; d < search_.dimensions; ++d) {
      const auto row = static_cast<std::size_t>(first);
      group_.center[d] = search_.target_positions->x[d][row];
      group_.velocity[d] = target_moves() ? static_cast<float>(prediction.targets->x[d][row]) : 0;
      const auto find = [&](float time, GroupBox& box) {
        float lower = 0, upper = 0;
        const auto widen = [&](auto&& place) __attribute__((always_inline)) {
// Cells contain few particles: with sixteen at a time, as many reference velocities as fit a register, most lanes would
// idle.
#pragma omp simd simdlen(8) reduction(min : lower) reduction(max : upper)
          for (std::int32_t r = first; r < last; ++r) {
            const float at = place(r);
            lower = std::min(lower, at), upper = std::max(upper, at);
          }
        };
        with_places(d, time, widen);
        box.lower[d] = lower, box.upper[d] = upper;
      };
      find(-group_.behind, group_.begin);
      if (predicts_) find(group_.ahead, group_.end);
    }
    group_.set_cutoff(search_.margins_of == nullptr ? search_.cut_squared : search_.cut_squared_of[number]);
  }
  bool target_moves() const { return predicts_ && search_.prediction.targets != nullptr; }
  /// Calls use(place), where place(row) is the position along axis d relative to the group's centre.
  template <class Use>
  EDDYLINE_INLINE void with_places(int d, float time, Use&& use) const {
    const std::int32_t* x = search_.target_positions->x[d].data();
    const std::int32_t center = group_.center[d];
    if (!target_moves()) return use([=](std::int32_t row) { return relative(x[row], center); });
    const std::int16_t* w = search_.prediction.targets->x[d].data();
    const float velocity = group_.velocity[d];
    use([=](std::int32_t row) { return relative(x[row], center) + (static_cast<float>(w[row]) - velocity) * time; });
  }
  void find_place(std::int32_t row, float time, float* at) const {
    for (int d = 0; d < search_.dimensions; ++d) with_places(d, time, [&](auto&& place) { at[d] = place(row); });
  }
  /// Calls visit(run) for the rows of each three cells along x around `cell`, or of all cells if all_pairs is set.
  template <class Visit>
  void for_each_run(std::int32_t cell, Visit&& visit) {
    const particles::CellIndex& rows = *search_.sources;
    if (search_.all_pairs) return rows.cells.for_each([&](std::int32_t each) { visit_cell(each, visit); });
    const auto* box = &boxes_[box_];
    if (cell < box->first_cell || cell >= box->first_cell + box->cells_with_border()) {
      box_ = static_cast<std::size_t>(search_.layout->box_of(cell));
      box = &boxes_[box_];
    }
    box->for_each_run_around(cell, [&](std::int32_t first) {
      const auto from = static_cast<std::size_t>(rows.cells.before(first));
      const auto to = static_cast<std::size_t>(rows.cells.before(first + 3));
      if (from == to) return;
      bool is_one_run = rows.end[to - 1] <= rows.real_rows;
      for (std::size_t n = from; n + 1 < to; ++n) is_one_run = is_one_run && rows.end[n] == rows.begin[n + 1];
      if (is_one_run) return visit(RowRun{rows.begin[from], rows.end[to - 1]});
      for (std::int32_t each = first; each < first + 3; ++each)
        if (!rows.is_empty(each)) visit_cell(each, visit);
    });
  }
  /// Visits the rows of one cell, which may be an image.
  template <class Visit>
  void visit_cell(std::int32_t cell, Visit&& visit) const {
    const particles::CellIndex& rows = *search_.sources;
    const particles::RowRange here = rows.of(cell);
    const particles::GhostCell* copy = search_.layout->copy_of(cell);
    const particles::RowRange from = copy == nullptr ? here : rows.of(copy->from_cell);
    visit(RowRun{from.begin, from.end, copy == nullptr ? Int3{0, 0, 0} : copy->shift, here.begin - from.begin});
  }
  std::int32_t count(std::int32_t cell) {
    std::int32_t sum = 0;
    for_each_run(cell, [&](const RowRun& run) { sum += run.end - run.begin; });
    return sum;
  }

  const Search& search_;
  const bool predicts_;
  const ListKernels::Search kernels_;
  const std::vector<particles::CellLayout::Box>& boxes_;
  particles::CellFinder find_cell_;
  Candidates& candidates_;
  Group group_;
  std::int32_t cell_ = -1;
  std::int32_t counted_cell_ = -1, count_ = 0;  // candidates around counted_cell_
  std::int32_t first_ = -1;                     // first row of cell_ with Search::same, otherwise -1
  std::size_t box_ = 0;
};

void Group::set_cutoff(float cut_squared) {
  limit = cut_squared;
  float farthest = 0;
  for (const GroupBox& box : {begin, end})
    for (int d = 0; d < 3; ++d) farthest = std::max({farthest, -box.lower[d], box.upper[d]});
  reach = farthest + std::sqrt(cut_squared);
}

std::int32_t* Arena::take(std::size_t entries) {
  constexpr std::size_t k_first = 1 << 14, k_largest = std::size_t{8} << 20;
  while (slab_ < slabs_.size() && used_ + entries > slabs_[slab_].size()) ++slab_, used_ = 0;
  if (slab_ == slabs_.size()) {
    const std::size_t twice = slabs_.empty() ? k_first : 2 * slabs_.back().size();
    slabs_.emplace_back().resize(std::max(entries, std::min(twice, k_largest)));
  }
  std::int32_t* from = slabs_[slab_].data() + used_;
  used_ += entries;
  return from;
}

void Arena::reserve(std::size_t entries) {
  std::size_t left = 0;
  for (std::size_t s = slab_; s < slabs_.size(); ++s) left += slabs_[s].size();
  if (left < used_ + entries) slabs_.emplace_back().resize(entries);
}

std::size_t Arena::taken() const {
  std::size_t entries = used_;
  for (std::size_t s = 0; s < slab_; ++s) entries += slabs_[s].size();
  return entries;
}

NeighborList::ThreadScratch& NeighborList::own_scratch() {
  return scratch_[static_cast<std::size_t>(omp_get_thread_num())];
}

void NeighborList::build(const Search& search, const char* instructions) {
  assert(search.excluded == nullptr || !search.same);
  const ListKernels kernels = choose(instructions);
  ++version_;
  targets_ = Targets(*search.targets);
  chunks_.resize(static_cast<std::size_t>((targets_.count + k_chunk - 1) / k_chunk));
  scratch_.resize(static_cast<std::size_t>(omp_get_max_threads()));
  build_all(search, kernels);
  if (search.margins_of != nullptr) reserve_for_renewals(search.prediction.ahead != nullptr);
}

void NeighborList::build_all(const Search& search, const ListKernels& kernels) {
  const auto count_of_chunks = static_cast<std::int64_t>(chunks_.size());
  chunks_.assign(chunks_.size(), {});
  room_.assign(chunks_.size(), 0);
  constexpr std::int64_t k_cached =
      1 << 20;  // with more entries, lists would evict rows and other data from the caches
  past_caches_ = padded_ > k_cached;
  for (ThreadScratch& each : scratch_) each.clear(), each.max_candidates = 0;
#pragma omp parallel
  {
    ThreadScratch& scratch = own_scratch();
    CellSearch cell_search(search, kernels, scratch.candidates);
#pragma omp for schedule(static)
    for (std::int64_t c = 0; c < count_of_chunks; ++c) build_chunk(c, search, cell_search, kernels, scratch);
  }
  count();
}

void NeighborList::ThreadScratch::reserve(bool predicts) {
  candidates.resize(static_cast<std::size_t>(max_candidates) + k_chunk, predicts);
  lists.resize(static_cast<std::size_t>(stride(max_candidates) * k_chunk));
}

std::int32_t* NeighborList::ThreadScratch::take(std::int32_t& length) {
  constexpr int k_tried = 8;
  FreeBlock** at = &free_blocks;
  for (int k = 0; k < k_tried && *at != nullptr; ++k, at = &(*at)->next) {
    if ((*at)->length < length || (*at)->length > length + length / 4) continue;
    FreeBlock* const found = *at;
    *at = found->next;
    length = static_cast<std::int32_t>(found->length);
    return reinterpret_cast<std::int32_t*>(found);
  }
  return arena.take(static_cast<std::size_t>(length) * k_chunk);
}

void NeighborList::ThreadScratch::recycle(std::int32_t* entries, std::int32_t length) {
  static_assert(sizeof(FreeBlock) <= k_chunk * sizeof *entries);
  if (length > 0) free_blocks = new (entries) FreeBlock{free_blocks, length};
}

/// Allocates memory in advance so that renew() allocates nothing, whichever thread takes which chunk.
void NeighborList::reserve_for_renewals(bool predicts) {
  due_.resize(chunks_.size());
  std::int64_t max_candidates = 0;
  for (const ThreadScratch& each : scratch_) max_candidates = std::max(max_candidates, each.max_candidates);
  // One thread gets twice the present entries; with several threads, twice each thread's share.
  const auto threads = static_cast<std::int64_t>(scratch_.size());
  const auto room = static_cast<std::size_t>(2 * k_min_waste + 2 * padded_ / (threads + 1));
  for (ThreadScratch& each : scratch_) {
    each.arena.reserve(room);
    each.max_candidates = max_candidates;
    each.reserve(predicts);
  }
}

/// Finds the chunks that contain particles of cells marked in `due`, in any order; returns their number.
std::int64_t NeighborList::find_due(const Search& search, const std::uint8_t* due) {
  constexpr std::int64_t k_block = 64;  // chunks
  std::atomic<std::int64_t> count = 0;
  parallel_for(static_cast<std::int64_t>(chunks_.size()), k_block, [&](std::int64_t first, std::int64_t last) {
    std::array<std::int32_t, k_block> found;
    std::int64_t some = 0;
    particles::CellFinder find_cell(*search.targets);
    for (std::int64_t c = first; c < last; ++c) {
      bool is_due = false;
      for (auto k = static_cast<std::size_t>(c * k_chunk);
           k < static_cast<std::size_t>(std::min((c + 1) * k_chunk, targets_.count));) {
        const auto [cell, after] = find_cell(k);
        is_due = is_due || due[search.margins_of->before(cell)] != 0;
        k = after;
      }
      if (is_due) found[static_cast<std::size_t>(some++)] = static_cast<std::int32_t>(c);
    }
    std::copy_n(found.begin(), some, due_.begin() + count.fetch_add(some));
  });
  return count;
}

std::int64_t NeighborList::renew(const Search& search, const char* instructions, const std::uint8_t* due) {
  const ListKernels kernels = choose(instructions);
  const std::int64_t count_of_due = find_due(search, due);
  if (count_of_due == 0) return 0;
  ++version_;
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(omp_get_max_threads())));
  // If most chunks are due, build all: then lists that outgrow their memory cannot waste it.
  if (3 * count_of_due > 2 * static_cast<std::int64_t>(chunks_.size())) {
    build_all(search, kernels);
    return static_cast<std::int64_t>(chunks_.size());
  }
  constexpr std::int64_t k_block = 4;  // chunks
  WorkShares shares((count_of_due + k_block - 1) / k_block);
#pragma omp parallel
  {
    ThreadScratch& scratch = own_scratch();
    CellSearch cell_search(search, kernels, scratch.candidates);
    shares.take([&](std::int64_t portion) {
      const std::int64_t first = portion * k_block;
      for (std::int64_t k = first; k < std::min(first + k_block, count_of_due); ++k)
        build_chunk(due_[static_cast<std::size_t>(k)], search, cell_search, kernels, scratch);
    });
  }
  count();
  if (is_scattered()) build_all(search, kernels);
  return count_of_due;
}

void NeighborList::build_chunk(std::int64_t c, const Search& search, CellSearch& cell_search,
                               const ListKernels& kernels, ThreadScratch& scratch) {
  const std::int64_t first = c * k_chunk, last = std::min(first + k_chunk, targets_.count);
  std::array<std::int32_t, k_chunk> cell_of_lane;
  const std::span cells(cell_of_lane.data(), static_cast<std::size_t>(last - first));
  for (std::size_t lane = 0; lane < cells.size();) {
    const auto [cell, after] = cell_search.find_cell(static_cast<std::size_t>(first) + lane);
    const std::size_t end = std::min(after - static_cast<std::size_t>(first), cells.size());
    for (; lane < end; ++lane) cells[lane] = cell;
  }
  Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
  std::int32_t& room = room_[static_cast<std::size_t>(c)];
  const auto add_to_totals = [&](int sign) {
    scratch.added.stored += sign * chunk.stored;
    scratch.added.padded += std::int64_t{sign} * chunk.length * k_chunk;
    scratch.added.room += std::int64_t{sign} * room * k_chunk;
  };
  add_to_totals(-1);
  const std::int64_t max_candidates = cell_search.max_candidates(cells);
  chunk.length = chunk.stored = 0;
  if (max_candidates == 0) return add_to_totals(1);
  scratch.max_candidates = std::max(scratch.max_candidates, max_candidates);
  scratch.reserve(search.prediction.ahead != nullptr);
  std::array<QueryParticle, k_chunk> queries;
  std::int32_t length = 0, stored = 0;
  std::int32_t* const lists = scratch.lists.data();
  const std::int64_t stride = ThreadScratch::stride(max_candidates);
  for (std::size_t lane = 0; lane < cells.size();) {
    const std::size_t first_lane = lane;
    cell_search.collect_candidates(cells[lane]);
    for (; lane < cells.size() && cells[lane] == cells[first_lane]; ++lane)
      cell_search.prepare(targets_.row_of(first + static_cast<std::int64_t>(lane)),
                          lists + static_cast<std::int64_t>(lane) * stride, queries[lane]);
    cell_search.filter(std::span(queries).subspan(first_lane, lane - first_lane));
  }
  for (const QueryParticle& query : queries) {
    length = std::max(length, query.found);
    stored += query.found;
  }
  const std::int32_t sentinel = search.sources->rows * k_row_step;
  for (int lane = 0; lane < k_chunk; ++lane)
    for (std::int32_t k = queries[static_cast<std::size_t>(lane)].found; k < length; k += k_chunk)
      std::fill_n(lists + lane * stride + k, k_chunk, sentinel);
  if (length > room) {
    scratch.recycle(chunk.entries, room);
    // Lists that are renewed separately get some spare capacity.
    room = search.margins_of != nullptr ? length + length / 32 : length;
    chunk.entries = scratch.take(room);
  }
  kernels.interleave(lists, stride, length, chunk.entries, past_caches_);
  chunk.length = length, chunk.stored = stored;
  add_to_totals(1);
}

/// Sums up what all chunks hold.
void NeighborList::count() {
  stored_ = padded_ = wasted_ = 0;
  for (const auto& scratch : scratch_) {
    stored_ += scratch.added.stored;
    padded_ += scratch.added.padded;
    wasted_ += static_cast<std::int64_t>(scratch.arena.taken()) - scratch.added.room;
  }
}

std::size_t NeighborList::bytes() const {
  std::size_t bytes = chunks_.bytes() + room_.bytes() + due_.bytes();
  for (const auto& each : scratch_)
    bytes += each.arena.taken() * sizeof(std::int32_t) + each.lists.bytes() + each.candidates.bytes();
  return bytes;
}

}  // namespace eddyline::neighbors
