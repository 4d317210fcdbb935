#include "solvers/amr/poisson/correction.hpp"

#include <algorithm>

#include "linear/vectors.hpp"
#include "solvers/amr/poisson/mirror.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using linear::for_each_unknown;
using linear::span_of;
using patches::Layout;
using patches::PatchSet;

namespace {

constexpr std::int32_t k_layers = 4;  // four sweeps from 0 and a residual read that far
const linear::ChebyshevOptions k_smoother{.highest = 2, .lowest = 0.2};

float single(double value) { return static_cast<float>(value); }

}  // namespace

/// A sweep is x' = x + keep (x - x_old) + step D^-1 (b - A x), with x_old = 0 at first. From x = 0 the first one is
/// step D^-1 b, and needs no neighbours: the second one reads those of b, and the third one x_old from b.
Correction::Correction(const PatchSet& set, double spacing, const Sweeps& sweeps, const Way& way)
    : layout_(set, k_layers, way.rank()),
      sweeps_(sweeps),
      halo_(way.halo("ghosts")),
      inverse_of_centre_(spacing * spacing / (2 * set.dimensions())) {
  layout_.connect(halo_);
  covers_domain_ = set.cells() == set.domain().cells();
  for (const Layout::Patch& patch : layout_.patches()) {
    auto& beyond = beyond_.emplace_back();
    set.for_each_piece(layout_.grown(patch), [&](std::int32_t giver, const IndexBox& cells, const Int3&) {
      if (giver < 0) beyond.push_back(cells);
    });
  }
  linear::ChebyshevSweeps down(k_smoother), up(k_smoother);
  const auto zeroth = down.next(), second = down.next(), third = down.next();
  const double inverse = inverse_of_centre_, pair = 1 / (2.0 * set.dimensions());
  const double first = zeroth.step * inverse;
  first_two_ = {single((1 + second.keep - second.step) * first + second.step * inverse),
                single(second.step * pair * first)};
  third_ = weights_of(third);
  third_.right = single(third.step * inverse - third.keep * first);
  fourth_ = weights_of(down.next());
  fifth_ = weights_of(up.next());
  sixth_ = weights_of(up.next());
  seventh_ = weights_of(up.next());
  residual_ = {single(-1 / inverse), single(pair / inverse), 1};
}

Weights Correction::weights_of(const linear::ChebyshevSweeps::Factors& factors) const {
  const auto [step, keep] = factors;
  return {single(1 + keep - step), single(step / (2 * layout_.dimensions())), single(step * inverse_of_centre_),
          single(-keep)};
}

Inside Correction::inside(std::size_t patch) const {
  const Layout::Patch& here = layout_.patches()[patch];
  const IndexBox grown = layout_.grown(here);
  const std::ptrdiff_t sy = grown.count(0);
  return {layout_.dimensions(), here.cells.count(0), here.cells.count(1), here.cells.count(2), sy, sy * grown.count(1)};
}

/// Calls each(patch, scratch) for the patches of this rank, in parallel.
template <class Each>
void Correction::for_each_patch(Each&& each) const {
  const auto count = static_cast<std::int64_t>(layout_.patches().size());
  constexpr std::size_t k_line = 64 / sizeof(float);
#pragma omp parallel
  {
    thread_local std::vector<float> memory;
    const std::size_t size = layout_.scratch_size() + k_line;
    memory.resize(std::max(memory.size(), 4 * size));
    float* first = memory.data();
    const Scratch scratch{first, first + size, first + 2 * size, first + 3 * size};
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) each(static_cast<std::size_t>(k), scratch);
  }
}

void Correction::gather(std::span<float> x) {
  const auto views = layout_.views<float>(x.data(), x.data() + size());
  halo_.gather_between(views.field());
}

/// After gather(): the values of a patch and of all layers around it.
void Correction::fill(std::size_t patch, std::span<const float> x, float* to) const {
  const Layout::Patch& here = layout_.patches()[patch];
  const IndexBox grown = layout_.grown(here);
  if (!covers_domain_) std::fill_n(to, grown.cells(), 0.0f);
  layout_.fill(here, {x.data(), x.data() + size()}, to);
  mirror_at_sides(layout_.set(), grown, to);
}

void Correction::end_at_rim(std::size_t patch, float* x) const {
  if (covers_domain_) return;
  const IndexBox grown = layout_.grown(layout_.patches()[patch]);
  for (const IndexBox& part : beyond_[patch])
    for_each_row(part, [&](Int3 cell) { std::fill_n(x + grown.index(cell), part.count(0), 0.0f); });
  mirror_at_sides(layout_.set(), grown, x);
}

/// Sweeps over a patch and some layers around it.
void Correction::sweep(const Inside& at, std::int32_t layers, const Weights& weights, const float* x, const float* b,
                       const float* old, float* to) const {
  const std::ptrdiff_t first = at.corner(layers) - at.corner(k_layers);
  sweeps_.sweep(at.grown(layers), weights, x + first, b == nullptr ? b : b + first, old == nullptr ? old : old + first,
                to + first);
}

/// Four sweeps from 0 for scratch.b, into scratch.z.
void Correction::smooth_from_zero(std::size_t patch, std::int32_t layers, const Scratch& scratch) const {
  const Inside at = inside(patch);
  sweep(at, layers + 2, first_two_, scratch.b, nullptr, nullptr, scratch.x);
  end_at_rim(patch, scratch.x);
  sweep(at, layers + 1, third_, scratch.x, scratch.b, nullptr, scratch.y);
  end_at_rim(patch, scratch.y);
  sweep(at, layers, fourth_, scratch.y, scratch.b, scratch.x, scratch.z);
  end_at_rim(patch, scratch.z);
}

void Correction::copy_from(std::size_t patch, const float* x, float* to) const {
  const Layout::Patch& here = layout_.patches()[patch];
  patches::copy_cells(x, layout_.grown(here), to + here.first, here.cells, here.cells);
}

void Correction::deliver(std::size_t patch, const float* x, const Target& to) const {
  if (to.x != nullptr) copy_from(patch, x, to.x);
  if (to.u == nullptr) return;
  const Layout::Patch& here = layout_.patches()[patch];
  const IndexBox grown = layout_.grown(here);
  double* __restrict u = to.u + here.first;
  for_each_row(here.cells, [&](Int3 cell) {
    const float* from = x + grown.index(cell);
    for (std::int32_t i = 0; i < here.cells.count(0); ++i) u[i] += to.factor * static_cast<double>(from[i]);
    u += here.cells.count(0);
  });
}

void Correction::smooth(std::span<float> b, const Target& to) {
  gather(b);
  for_each_patch([&](std::size_t patch, const Scratch& scratch) {
    fill(patch, b, scratch.b);
    smooth_from_zero(patch, 0, scratch);
    deliver(patch, scratch.z, to);
  });
}

void Correction::descend(std::span<float> b, std::span<float> x, const Rest& rest) {
  gather(b);
  for_each_patch([&](std::size_t patch, const Scratch& scratch) {
    fill(patch, b, scratch.b);
    smooth_from_zero(patch, 1, scratch);
    copy_from(patch, scratch.z, x.data());
    const Inside at = inside(patch);
    sweep(at, 0, residual_, scratch.z, scratch.b, nullptr, scratch.x);
    if (rest.values != nullptr) copy_from(patch, scratch.x, rest.values);
    if (rest.means == nullptr) return;
    sweeps_.restrict_means(at, scratch.x - at.corner(k_layers),
                           rest.means + (layout_.patches()[patch].first >> layout_.dimensions()));
  });
}

void Correction::ascend(std::span<const float> b, std::span<float> x, Interpolation& between,
                        std::span<const float> coarse, const Target& to) {
  gather(x);
  between.gather(coarse);
  for_each_patch([&](std::size_t patch, const Scratch& scratch) {
    const IndexBox grown = layout_.grown(layout_.patches()[patch]);
    fill(patch, x, scratch.x);
    between.add(patch, coarse, sweeps_, grown, scratch.x);
    fill(patch, b, scratch.b);
    const Inside at = inside(patch);
    sweep(at, 2, fifth_, scratch.x, scratch.b, nullptr, scratch.y);
    sweep(at, 1, sixth_, scratch.y, scratch.b, scratch.x, scratch.z);
    sweep(at, 0, seventh_, scratch.z, scratch.b, scratch.y, scratch.x);
    deliver(patch, scratch.x, to);
  });
}

void Correction::solve(const linear::ChebyshevOptions& options, std::span<const float> b, const Target& to) {
  linear::ChebyshevSweeps sweeps(options);
  const float first = single(sweeps.next().step * inverse_of_centre_);
  for (Array<float>* each : {&old_, &now_, &next_}) each->resize(extent());
  for_each_unknown(size(), [&](std::size_t i) { old_[i] = 0, now_[i] = first * b[i]; });
  for (int k = 2; k <= options.degree; ++k) {
    const Weights weights = weights_of(sweeps.next());
    gather(span_of(now_));
    for_each_patch([&](std::size_t patch, const Scratch& scratch) {
      const Layout::Patch& here = layout_.patches()[patch];
      const IndexBox grown = layout_.grown(here);
      fill(patch, span_of(now_), scratch.x);
      patches::copy_cells(b.data() + here.first, here.cells, scratch.b, grown, here.cells);
      patches::copy_cells(old_.data() + here.first, here.cells, scratch.y, grown, here.cells);
      sweep(inside(patch), 0, weights, scratch.x, scratch.b, scratch.y, scratch.z);
      copy_from(patch, scratch.z, next_.data());
    });
    old_.swap(now_);
    now_.swap(next_);
  }
  for_each_unknown(size(), [&](std::size_t i) {
    if (to.x != nullptr) to.x[i] = now_[i];
    if (to.u != nullptr) to.u[i] += to.factor * static_cast<double>(now_[i]);
  });
}

}  // namespace eddyline::amr
