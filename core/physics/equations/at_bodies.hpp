#pragma once
// Cells at bodies, one by one. Faces between them and all other cells have the same flux from both sides, in the same
// arithmetic, so that means are conserved.

#include "physics/equations/patch_loops.hpp"
#include "physics/equations/reconstruction.hpp"

namespace eddyline::physics {

/// P: the pack of the instruction set, so that files for different ones share no code.
template <class P, class Model, int D, Reconstruction R>
class CellsAtBodies {
  static constexpr std::size_t N = Model::k_fields;
  static constexpr std::int32_t k_reach = Reconstruct<R>::k_ghosts;
  using Values = ValuesOf<One, N>;

 public:
  /// `first`: primitive values of the patch's first cell, field after field at the distance `field`.
  CellsAtBodies(const Model& model, const Stage& stage, const double* first, std::ptrdiff_t field)
      : model_(model), stage_(stage), solid_(*stage.solid), first_(first), field_(field), stride_(stage.in[0].stride) {}

  void run() const {
    for (const CellAtBody& cell : solid_.cells) compute(cell);
    for (const Int3 cell : solid_.frozen) {
      const std::int64_t i = stage_.place.cells.index(cell);
      for (std::size_t f = 0; f < N; ++f) stage_.to[f][i] = stage_.slots[0][f][i];
      for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) close_faces(cell, d);
    }
  }

 private:
  std::ptrdiff_t offset(Int3 cell) const {
    std::ptrdiff_t sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += (cell[d] - stage_.place.cells.lower[d]) * stride_[d];
    return sum;
  }

  /// Primitive values of the mean over the fluid of a cell.
  Values values(Int3 cell) const {
    Values all;
    for (std::size_t f = 0; f < N; ++f) all[f] = stage_.in[f].at[offset(cell)];
    return model_.primitive(all);
  }
  /// Those of the next place before the wall of a cell; of the cell itself if there is none.
  Values next_of(const CellAtBody& cell) const {
    if (cell.nexts == 0) return values(cell.cell);
    Values all;
    for (std::size_t k = cell.next; k < cell.next + cell.nexts; ++k) {
      const Weighed& part = solid_.next[k];
      for (std::size_t f = 0; f < N; ++f) all[f] = all[f] + One(part.weight * stage_.in[f].at[offset(part.cell)]);
    }
    return model_.primitive(all);
  }

  /// All cells of a group hold the same values.
  void compute(const CellAtBody& cell) const {
    Values sum;
    for (std::size_t k = cell.first; k < cell.first + cell.parts; ++k) {
      const CellPart& part = solid_.parts[k];
      add_faces<0>(part, sum);
      add_faces<1>(part, sum);
      if constexpr (D == 3) add_faces<2>(part, sum);
    }
    if (norm(cell.wall.area) > 0) {
      const WallForce force = model_.wall(values(cell.cell), next_of(cell), cell.wall);
      for (int d = 0; d < D; ++d) {
        One& momentum = sum[Model::k_momentum + static_cast<std::size_t>(d)];
        momentum = momentum - One(force.pressure[d] + force.friction[d]);
      }
    }
    const One per_length(1 / (cell.volume * stage_.place.spacing));
    for (std::size_t f = 0; f < N; ++f) sum[f] = per_length * sum[f];
    store_stage<One>(model_, stage_, stage_.place.cells.index(cell.cell), sum);
  }

  template <int Axis>
  void add_faces(const CellPart& part, Values& sum) const {
    constexpr auto axis = static_cast<std::size_t>(Axis);
    Int3 below = part.cell;
    --below[axis];
    if (const double open = part.open[2 * axis]; open > 0) {
      const Values flux = flux_above<Axis>(below);
      for (std::size_t f = 0; f < N; ++f) sum[f] = sum[f] + One(open) * flux[f];
    }
    if (const double open = part.open[2 * axis + 1]; open > 0) {
      const Values flux = flux_above<Axis>(part.cell);
      for (std::size_t f = 0; f < N; ++f) sum[f] = sum[f] - One(open) * flux[f];
    }
  }

  /// Flux through the upper face of a cell. Beyond a cell without fluid the last one with fluid is repeated.
  template <int Axis>
  Values flux_above(Int3 lower) const {
    constexpr std::size_t n = 2 * k_reach, middle = k_reach - 1;  // cells across the face, and the last one below it
    std::array<std::ptrdiff_t, n> at{};
    const auto cell = [&](std::size_t k) {
      Int3 found = lower;
      found[static_cast<std::size_t>(Axis)] += static_cast<std::int32_t>(k) - static_cast<std::int32_t>(middle);
      return found;
    };
    at[middle] = offset(cell(middle)), at[middle + 1] = offset(cell(middle + 1));
    bool is_fluid = true;
    for (std::size_t k = middle; k-- > 0;) {
      is_fluid = is_fluid && !solid_.is_covered(cell(k));
      at[k] = is_fluid ? offset(cell(k)) : at[k + 1];
    }
    is_fluid = true;
    for (std::size_t k = middle + 2; k < n; ++k) {
      is_fluid = is_fluid && !solid_.is_covered(cell(k));
      at[k] = is_fluid ? offset(cell(k)) : at[k - 1];
    }
    std::array<double, N * n> line{};
    for (std::size_t f = 0; f < N; ++f)
      for (std::size_t k = 0; k < n; ++k) line[f * n + k] = first_[static_cast<std::ptrdiff_t>(f) * field_ + at[k]];
    const FaceValues<One, N> face = Reconstruct<R>::template face<One>(model_, line.data() + middle, n, 1);
    Values flux = model_.template flux<Axis>(face.left, face.right);
    if constexpr (requires { Model::k_diffuses; }) {
      const Values more = diffusion<Axis>(lower);
      for (std::size_t f = 0; f < N; ++f) flux[f] = flux[f] + more[f];
    }
    return flux;
  }

  /// Derivatives along the face are one-sided beside a cell without fluid.
  template <int Axis>
  Values diffusion(Int3 lower) const {
    constexpr std::ptrdiff_t k_values = 14, k_middle = 6;
    std::array<double, N * k_values> around{};
    FaceStencil<One> stencil{around.data() + k_middle, k_values, {}, stage_.place.spacing};
    std::ptrdiff_t beside = 2;
    for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
      stencil.step[d] = d == static_cast<std::size_t>(Axis) ? 1 : beside;
      if (d != static_cast<std::size_t>(Axis)) beside += 4;
    }
    for (std::int32_t k = 0; k < 2; ++k) {
      Int3 cell = lower;
      cell[static_cast<std::size_t>(Axis)] += k;
      const double* here = first_ + offset(cell);
      for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
        if (d == static_cast<std::size_t>(Axis)) continue;
        Int3 down = cell, up = cell;
        --down[d], ++up[d];
        const bool has_down = !solid_.is_covered(down), has_up = !solid_.is_covered(up);
        for (std::size_t f = 0; f < N; ++f) {
          const double* value = here + static_cast<std::ptrdiff_t>(f) * field_;
          const double below = has_down ? value[-stride_[d]] : 0, above = has_up ? value[stride_[d]] : 0;
          double* to = around.data() + static_cast<std::ptrdiff_t>(f) * k_values + k_middle + k;
          to[-stencil.step[d]] = has_down ? below : (has_up ? 2 * *value - above : *value);
          to[stencil.step[d]] = has_up ? above : (has_down ? 2 * *value - below : *value);
        }
      }
      for (std::size_t f = 0; f < N; ++f)
        around[f * k_values + static_cast<std::size_t>(k_middle + k)] = here[static_cast<std::ptrdiff_t>(f) * field_];
    }
    return model_.template diffusion<Axis>(stencil);
  }

  /// Nothing flows through the faces of a cell that keeps its values.
  void close_faces(Int3 cell, std::size_t axis) const {
    double* kept = stage_.fluxes[axis];
    if (kept == nullptr) return;
    grid::IndexBox faces = stage_.place.cells;
    ++faces.upper[axis];
    Int3 above = cell;
    ++above[axis];
    for (std::size_t f = 0; f < N; ++f) {
      double* of_field = kept + static_cast<std::int64_t>(f) * faces.cells();
      of_field[faces.index(cell)] = of_field[faces.index(above)] = 0;
    }
  }

  const Model& model_;
  const Stage& stage_;
  const Solid& solid_;
  const double* first_;
  std::ptrdiff_t field_;
  std::array<std::ptrdiff_t, 3> stride_;
};

}  // namespace eddyline::physics
