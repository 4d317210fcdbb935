#pragma once
// Rebuilds on one backend: cells, the order of particles, images, neighbour lists. Included by the backends only.

#include <cstdint>
#include <span>
#include <vector>

#include "device/cells.hpp"
#include "device/lists.hpp"
#include "device/memory.hpp"

namespace eddyline::device {

/// The places of particles and what is found from them. Besides what it keeps it uses memory of the caller, whose
/// values a rebuild may overwrite.
template <class Backend, class T, int D>
class RebuildOn {
 public:
  using Rows = RowMemory<Backend, T, D>;
  using List = ListMemory<Backend>;

  explicit RebuildOn(Backend& backend) : backend_(backend) {}

  /// Sets the cells of this process.
  void set_cells(const particles::CellLayout& layout) {
    grid_ = layout.grid(), cell_count_ = layout.cells();
    boxes_.upload(layout.boxes()), ghosts_.upload(layout.ghost_cells());
    count_.resize(ghosts_.size() + 1), first_.resize(ghosts_.size() + 1);
  }
  CellArrays cells() const { return {grid_, boxes_.data(), static_cast<std::int32_t>(boxes_.size())}; }
  std::int32_t cell_count() const { return cell_count_; }
  std::int64_t ghost_count() const { return static_cast<std::int64_t>(ghosts_.size()); }
  const GhostCell* ghosts() const { return ghosts_.data(); }

  /// Takes over the rows that the host has found, and finds their images.
  void set_rows(const SortedRows<D>& sorted, Rows& rows) {
    clear_cells(rows);
    rows.real = sorted.real;
    rows.slot.upload(sorted.slot);
    ranges_.upload(sorted.cells);
    backend_.for_each(static_cast<std::int64_t>(sorted.cells.size()), SetRows{ranges_.data(), rows.cells()});
    find_images(rows);
    const auto real = static_cast<std::size_t>(rows.real);
    for (std::size_t d = 0; d < D; ++d)
      if (real > 0) backend_.upload(rows.positions[d].data(), sorted.positions[d], real * sizeof(std::int32_t));
    place_images(rows);
  }

  /// Places and velocities of particles.
  struct Places {
    double *x[D], *v[D];
  };
  /// Memory that sorting uses: so many bytes a particle, aligned as a double.
  static constexpr std::size_t k_sorting_bytes = 20 + 4 * D;
  /// Sorts the fluid into cells. Then reorder(order, spare) puts its arrays in order; `spare` has room for one of them.
  template <class Reorder>
  void sort(std::int64_t n, const Places& fluid, const std::int64_t* id, const SortFactors& by, void* memory,
            Rows& rows, Reorder&& reorder) {
    auto* const spare = static_cast<double*>(memory);
    auto* const numbers = reinterpret_cast<std::int32_t*>(spare + n);
    std::int32_t *const cell = numbers, *const member = numbers + n, *const order = numbers + 2 * n;
    clear_cells(rows);
    rows.real = static_cast<std::int32_t>(n);
    rows.slot.resize(0);
    FindCells<D> find{cells(), by.fixed, by.ahead, {}, {}, {}, cell, rows.end.data()};
    for (int d = 0; d < D; ++d)
      find.x[d] = fluid.x[d], find.v[d] = fluid.v[d], find.position[d] = numbers + (3 + d) * n;
    backend_.for_each(n, find);
    backend_.scan(rows.end.data(), rows.begin.data(), cell_count_);
    backend_.for_each(cell_count_, CopyNumbers{rows.begin.data(), rows.end.data()});
    backend_.for_each(n, PutIntoCells{cell, rows.end.data(), member});
    backend_.for_each(n, SortById{cell, member, rows.cells(), id, order});
    reorder(order, spare);
    find_images(rows);
    ReorderAll<std::int32_t, D> positions{order, {}, {}};
    for (int d = 0; d < D; ++d)
      positions.from[d] = find.position[d], positions.to[d] = rows.positions[static_cast<std::size_t>(d)].data();
    backend_.for_each(n, positions);
    place_images(rows);
  }

  /// Particles that get lists, and what they search.
  struct Request {
    std::int64_t targets;
    const Rows& of_targets;
    const std::int32_t* slot;  // row of each target; null: its number
    const Rows& sources;
    float cut_squared;                       // (R + margin)^2 [quanta^2]
    const std::uint8_t* excluded = nullptr;  // rows of the sources; null: none
  };
  /// Builds lists. `memory`: list_memory() bytes.
  void build(const Request& request, void* memory, List& list) {
    const auto& [targets, of_targets, slot, sources, cut_squared, excluded] = request;
    const std::int64_t chunks = (targets + neighbors::k_chunk - 1) / neighbors::k_chunk;
    auto* const codes = static_cast<std::int64_t*>(memory);
    auto* const cell_of_row = reinterpret_cast<std::int32_t*>(codes + 2 * (chunks + 1));
    std::int32_t* const found = cell_of_row + of_targets.real;
    write_cells(of_targets, cell_of_row);
    const bool same = &of_targets == &sources;
    ListSearch<D> search{cells(), sources.cells(), {}, {}, cell_of_row, slot, targets, excluded, same, cut_squared};
    for (std::size_t d = 0; d < D; ++d)
      search.source[d] = sources.positions[d].data(), search.target[d] = of_targets.positions[d].data();
    list.chunks.resize(static_cast<std::size_t>(chunks));
    backend_.for_each(targets, CountNeighbors<D>{search, found});
    backend_.for_each(chunks + 1, MeasureChunks{found, targets, chunks, list.chunks.data(), codes});
    std::int64_t* const first = codes + chunks + 1;
    backend_.scan(codes, first, chunks + 1);
    std::int64_t total = 0;
    backend_.download(&total, first + chunks, sizeof total);
    list.codes.resize(static_cast<std::size_t>(total));
    backend_.for_each(chunks, PlaceChunks{first, list.codes.data(), list.chunks.data()});
    backend_.for_each(chunks * neighbors::k_chunk, WriteNeighbors<D>{search, list.chunks.data()});
  }
  /// Bytes of memory for build().
  static std::size_t list_memory(std::int64_t targets, const Rows& of_targets) {
    const auto chunks = static_cast<std::size_t>((targets + neighbors::k_chunk - 1) / neighbors::k_chunk) + 1;
    return 16 * chunks + 4 * static_cast<std::size_t>(of_targets.real) + 4 * static_cast<std::size_t>(targets);
  }

  /// Marks particles that may touch a body; returns their number.
  std::size_t mark_near_walls(std::int64_t n, const Rows& fluid, const Rows& walls, void* memory, unsigned int* number,
                              std::uint8_t* near_walls) {
    auto* const cell_of_row = static_cast<std::int32_t*>(memory);
    write_cells(fluid, cell_of_row);
    backend_.clear(number, sizeof *number);
    backend_.for_each(n, MarkNearWalls<D>{cells(), walls.cells(), cell_of_row, fluid.slot.data(), near_walls, number});
    unsigned int found = 0;
    backend_.download(&found, number, sizeof found);
    return found;
  }

  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    visit(boxes_), visit(ghosts_), visit(ranges_), visit(count_), visit(first_);
  }

 private:
  template <class X>
  using Memory = Buffer<Backend, X>;

  void clear_cells(Rows& rows) {
    const auto cells = static_cast<std::size_t>(cell_count_);
    rows.begin.resize(cells), rows.end.resize(cells);
    rows.begin.clear(), rows.end.clear();
  }
  void find_images(Rows& rows) {
    std::int32_t images = 0;
    const std::int64_t ghosts = ghost_count();
    if (ghosts > 0) {
      backend_.for_each(ghosts + 1, CountImages{ghosts_.data(), ghosts, rows.cells(), count_.data()});
      backend_.scan(count_.data(), first_.data(), ghosts + 1);
      backend_.download(&images, first_.data() + ghosts, sizeof images);
      rows.images.resize(static_cast<std::size_t>(images));
      backend_.for_each(ghosts, MakeImages{ghosts_.data(), rows.cells(), first_.data(), rows.images.data()});
    }
    rows.images.resize(static_cast<std::size_t>(images));
    rows.count = rows.real + images;
    for (auto& each : rows.positions) each.resize(static_cast<std::size_t>(rows.count));
  }
  void place_images(Rows& rows) {
    PlaceImages<D> place{rows.images.data(), {}};
    for (std::size_t d = 0; d < D; ++d) place.position[d] = rows.positions[d].data();
    backend_.for_each(static_cast<std::int64_t>(rows.images.size()), place);
  }
  void write_cells(const Rows& rows, std::int32_t* cell_of_row) {
    backend_.for_each(cell_count_, WriteCells{rows.cells(), cell_of_row});
  }

  Backend& backend_;
  particles::CellGrid grid_;
  std::int32_t cell_count_ = 0;
  Memory<CellArrays::Box> boxes_{backend_};
  Memory<GhostCell> ghosts_{backend_};
  Memory<CellRange> ranges_{backend_};
  Memory<std::int32_t> count_{backend_}, first_{backend_};  // of images, by ghost cell
};

}  // namespace eddyline::device
