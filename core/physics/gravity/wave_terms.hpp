#pragma once
// Written by tools/generate_gravity.py.

#include <array>

namespace eddyline::physics::gravity {

inline constexpr int k_derivatives = 4;  // of psi that the tensor reads
inline constexpr int k_terms = 14;       // of a power series near the centre

/// h_xx, h_xy, h_xz, h_yy, h_yz, h_zz at a place, with g[n] = (1/r d/dr)^n psi.
inline std::array<double, 6> tensor(double x, double y, double z, const std::array<double, 5>& g) {
  const double g2 = g[2];
  const double g3 = g[3];
  const double g4 = g[4];
  const double a0 = z * z;
  const double a1 = x * x;
  const double a2 = (1.0 / 4.0) * g4;
  const double a3 = a1 * a2;
  const double a4 = a0 * a3;
  const double a5 = y * y;
  const double a6 = a2 * a5;
  const double a7 = a0 * a6;
  const double a8 = a3 * a5 + g2;
  const double a9 = 2 * g3;
  const double a10 = a2 * (y * y * y * y) + a5 * a9;
  const double a11 = (1.0 / 2.0) * g4;
  const double a12 = a3 + a6;
  const double a13 = 3 * x;
  const double a14 = z * (a12 + g3);
  const double a15 = a1 * a9 + a2 * (x * x * x * x);
  return {-3 * a10 + 3 * a4 - 3 * a7 - 3 * a8,
          a13 * y * (a0 * a11 + a12 + a9),
          -a13 * a14,
          -3 * a15 - 3 * a4 + 3 * a7 - 3 * a8,
          -3 * a14 * y,
          3 * a1 * a11 * a5 + 3 * a10 + 3 * a15 + 6 * g2};
}

/// g[n] from f[k] = (-1)^k F^(k)(t - r) - F^(k)(t + r), away from the centre.
inline std::array<double, 5> radial(double inverse, const std::array<double, 5>& f) {
  const double f0 = f[0];
  const double f1 = f[1];
  const double f2 = f[2];
  const double f3 = f[3];
  const double f4 = f[4];
  return {
      f0 * inverse, (-f0 * inverse + f1) * (inverse * inverse),
      (f2 + inverse * (3 * f0 * inverse - 3 * f1)) * (inverse * inverse * inverse),
      (f3 + inverse * (-6 * f2 + inverse * (-15 * f0 * inverse + 15 * f1))) * (inverse * inverse * inverse * inverse),
      (f4 + inverse * (-10 * f3 + inverse * (45 * f2 + inverse * (105 * f0 * inverse - 105 * f1)))) *
          (inverse * inverse * inverse * inverse * inverse)};
}

/// Factor of F^(2 m + 1)(t) r^(2 (m - n)) in g[n], by n and m - n.
inline constexpr std::array<std::array<double, k_terms>, k_derivatives + 1> k_series{{
    {{-2.0, -0.3333333333333333, -0.016666666666666666, -0.0003968253968253968, -5.5114638447971785e-06,
      -5.010421677088344e-08, -3.2118087673643227e-10, -1.5294327463639633e-12, -5.622914508691041e-15,
      -1.644127049324866e-17, -3.9145882126782525e-20, -7.736340341261367e-23, -1.2893900568768947e-25,
      -1.8367379727591092e-28}},
    {{-0.6666666666666666, -0.06666666666666667, -0.002380952380952381, -4.409171075837743e-05, -5.010421677088344e-07,
      -3.854170520837187e-09, -2.1412058449095486e-11, -8.996663213905666e-14, -2.9594286887847587e-16,
      -7.829176425356505e-19, -1.7019948750775007e-21, -3.094536136504547e-24, -4.775518729173684e-27,
      -6.333579216410722e-30}},
    {{-0.13333333333333333, -0.009523809523809525, -0.00026455026455026457, -4.008337341670675e-06,
      -3.8541705208371876e-08, -2.569447013891458e-10, -1.2595328499467933e-12, -4.735085902055614e-15,
      -1.409251756564171e-17, -3.403989750155002e-20, -6.807979500310004e-23, -1.1461244950016843e-25,
      -1.6467305962667877e-28, -2.0430900698099104e-31}},
    {{-0.01904761904761905, -0.0010582010582010583, -2.405002405002405e-05, -3.08333641666975e-07,
      -2.569447013891458e-09, -1.511439419936152e-11, -6.62912026287786e-14, -2.2548028105026734e-16,
      -6.127181550279004e-19, -1.3615959000620009e-21, -2.5214738890037053e-24, -3.95215343104029e-27,
      -5.312034181505767e-30, -6.191182029727e-33}},
    {{-0.0021164021164021165, -9.62000962000962e-05, -1.85000185000185e-06, -2.0555576111131665e-08,
      -1.511439419936152e-10, -7.954944315453432e-13, -3.1567239347037427e-15, -9.803490480446406e-18,
      -2.4508726201116015e-20, -5.0429477780074105e-23, -8.694737548288638e-26, -1.274888203561384e-28,
      -1.6097073277290203e-31, -1.7689091513505714e-34}},
}};

}  // namespace eddyline::physics::gravity
