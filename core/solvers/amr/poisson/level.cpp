#include "solvers/amr/poisson/level.hpp"

#include <algorithm>

#include "base/host_device.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Layout;
using patches::PatchSet;

void mirror_at_sides(const PatchSet& set, const IndexBox& box, double* values) {
  const IndexBox domain = set.domain();
  for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) {
    if (set.is_periodic(d)) continue;
    IndexBox below = box, above = box;
    below.upper[d] = std::min(box.upper[d], domain.lower[d]);
    above.lower[d] = std::max(box.lower[d], domain.upper[d]);
    for (const IndexBox& beyond : {below, above}) {
      if (beyond.lower[d] >= beyond.upper[d]) continue;
      const std::int32_t sum = beyond.lower[d] < 0 ? -1 : 2 * domain.upper[d] - 1;  // of a cell and its image
      for_each_cell(beyond, [&](Int3 cell) {
        Int3 image = cell;
        image[d] = sum - cell[d];
        values[box.index(cell)] = values[box.index(image)];
      });
    }
  }
}

PoissonLevel::PoissonLevel(const PatchSet& set, double spacing, std::int32_t ghosts, const Way& way)
    : layout_(set, ghosts, way.rank()), spacing_(spacing), halo_(way.halo("ghosts")) {
  layout_.connect(halo_);
  covers_domain_ = set.cells() == set.domain().cells();
  inverse_diagonal_.resize(size());
  std::fill_n(inverse_diagonal_.data(), size(), inverse_of_centre());
}

void PoissonLevel::gather(std::span<double> x) {
  const Layout::Views views = layout_.views(x.data(), x.data() + size());
  halo_.gather_between(views.field());
}

void PoissonLevel::fill(std::size_t patch, std::span<const double> x, const Around& around, double* to) const {
  const Layout::Patch& here = layout_.patches()[patch];
  const IndexBox grown = layout_.grown(here);
  if (around.rim == nullptr && !covers_domain_) std::fill_n(to, grown.cells(), 0.0);
  layout_.fill(here, {x.data(), x.data() + size()}, to);
  if (around.rim != nullptr)
    for (const patches::Rim::Part& part : around.rim->parts_of(patch)) {
      const double* from = around.values.data() + part.first;
      for_each_row(part.ghosts, [&](Int3 cell) {
        std::copy_n(from, part.ghosts.count(0), to + grown.index(cell));
        from += part.ghosts.count(0);
      });
    }
  mirror_at_sides(layout_.set(), grown, to);
}

namespace {

/// dx^2 A x at cell i of a row.
template <int D>
EDDYLINE_INLINE double differences(const double* q, std::ptrdiff_t i, std::ptrdiff_t sy, std::ptrdiff_t sz) {
  const double pairs = (q[i - 1] + q[i + 1]) + (q[i - sy] + q[i + sy]);
  if constexpr (D == 2) return 4 * q[i] - pairs;
  return 6 * q[i] - (pairs + (q[i - sz] + q[i + sz]));
}

/// q: values of a row among ghosts.
struct Row {
  const double* q;
  std::ptrdiff_t sy, sz;
  std::int32_t count;
};

template <int D>
void residual_of_row(Row row, double per_area, const double* b, double* __restrict r) {
  for (std::int32_t i = 0; i < row.count; ++i) r[i] = b[i] - per_area * differences<D>(row.q, i, row.sy, row.sz);
}

template <int D>
void relax_row(Row row, double per_area, double factor, double keep, const double* b, double* __restrict change,
               double* __restrict next) {
  for (std::int32_t i = 0; i < row.count; ++i) {
    change[i] = keep * change[i] + factor * (b[i] - per_area * differences<D>(row.q, i, row.sy, row.sz));
    next[i] = row.q[i] + change[i];
  }
}

}  // namespace

/// After gather(): calls row.template operator()<D>(q, sy, sz, first, count) for each row of cells, with q its values
/// among ghosts and `first` its first unknown.
template <class Row>
void PoissonLevel::for_each_row_of_patches(std::span<double> x, const Around& around, Row&& row) {
  gather(x);
  const auto count = static_cast<std::int64_t>(layout_.patches().size());
#pragma omp parallel
  {
    thread_local std::vector<double> memory;
    memory.resize(std::max(memory.size(), layout_.scratch_size()));
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      fill(static_cast<std::size_t>(k), x, around, memory.data());
      const Layout::Patch& patch = layout_.patches()[static_cast<std::size_t>(k)];
      const IndexBox grown = layout_.grown(patch);
      const std::ptrdiff_t sy = grown.count(0), sz = sy * grown.count(1);
      std::int64_t first = patch.first;
      for_each_row(patch.cells, [&](Int3 cell) {
        const double* q = memory.data() + grown.index(cell);
        if (layout_.dimensions() == 3)
          row.template operator()<3>(q, sy, sz, first, patch.cells.count(0));
        else
          row.template operator()<2>(q, sy, sz, first, patch.cells.count(0));
        first += patch.cells.count(0);
      });
    }
  }
}

void PoissonLevel::apply(std::span<double> x, std::span<double> y) {
  const double per_area = 1 / (spacing_ * spacing_);
  for_each_row_of_patches(
      x, {}, [&]<int D>(const double* q, std::ptrdiff_t sy, std::ptrdiff_t sz, std::int64_t first, std::int32_t n) {
        double* __restrict to = y.data() + first;
        for (std::int32_t i = 0; i < n; ++i) to[i] = per_area * differences<D>(q, i, sy, sz);
      });
}

void PoissonLevel::residual(std::span<double> x, const Around& around, std::span<const double> b, std::span<double> r) {
  const double per_area = 1 / (spacing_ * spacing_);
  for_each_row_of_patches(
      x, around, [&]<int D>(const double* q, std::ptrdiff_t sy, std::ptrdiff_t sz, std::int64_t first, std::int32_t n) {
        residual_of_row<D>({q, sy, sz, n}, per_area, b.data() + first, r.data() + first);
      });
}

void PoissonLevel::relax(std::span<double> x, std::span<const double> b, double step, double keep, std::span<double> d,
                         std::span<double> next) {
  const double per_area = 1 / (spacing_ * spacing_), factor = step * inverse_of_centre();
  for_each_row_of_patches(
      x, {}, [&]<int D>(const double* q, std::ptrdiff_t sy, std::ptrdiff_t sz, std::int64_t first, std::int32_t n) {
        const double* right = b.data() + first;
        double* __restrict change = d.data() + first, * __restrict to = next.data() + first;
        if (keep == 0) {
          for (std::int32_t i = 0; i < n; ++i) {
            change[i] = factor * (right[i] - per_area * differences<D>(q, i, sy, sz));
            to[i] = q[i] + change[i];
          }
          return;
        }
        relax_row<D>({q, sy, sz, n}, per_area, factor, keep, right, change, to);
      });
}

}  // namespace eddyline::amr
