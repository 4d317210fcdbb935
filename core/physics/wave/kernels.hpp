#pragma once
// The wave equation u' = p, p' = c^2 laplace(u) on one patch: stages of the classical Runge-Kutta method.

#include <array>
#include <cstddef>
#include <string>

#include "base/vec.hpp"

namespace eddyline::physics::wave {

/// A state: displacement and its rate, of the cells of a patch, row-major.
struct Fields {
  const double *u = nullptr, *p = nullptr;
};

/// One stage of a step. With the state y_0 at its begin and F the right-hand side, stages keep
///
///   y_2 = y_0 + dt/2 F(y_0),  y_3 = y_0 + dt/2 F(y_2),  y_4 = y_0 + dt F(y_3)
///
/// and the last one needs nothing else:  y = ((y_2 - y_0) + 2 y_3 + y_4)/3 + dt/6 F(y_4).
struct Stage {
  Int3 count;                            // cells of the patch
  const double* u = nullptr;             // displacement of this stage at the patch's first cell, with ghosts around
  std::array<std::ptrdiff_t, 3> stride;  // of that memory
  const double* p = nullptr;             // rate of this stage
  double weight = 0;                     // dt/2, dt or dt/6 [s]
  double stiffness = 0;                  // (c/dx)^2 [1/s^2]
  Fields first, second, third, fourth;   // y_0 to y_4; only the last stage reads all
  double *u_to = nullptr, *p_to = nullptr;
};

/// The loops for one order and dimension, compiled for one instruction set.
struct Kernels {
  void (*advance)(const Stage& stage);  // to y_2, y_3 or y_4
  void (*finish)(const Stage& stage);   // to the end of the step
};

/// `instructions`: scalar, avx2, avx512. `order`: 2, 4, 6. `dimensions`: 2, 3.
Kernels kernels(const std::string& instructions, int order, int dimensions);
Kernels kernels_scalar(int order, int dimensions);
Kernels kernels_avx2(int order, int dimensions);
Kernels kernels_avx512(int order, int dimensions);

}  // namespace eddyline::physics::wave
