#include "solvers/multiblock/residual.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/block_sum.hpp"
#include "base/lanes.hpp"
#include "physics/artificial_compressibility/terms.hpp"
#include "solvers/multiblock/flux_rows.hpp"
#include "solvers/multiblock/gas_rows.hpp"
#include "solvers/multiblock/step_rows.hpp"

namespace eddyline::multiblock {

namespace {

namespace terms = physics::artificial_compressibility;

using S = Pack4d;
constexpr int k_lanes = S::width;

template <int D>
terms::Unknowns<S, D> load(const std::array<Array<double>, D + 1>& fields, std::ptrdiff_t at) {
  terms::Unknowns<S, D> w;
  for (std::size_t v = 0; v <= D; ++v) w[v] = S::load(fields[v].data() + at);
  return w;
}
template <int D>
terms::Vector<S, D> load_vector(const std::array<Array<double>, D>& fields, std::ptrdiff_t at) {
  terms::Vector<S, D> w;
  for (std::size_t d = 0; d < D; ++d) w[d] = S::load(fields[d].data() + at);
  return w;
}

/// Rows of fluxes of one thread.
template <class E>
struct Rows {
  FluxRow<E> along, low, high;
  std::vector<FluxRow<E>> below, above;  // 3D: through the faces of a plane of cells, row by row
};

/// Fluxes through `count` faces across `axis`, from the cells before `first` to those at it.
template <Dissipative Kind, int D>
void flux_row(const PieceFields<Incompressible<D>>& piece, const Scheme& scheme, std::size_t axis, std::ptrdiff_t first,
              std::int32_t count, FluxRow<Incompressible<D>>& row) {
  const std::ptrdiff_t stride = piece.extents.stride[axis];
  const S half(0.5), beta(scheme.beta), nu(scheme.viscosity);
  for (std::int32_t n = 0; n < count; n += k_lanes) {
    const std::ptrdiff_t b = first + n, a = b - stride;
    const terms::Vector<S, D> face = load_vector<D>(piece.face[axis], b);
    const terms::Unknowns<S, D> wa = load<D>(piece.state, a), wb = load<D>(piece.state, b);
    const terms::Unknowns<S, D> flux = terms::convective_flux<S, D>(wa, wb, face, beta);
    for (std::size_t v = 0; v <= D; ++v) flux[v].store(row.convective[v].data() + n);
    if constexpr (Kind != Dissipative::none) {
      const auto& radius = piece.radius[axis];
      const S lambda = half * (S::load(radius.data() + a) + S::load(radius.data() + b));
      terms::Unknowns<S, D> sum;
      if constexpr (is_first(Kind))
        sum = terms::first_differences<S, D>(wa, wb, lambda, S(scheme.first_differences));
      else
        sum = terms::third_differences<S, D>(load<D>(piece.state, a - stride), wa, wb, load<D>(piece.state, b + stride),
                                             scheme.matrix ? passes(lambda) : lambda, S(scheme.third_differences));
      if (!is_first(Kind) && scheme.matrix)
        sum = terms::times_matrix<S, D>(sum, wa, wb, face, beta, S(k_least_eigenvalue));
      terms::Vector<S, D> friction{};
      if constexpr (is_thin(Kind)) {
        const S per_volume = S(2) / (S::load(piece.volume.data() + a) + S::load(piece.volume.data() + b));
        friction = terms::thin_layer_friction<S, D>(wa, wb, face, per_volume, nu);
      }
      if constexpr (Kind == Dissipative::third_full) {
        terms::Gradient<S, D> mean;
        terms::Vector<S, D> line;
        for (std::size_t d = 0; d < D; ++d) {
          line[d] = S::load(piece.center[d].data() + b) - S::load(piece.center[d].data() + a);
          for (std::size_t v = 0; v < D; ++v)
            mean[v][d] =
                half * (S::load(piece.gradient[1 + v][d].data() + a) + S::load(piece.gradient[1 + v][d].data() + b));
        }
        friction = terms::full_friction<S, D>(wa, wb, mean, line, face, nu);
      }
      sum[0].store(row.dissipative[0].data() + n);
      for (std::size_t d = 0; d < D; ++d) (sum[1 + d] + friction[d]).store(row.dissipative[1 + d].data() + n);
    }
  }
}

/// Fluxes through the faces of a row of cells.
template <class E>
struct RowOfCells {
  const FluxRow<E>* along;
  const FluxRow<E>*low, *high;
  const FluxRow<E>*below, *above;  // 3D
};

/// Sum over the faces of a cell in one fixed order.
template <int D>
EDDYLINE_INLINE S sum_of_faces(const double* along, const double* low, const double* high, const double* below,
                               const double* above, std::int32_t n) {
  const S first = (S::load(along + n + 1) - S::load(along + n)) + (S::load(high + n) - S::load(low + n));
  if constexpr (D == 2) return first;
  return first + (S::load(above + n) - S::load(below + n));
}

/// Force per volume, and its power.
template <int D>
EDDYLINE_INLINE S force_on(const PieceFields<Incompressible<D>>& piece, std::size_t v, std::ptrdiff_t c) {
  return S::load(piece.force[v - 1].data() + c);
}
template <int D>
EDDYLINE_INLINE S force_on(const PieceFields<Gas<D>>& piece, std::size_t v, std::ptrdiff_t c) {
  if (v <= D) return S::load(piece.state[0].data() + c) * S::load(piece.force[v - 1].data() + c);
  S power;
  for (std::size_t d = 0; d < D; ++d)
    power = power + S::load(piece.state[1 + d].data() + c) * S::load(piece.force[d].data() + c);
  return power;
}

struct Weights {
  double blend;
  TimeDerivative time;
  bool forced;
};

template <class E, Dissipative Kind>
void sum_row(PieceFields<E>& piece, const RowOfCells<E>& rows, std::ptrdiff_t first, std::int32_t count,
             const Weights& weights) {
  const S added(weights.blend), kept(1 - weights.blend), now(weights.time.now), before(weights.time.before),
      before_that(weights.time.before_that);
  constexpr int D = E::k_dimensions;
  const bool in_time = weights.time.now != 0;
  const bool with_history = in_time && piece.before[0].size() > 0;
  for (std::size_t v = 0; v < E::k_unknowns; ++v) {
    const auto part = [&](const FluxRow<E>* row, bool convective) {
      return row == nullptr ? nullptr : (convective ? row->convective : row->dissipative)[v].data();
    };
    double* residual = piece.residual[v].data() + first;
    double* dissipation = piece.dissipation[v].data() + first;
    for (std::int32_t n = 0; n < count; n += k_lanes) {
      S sum = sum_of_faces<D>(part(rows.along, true), part(rows.low, true), part(rows.high, true),
                              part(rows.below, true), part(rows.above, true), n);
      if constexpr (Kind != Dissipative::none) {
        const S fresh = sum_of_faces<D>(part(rows.along, false), part(rows.low, false), part(rows.high, false),
                                        part(rows.below, false), part(rows.above, false), n);
        (added * fresh + kept * S::load(dissipation + n)).store(dissipation + n);
      }
      sum = sum - S::load(dissipation + n);
      const S volume = S::load(piece.volume.data() + first + n);
      if (in_time && v >= E::k_first_in_time) {
        S rate = now * S::load(piece.state[v].data() + first + n);
        if (with_history)
          rate = rate + (before * S::load(piece.before[v].data() + first + n) +
                         before_that * S::load(piece.before_that[v].data() + first + n));
        sum = sum + volume * rate;
      }
      if (v > 0 && piece.force[0].size() > 0) sum = sum - volume * force_on(piece, v, first + n);
      if (weights.forced) sum = sum + S::load(piece.forcing[v].data() + first + n);
      sum.store(residual + n);
    }
  }
}

/// Rows of a plane that are computed plane after plane, so that a cache holds the planes that a stencil needs.
constexpr std::int32_t k_strip = 8;

/// 3D: the rows [begin, end) of all planes of a slab.
template <class E, Dissipative Kind>
void evaluate_strip(PieceFields<E>& piece, const Slab& slab, const Scheme& scheme, const Weights& weights,
                    std::int32_t begin, std::int32_t end, Rows<E>& rows) {
  const std::int32_t n = piece.extents.cells[0];
  const auto count = static_cast<std::size_t>(end - begin);
  if (rows.below.size() < count) rows.below.resize(count), rows.above.resize(count);
  for (std::int32_t j = begin; j < end; ++j) {
    auto& below = rows.below[static_cast<std::size_t>(j - begin)];
    below.resize(n);
    rows.above[static_cast<std::size_t>(j - begin)].resize(n);
    flux_row<Kind>(piece, scheme, 2, piece.extents.at(0, j, slab.first), n, below);
  }
  for (std::int32_t k = slab.first; k < slab.last; ++k) {
    flux_row<Kind>(piece, scheme, 1, piece.extents.at(0, begin, k), n, rows.low);
    for (std::int32_t j = begin; j < end; ++j) {
      const std::ptrdiff_t first = piece.extents.at(0, j, k);
      auto& below = rows.below[static_cast<std::size_t>(j - begin)];
      auto& above = rows.above[static_cast<std::size_t>(j - begin)];
      flux_row<Kind>(piece, scheme, 0, first, n + 1, rows.along);
      flux_row<Kind>(piece, scheme, 1, first + piece.extents.stride[1], n, rows.high);
      flux_row<Kind>(piece, scheme, 2, first + piece.extents.stride[2], n, above);
      sum_row<E, Kind>(piece, {&rows.along, &rows.low, &rows.high, &below, &above}, first, n, weights);
      std::swap(rows.low, rows.high);
      std::swap(below, above);
    }
  }
}

template <class E, Dissipative Kind>
void evaluate_slab(PieceFields<E>& piece, const Slab& slab, const Scheme& scheme, const Weights& weights) {
  thread_local Rows<E> rows;
  constexpr int D = E::k_dimensions;
  const Int3 cells = piece.extents.cells;
  const std::int32_t n = cells[0];
  for (FluxRow<E>* row : {&rows.along, &rows.low, &rows.high}) row->resize(n);
  if constexpr (D == 2) {
    flux_row<Kind>(piece, scheme, 1, piece.extents.at(0, slab.first), n, rows.low);
    for (std::int32_t j = slab.first; j < slab.last; ++j) {
      const std::ptrdiff_t first = piece.extents.at(0, j);
      flux_row<Kind>(piece, scheme, 0, first, n + 1, rows.along);
      flux_row<Kind>(piece, scheme, 1, first + piece.extents.stride[1], n, rows.high);
      sum_row<E, Kind>(piece, {&rows.along, &rows.low, &rows.high, nullptr, nullptr}, first, n, weights);
      std::swap(rows.low, rows.high);
    }
  } else {
    for (std::int32_t begin = 0; begin < cells[1]; begin += k_strip)
      evaluate_strip<E, Kind>(piece, slab, scheme, weights, begin, std::min(begin + k_strip, cells[1]), rows);
  }
}

template <class E, Dissipative Kind>
void evaluate_all(Level<E>& level, const Scheme& scheme, const Weights& weights) {
  parallel_for(static_cast<std::int64_t>(level.slabs.size()), [&](std::int64_t n) {
    const Slab& slab = level.slabs[static_cast<std::size_t>(n)];
    evaluate_slab<E, Kind>(level.pieces[slab.piece], slab, scheme, weights);
  });
}

/// Sizes of the unknowns in a flow with speeds as large as `unit` [m/s].
template <class E>
double size_of(const Scheme& scheme, double unit, std::size_t v) {
  if (!E::k_is_gas) return v == 0 ? scheme.beta : unit;
  return scheme.density * (v == 0 ? 1.0 : v + 1 < E::k_unknowns ? unit : unit * unit);
}

}  // namespace

template <class E>
void Residual<E>::set_local_steps(Level<E>& level) const {
  if constexpr (E::k_is_gas) set_primitive(level);  // of ghosts again, in fill_ghosts()
  level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    set_step_row(piece, scheme_, first, count);
  });
  level.fill_ghosts(true);
  for (const BoundaryFace& face : level.faces) {  // nothing is dissipated through a wall
    auto& radius = level.pieces[static_cast<std::size_t>(face.piece)].radius[static_cast<std::size_t>(face.axis)];
    const double inner = radius[static_cast<std::size_t>(face.cell)];
    radius[static_cast<std::size_t>(face.ghost)] = face.is_solid() ? -inner : inner;
  }
}

template <class E>
void Residual<E>::set_gradients(Level<E>& level) const {
  const S half(0.5);
  level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::int32_t n = 0; n < count; n += k_lanes) {
      const std::ptrdiff_t c = first + n;
      const S per_volume = S::load(piece.per_volume.data() + c);
      for (std::size_t v = 0; v < E::k_unknowns; ++v) {
        const double* values = piece.values()[v].data();
        std::array<S, D> sum;
        for (std::size_t d = 0; d < D; ++d) {
          const std::ptrdiff_t stride = piece.extents.stride[d];
          const S here = S::load(values + c);
          const S low = half * (S::load(values + c - stride) + here);
          const S high = half * (here + S::load(values + c + stride));
          for (std::size_t e = 0; e < D; ++e)
            sum[e] = sum[e] + (high * S::load(piece.face[d][e].data() + c + stride) -
                               low * S::load(piece.face[d][e].data() + c));
        }
        for (std::size_t e = 0; e < D; ++e) (sum[e] * per_volume).store(piece.gradient[v][e].data() + c);
      }
    }
  });
  constexpr int k_fields = static_cast<int>(E::k_unknowns) * D;
  level.ghosts.fetch(k_fields, Ghosts::Layers::near, [&](std::int32_t piece, int field, int) {
    return level.pieces[static_cast<std::size_t>(piece)]
        .gradient[static_cast<std::size_t>(field / D)][static_cast<std::size_t>(field % D)]
        .data();
  });
  for (const BoundaryFace& face : level.faces) {
    const double share = face.is_at_rest() ? -1 : 1;  // along a wall at rest the velocity is 0 everywhere
    for (auto& of : level.pieces[static_cast<std::size_t>(face.piece)].gradient)
      for (auto& field : of)
        field[static_cast<std::size_t>(face.ghost)] = share * field[static_cast<std::size_t>(face.cell)];
    if (E::k_is_gas && face.condition == Condition::wall)  // no heat flows through any wall
      for (auto& field : level.pieces[static_cast<std::size_t>(face.piece)].gradient[E::k_unknowns - 1])
        field[static_cast<std::size_t>(face.ghost)] = -field[static_cast<std::size_t>(face.cell)];
  }
}

template <class E>
void Residual<E>::evaluate(Level<E>& level, double blend, const TimeDerivative& time, bool forced) const {
  const Weights weights{blend, time, forced};
  const bool viscous = scheme_.viscosity > 0;
  if (blend == 0)
    evaluate_all<E, Dissipative::none>(level, scheme_, weights);
  else if (!level.is_finest())
    viscous ? evaluate_all<E, Dissipative::first_thin>(level, scheme_, weights)
            : evaluate_all<E, Dissipative::first_only>(level, scheme_, weights);
  else if (!viscous)
    evaluate_all<E, Dissipative::third_only>(level, scheme_, weights);
  else
    scheme_.full_friction ? evaluate_all<E, Dissipative::third_full>(level, scheme_, weights)
                          : evaluate_all<E, Dissipative::third_thin>(level, scheme_, weights);
}

/// c = a + sum over the directions of e (c_before + c_after - 2 c) with the changes a, e from set_step_row.
template <class E>
void Residual<E>::smooth(Level<E>& level) const {
  if (scheme_.sweeps == 0) return;
  level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::int32_t n = 0; n < count; n += k_lanes) {
      const std::ptrdiff_t c = first + n;
      const S step = S::load(piece.local_step.data() + c) * S::load(piece.per_volume.data() + c);
      for (std::size_t v = 0; v < E::k_unknowns; ++v) {
        const S change = step * S::load(piece.residual[v].data() + c);
        change.store(piece.residual[v].data() + c);
        change.store(piece.smoothed[v].data() + c);
      }
    }
  });
  for (int sweep = 0; sweep < scheme_.sweeps; ++sweep) {
    for (PieceFields<E>& piece : level.pieces) piece.smoothed.swap(piece.smoothed_before);
    level.ghosts.fetch(static_cast<int>(E::k_unknowns), Ghosts::Layers::near, [&](std::int32_t piece, int field, int) {
      return level.pieces[static_cast<std::size_t>(piece)].smoothed_before[static_cast<std::size_t>(field)].data();
    });
    for (const BoundaryFace& face : level.faces)
      for (auto& field : level.pieces[static_cast<std::size_t>(face.piece)].smoothed_before)
        field[static_cast<std::size_t>(face.ghost)] = field[static_cast<std::size_t>(face.cell)];
    level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
      for (std::int32_t n = 0; n < count; n += k_lanes) {
        const std::ptrdiff_t c = first + n;
        std::array<S, D> spread;
        S weight(1);
        for (std::size_t d = 0; d < D; ++d) {
          spread[d] = S::load(piece.spread[d].data() + c);
          weight = weight + S(2) * spread[d];
        }
        for (std::size_t v = 0; v < E::k_unknowns; ++v) {
          const double* before = piece.smoothed_before[v].data() + c;
          S sum = S::load(piece.residual[v].data() + c);
          for (std::size_t d = 0; d < D; ++d) {
            const std::ptrdiff_t stride = piece.extents.stride[d];
            sum = sum + spread[d] * (S::load(before - stride) + S::load(before + stride));
          }
          (sum / weight).store(piece.smoothed[v].data() + c);
        }
      }
    });
  }
}

template <class E>
void Residual<E>::update(Level<E>& level, double alpha, const TimeDerivative& time) const {
  level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    for (std::size_t v = 0; v < E::k_unknowns; ++v) {
      const S rate(v >= E::k_first_in_time ? time.now : 0.0), share(alpha), one(1);
      // The last pack of a row may reach into ghosts, which are set again before they are read.
      for (std::int32_t n = 0; n < count; n += k_lanes) {
        const std::ptrdiff_t c = first + n;
        const S step = share * S::load(piece.local_step.data() + c), implicit = step * rate;
        const S change = scheme_.sweeps > 0
                             ? share * S::load(piece.smoothed[v].data() + c)
                             : step * S::load(piece.per_volume.data() + c) * S::load(piece.residual[v].data() + c);
        const S sum = S::load(piece.stage[v].data() + c) + implicit * S::load(piece.state[v].data() + c) - change;
        (sum / (one + implicit)).store(piece.state[v].data() + c);
      }
    }
  });
}

template <class E>
ReproducibleSum Residual<E>::sum_of_squares(Level<E>& level, double unit) const {
  ReproducibleSum total;
  std::mutex adding;
  level.for_each_row([&](PieceFields<E>& piece, std::ptrdiff_t first, std::int32_t count) {
    ReproducibleSum own;
    BlockSum::Numbers block;
    for (std::size_t v = 0; v < E::k_unknowns; ++v) {
      const double scale = 1 / size_of<E>(scheme_, unit, v);
      for (std::int32_t n = 0; n < count;) {
        std::size_t size = 0;
        for (; n < count && size < BlockSum::k_most; ++n) {
          const auto c = static_cast<std::size_t>(first + n);
          const double rate = piece.residual[v][c] * piece.per_volume[c] * scale;
          block[size++] = rate * rate;
        }
        BlockSum::add(own, block, size);
      }
    }
    const std::scoped_lock lock(adding);
    total.merge(own);
  });
  return total;
}

template class Residual<Incompressible<2>>;
template class Residual<Incompressible<3>>;
template class Residual<Gas<2>>;
template class Residual<Gas<3>>;

}  // namespace eddyline::multiblock
