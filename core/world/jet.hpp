#pragma once
// Numbers that carry their derivatives along (forward differentiation): exact, not by differences.

namespace eddyline::world {

/// A value with its first and second derivative by one variable. Every operation gives the value that the plain
/// operation gives, bit for bit.
struct Jet {
  double value = 0, first = 0, second = 0;
};

inline Jet operator-(Jet a) { return {-a.value, -a.first, -a.second}; }
inline Jet operator+(Jet a, Jet b) { return {a.value + b.value, a.first + b.first, a.second + b.second}; }
inline Jet operator-(Jet a, Jet b) { return {a.value - b.value, a.first - b.first, a.second - b.second}; }
inline Jet operator*(Jet a, Jet b) {
  return {a.value * b.value, a.first * b.value + a.value * b.first,
          a.second * b.value + 2 * (a.first * b.first) + a.value * b.second};
}
inline Jet operator/(Jet a, Jet b) {
  const double value = a.value / b.value;
  const double first = (a.first - value * b.first) / b.value;
  return {value, first, (a.second - 2 * (first * b.first) - value * b.second) / b.value};
}

/// True if the value does not depend on the variable, at least here.
inline bool is_still(Jet a) { return a.first == 0 && a.second == 0; }

/// f(a) from f, f' and f'' at a: a constant stays one even where f has no derivative.
inline Jet chain(Jet a, double f, double f1, double f2) {
  if (is_still(a)) return {f, 0, 0};
  return {f, f1 * a.first, f2 * (a.first * a.first) + f1 * a.second};
}

}  // namespace eddyline::world
