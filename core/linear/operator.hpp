#pragma once
// Requirements of the solvers on a linear system. All functions are collective: every rank calls them in the same
// order.

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace eddyline::linear {

/// A square matrix A, distributed by rows. A vector has extent() numbers on each rank: the unknowns that the rank owns,
/// size() of them in any order, and after them room for the operator's ghosts.
///
/// apply(x, y): y = A x. Reads the owned part of x, fills its ghosts, writes the owned part of y. Each y_i is a
/// function of the numbers x_j alone, summed in an order that does not depend on their owners.
template <class A>
concept Operator = requires(A& a, const A& constant, std::span<double> x, std::span<double> y) {
  { constant.size() } -> std::convertible_to<std::size_t>;
  { constant.extent() } -> std::convertible_to<std::size_t>;
  a.apply(x, y);
};

/// An approximation M of the inverse: apply(r, z) computes z = M r from size() numbers, in a vector of extent(). M must
/// be the same in every call (linear), and symmetric and positive definite for conjugate gradients.
template <class M>
concept Preconditioner = requires(M& m, std::span<const double> r, std::span<double> z) { m.apply(r, z); };

/// Restriction R from a fine level to the next coarser one, and prolongation P back.
/// - coarsen(fine, coarse): coarse = R fine. Children are summed in lexicographic order of their global index.
/// - refine(coarse, fine): fine += P coarse.
/// A multigrid cycle is symmetric if R is a multiple of the transpose of P. Vectors have the extents of their
/// operators; the ghosts of the vector that is read may be overwritten.
template <class T>
concept Transfer = requires(T& t, std::span<double> fine, std::span<double> coarse) {
  t.coarsen(fine, coarse);
  t.refine(coarse, fine);
};

/// Operators of several levels, 0 the finest. How many there are follows from the global system, never from the cut;
/// coarse levels may live on fewer ranks, where the others own nothing, or on all ranks alike.
/// inverse_diagonal(level): 1 / a_ii of the owned unknowns, see invert_diagonal(). transfer(level): to level + 1.
template <class H>
concept Hierarchy = requires(H& h, std::size_t level) {
  { h.levels() } -> std::convertible_to<std::size_t>;
  requires Operator<std::remove_reference_t<decltype(h.level(level))>>;
  { h.inverse_diagonal(level) } -> std::convertible_to<std::span<const double>>;
  requires Transfer<std::remove_reference_t<decltype(h.transfer(level))>>;
};

}  // namespace eddyline::linear
