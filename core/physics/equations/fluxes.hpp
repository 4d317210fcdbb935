#pragma once

#include "physics/equations/at_bodies.hpp"
#include "physics/equations/patch_loops.hpp"
#include "physics/equations/reconstruction.hpp"

namespace eddyline::physics {

/// Models of conserved means that give fluxes through faces. P: the pack of the instruction set. Each flux is computed
/// once a patch; rows and planes of fluxes are kept until the cells beyond them are computed.
template <class P, class Model, int D, Reconstruction R>
struct FluxesOnPatch {
  static constexpr std::size_t N = Model::k_fields;

  static void advance(const void* opaque, const Stage& stage, double* work) {
    FluxesOnPatch(*static_cast<const Model*>(opaque), stage, work).run();
  }

 private:
  /// Fluxes: field after field at a distance of `field`, the first at `at`.
  struct Row {
    double* at;
    std::ptrdiff_t field;
  };

  FluxesOnPatch(const Model& model, const Stage& stage, double* work) : model_(model), stage_(stage) {
    for (std::size_t d = 0; d < 3; ++d) n_[d] = stage.place.cells.count(d);
    const std::int32_t ghosts = ghosts_in(stage.in[0], n_);  // may be more than the values at faces need
    const WorkSize size(n_, N, ghosts, D);
    const std::array<std::ptrdiff_t, 3>& stride = stage.in[0].stride;
    stride_ = stride;
    const std::ptrdiff_t before = ghosts * (stride[0] + stride[1] + (D == 3 ? stride[2] : 0));
    grown_ = static_cast<std::ptrdiff_t>(size.primitives / N);
    first_ = work + before;
    to_primitives(before);
    if constexpr (requires { Model::k_momentum; }) {
      if (stage_.solid != nullptr) move_to_centres();
    }
    x_ = {work + size.primitives, n_[0] + 1};
    y_ = {x_.at + size.x, 2 * n_[0]};
    z_ = {y_.at + size.y, 2 * n_[0] * n_[1]};
  }

  void to_primitives(std::ptrdiff_t before) {
    double* to = first_ - before;
    for_row<P>(0, static_cast<std::int32_t>(grown_), [&]<class Q>(Q, std::int32_t i) {
      ValuesOf<Q, N> u;
      for (std::size_t f = 0; f < N; ++f) u[f] = Q::load(stage_.in[f].at - before + i);
      const ValuesOf<Q, N> q = model_.primitive(u);
      for (std::size_t f = 0; f < N; ++f) q[f].store(to + static_cast<std::ptrdiff_t>(f) * grown_ + i);
    });
  }

  /// Velocities before walls that hold the fluid, at the centres of cells.
  void move_to_centres() {
    for (const Moved& moved : stage_.solid->moved) {
      double* at = first_ + Model::k_momentum * grown_;
      for (std::size_t d = 0; d < 3; ++d) at += (moved.cell[d] - stage_.place.cells.lower[d]) * stride_[d];
      for (std::ptrdiff_t d = 0; d < D; ++d) at[d * grown_] *= moved.factor;
    }
  }

  /// Fluxes through the upper faces across an axis of cells in a row, from cell `first` on; to: of cell 0.
  template <int Axis>
  EDDYLINE_INLINE void faces(std::int32_t first, std::int32_t y, std::int32_t z, Row to) const {
    const std::ptrdiff_t row = y * stride_[1] + z * stride_[2];
    for_row<P>(first, n_[0], [&]<class Q>(Q, std::int32_t x) {
      const FaceValues<Q, N> face =
          Reconstruct<R>::template face<Q>(model_, first_ + row + x, grown_, stride_[static_cast<std::size_t>(Axis)]);
      ValuesOf<Q, N> flux = model_.template flux<Axis>(face.left, face.right);
      if constexpr (requires { Model::k_diffuses; }) {
        const FaceStencil<Q> cells{first_ + row + x, grown_, stride_, stage_.place.spacing};
        const ValuesOf<Q, N> more = model_.template diffusion<Axis>(cells);
        for (std::size_t f = 0; f < N; ++f) flux[f] = flux[f] + more[f];
      }
      for (std::size_t f = 0; f < N; ++f) flux[f].store(to.at + static_cast<std::ptrdiff_t>(f) * to.field + x);
    });
    keep<Axis>(first, y, z, to);
  }

  /// Copies fluxes to the stage's own memory for them, if it has any.
  template <int Axis>
  EDDYLINE_INLINE void keep(std::int32_t first, std::int32_t y, std::int32_t z, Row from) const {
    double* kept = stage_.fluxes[static_cast<std::size_t>(Axis)];
    if (kept == nullptr) return;
    std::array<std::ptrdiff_t, 3> count{n_[0], n_[1], n_[2]};
    ++count[static_cast<std::size_t>(Axis)];
    const std::ptrdiff_t up_x = Axis == 0, up_y = Axis == 1, up_z = Axis == 2;
    kept += ((z + up_z) * count[1] + y + up_y) * count[0] + up_x;
    for (std::size_t f = 0; f < N; ++f)
      for (std::int32_t x = first; x < n_[0]; ++x)
        kept[static_cast<std::ptrdiff_t>(f) * count[0] * count[1] * count[2] + x] =
            from.at[static_cast<std::ptrdiff_t>(f) * from.field + x];
  }

  Row x_faces() const { return {x_.at + 1, x_.field}; }
  Row y_faces(std::int32_t y) const { return {y_.at + (y & 1) * n_[0], y_.field}; }
  Row z_faces(std::int32_t y, std::int32_t z) const {
    return {z_.at + ((z & 1) * n_[1] + y) * static_cast<std::ptrdiff_t>(n_[0]), z_.field};
  }

  void run() const {
    if constexpr (D == 3)
      for (std::int32_t y = 0; y < n_[1]; ++y) faces<2>(0, y, -1, z_faces(y, -1));
    for (std::int32_t z = 0; z < n_[2]; ++z) {
      faces<1>(0, -1, z, y_faces(-1));
      for (std::int32_t y = 0; y < n_[1]; ++y) {
        if constexpr (D == 3) faces<2>(0, y, z, z_faces(y, z));
        faces<1>(0, y, z, y_faces(y));
        faces<0>(-1, y, z, x_faces());
        update(y, z);
      }
    }
    if constexpr (requires { Model::k_momentum; }) {
      if (stage_.solid != nullptr) CellsAtBodies<P, Model, D, R>(model_, stage_, first_, grown_).run();
    }
  }

  EDDYLINE_INLINE void update(std::int32_t y, std::int32_t z) const {
    const double per_length = 1 / stage_.place.spacing;
    const std::ptrdiff_t i = (static_cast<std::ptrdiff_t>(z) * n_[1] + y) * n_[0];
    const Row to = x_faces(), below = y_faces(y - 1), above = y_faces(y), back = z_faces(y, z - 1),
              front = z_faces(y, z);
    for_row<P>(0, n_[0], [&]<class Q>(Q, std::int32_t x) {
      ValuesOf<Q, N> rates;
      const auto difference = [&](const double* lower, const double* upper) {
        return Q::load(lower + x) - Q::load(upper + x);
      };
      for (std::size_t f = 0; f < N; ++f) {
        const auto k = static_cast<std::ptrdiff_t>(f);
        Q sum = difference(to.at + k * to.field - 1, to.at + k * to.field) +
                difference(below.at + k * below.field, above.at + k * above.field);
        if constexpr (D == 3) sum = sum + difference(back.at + k * back.field, front.at + k * front.field);
        rates[f] = Q(per_length) * sum;
      }
      if constexpr (requires { Model::k_has_sources; }) {
        const ValuesOf<Q, N> more = model_.sources(Stencil<Q>{stage_.in, x, y, z, stage_.place.spacing});
        for (std::size_t f = 0; f < N; ++f) rates[f] = rates[f] + more[f];
      }
      store_stage<Q>(model_, stage_, i + x, rates);
    });
  }

  const Model& model_;
  const Stage& stage_;
  std::array<std::int32_t, 3> n_{};
  std::array<std::ptrdiff_t, 3> stride_{};
  std::ptrdiff_t grown_ = 0;  // cells with ghosts
  double* first_ = nullptr;   // primitive values of the patch's first cell
  Row x_{}, y_{}, z_{};
};

}  // namespace eddyline::physics
