#pragma once
// Loops over the cells of a patch, compiled for each instruction set. A model is a struct of numbers with templates on
// the pack type Q:
//
//   k_fields                              number of fields
//   k_kind                                Kind::rates or Kind::fluxes
//   Q margin(Values<Q> fields)            positive where the fields are valid
//   Q speed(Values<Q> fields)             sum over axes of the fastest signals [m/s]; may take the edge of a cell, too
//   Values<Q> project(Values<Q> fields)   what takes their place at the end of a step of a level, where fields must
//                                         keep a relation that rates keep only approximately; optional
// of kind rates:
//   k_reach                               layers of ghosts
//   Values<Q> rates(Stencil<Q>)           d(fields)/dt at a cell
//   coefficients(), find_coefficients(x, values), signal(t)  as those of Equations, for rates(); optional
//   AccountOf<Q, k_integrals, k_largest> account(Stencil<Q>)  at the cells of a pack; optional: models may have an
//                                         account() for one cell instead, see Set
// of kind fluxes:
//   Values<Q> primitive(Values<Q> fields) what is interpolated to faces
//   Q margin_of_primitive(Values<Q>)      positive where they are valid
//   Values<Q> flux<axis>(left, right)     through a face, from the primitive values on its sides
//   Values<Q> diffusion<axis>(FaceStencil<Q>)  by gradients, added to flux; if there is k_diffuses
//   Values<Q> sources(Stencil<Q>)         rates besides those by fluxes, from neighbours along axes; if there is
//                                         k_has_sources
//   k_momentum                            the first component of momentum among the fields; if bodies may be walls
//   WallForce wall(Values<Q>, Values<Q>, Wall)  force on a wall, from the primitive values before it and of the next
//                                         place, with packs of one

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/pack.hpp"
#include "physics/equations/equations.hpp"

namespace eddyline::physics {

enum class Kind { rates, fluxes };

/// Interpolation of values to faces.
enum class Reconstruction { muscl, weno };

template <class Q, std::size_t N>
using ValuesOf = std::array<Q, N>;

/// Densities of integrals per volume, and values of which the largest counts, at cells.
template <class Q, std::size_t Integrals, std::size_t Largest>
struct AccountOf {
  ValuesOf<Q, Integrals> densities;
  ValuesOf<Q, Largest> largest;
};

/// The cells around those of a pack.
template <class Q>
struct Stencil {
  std::span<const Input> in;
  std::ptrdiff_t x = 0;
  std::int32_t y = 0, z = 0;
  double spacing = 0;
  std::span<const double* const> coefficients{};
  std::ptrdiff_t cell = 0;  // the first one of the pack, counted in the patch
  double signal = 0;

  EDDYLINE_INLINE bool has_coefficients() const { return !coefficients.empty(); }
  EDDYLINE_INLINE Q coefficient(std::size_t k) const { return Q::load(coefficients[k] + cell); }
  EDDYLINE_INLINE const double* at(std::size_t field) const {
    const Input& input = in[field];
    return input.at + x + y * input.stride[1] + z * input.stride[2];
  }
  EDDYLINE_INLINE Q value(std::size_t field) const { return Q::load(at(field)); }
  EDDYLINE_INLINE const std::array<std::ptrdiff_t, 3>& stride(std::size_t field) const { return in[field].stride; }
};

/// Primitive values of the cells around the faces of a pack; the face lies between a lower and an upper cell.
template <class Q>
struct FaceStencil {
  const double* cell = nullptr;          // the lower one, first value
  std::ptrdiff_t field = 0;              // distance to the next value of a cell
  std::array<std::ptrdiff_t, 3> step{};  // to the next cell along each axis
  double spacing = 0;

  EDDYLINE_INLINE Q at(std::size_t value, std::ptrdiff_t offset) const {
    return Q::load(cell + static_cast<std::ptrdiff_t>(value) * field + offset);
  }
  EDDYLINE_INLINE Q lower(std::size_t value) const { return at(value, 0); }
  template <int Axis>
  EDDYLINE_INLINE Q upper(std::size_t value) const {
    return at(value, step[static_cast<std::size_t>(Axis)]);
  }
  template <int Axis>
  EDDYLINE_INLINE Q mean(std::size_t value) const {
    return Q(0.5) * (lower(value) + upper<Axis>(value));
  }
  /// Derivative along the axis of the face.
  template <int Axis>
  EDDYLINE_INLINE Q across(std::size_t value) const {
    return Q(1 / spacing) * (upper<Axis>(value) - lower(value));
  }
  /// Derivative along another axis: the mean of those of both cells.
  template <int Axis>
  EDDYLINE_INLINE Q along(std::size_t value, std::size_t axis) const {
    const std::ptrdiff_t up = step[static_cast<std::size_t>(Axis)], side = step[axis];
    return Q(0.25 / spacing) * ((at(value, side) - at(value, -side)) + (at(value, up + side) - at(value, up - side)));
  }
};

/// The loops of a model for one instruction set. `model` points to it.
struct Kernels {
  void (*advance)(const void* model, const Stage& stage, double* work) = nullptr;
  Inspection (*inspect)(const void* model, std::span<const double* const> fields, std::int64_t cells,
                        double spacing) = nullptr;
  /// See Equations::account(); null: the model has none for packs.
  void (*account)(const void* model, const Row& row, double* const* densities, double* largest) = nullptr;
};

/// Layers of ghosts around a patch with `count` cells along each axis.
EDDYLINE_INLINE std::int32_t ghosts_in(const Input& input, Int3 count) {
  return static_cast<std::int32_t>((input.stride[1] - count[0]) / 2);
}

/// Numbers that advance() needs as work memory for a patch with some cells along each axis.
struct WorkSize {
  std::size_t primitives = 0, x = 0, y = 0, z = 0;

  EDDYLINE_INLINE WorkSize(Int3 count, std::size_t fields, std::int32_t ghosts, int dimensions) {
    std::array<std::size_t, 3> n{}, grown{};
    for (std::size_t d = 0; d < 3; ++d) {
      n[d] = static_cast<std::size_t>(count[d]);
      grown[d] = n[d] + (static_cast<int>(d) < dimensions ? 2 * static_cast<std::size_t>(ghosts) : 0);
    }
    primitives = fields * grown[0] * grown[1] * grown[2];
    x = fields * (n[0] + 1);
    y = fields * 2 * n[0];
    z = dimensions == 3 ? y * n[1] : 0;
  }
  std::size_t all() const { return primitives + x + y + z; }
};

}  // namespace eddyline::physics
