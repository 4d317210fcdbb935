#pragma once

namespace eddyline::multiblock {

/// Numbers of the scheme.
struct Scheme {
  double beta = 0;                  // of artificial compressibility [m^2/s^2]
  double viscosity = 0;             // kinematic [m^2/s]; of a gas dynamic, at the temperature of the start [Pa s]
  double third_differences = 0;     // k4, on the finest level
  double first_differences = 0.25;  // kc, on coarse levels
  double cfl = 1;                   // of local steps
  double viscous_share = 4;         // weight of friction in local steps
  bool matrix = false;              // dissipation by the matrix of signal speeds; else by the largest one
  double second_differences = 0;    // gas: k2, dissipation at shocks, on the finest level
  int sweeps = 0;                   // of smoothing of residuals
  double gamma = 1.4;               // gas: ratio of specific heats
  double density = 1;               // gas: its size [kg/m^3]
  double conductivity = 0;          // gas: of p / rho, over the viscosity
  double eddy_conductivity = 0;     // gas: the same of the heat that eddies carry, over the eddy viscosity
  double start_theta = 1;           // gas: p / rho at the start [m^2/s^2]
  double sutherland = -1;           // gas: Sutherland's temperature over that of the start; -1: constant viscosity
  bool full_friction = true;        // on the finest level; else, and on coarse levels, the thin-layer approximation
};

/// Coefficients of du/dt by backward differences [1/s]; all 0 for a steady flow.
struct TimeDerivative {
  double now = 0, before = 0, before_that = 0;
};

}  // namespace eddyline::multiblock
