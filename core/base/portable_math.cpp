#include "base/portable_math_impl.hpp"

namespace eddyline::portable {

double exp(double x) { return anywhere::exp(x); }
double log(double x) { return anywhere::log(x); }
double log10(double x) { return anywhere::log10(x); }
double sin(double x) { return anywhere::sin(x); }
double cos(double x) { return anywhere::cos(x); }
double tan(double x) { return anywhere::tan(x); }
double asin(double x) { return anywhere::asin(x); }
double acos(double x) { return anywhere::acos(x); }
double atan(double x) { return anywhere::atan(x); }
double sinh(double x) { return anywhere::sinh(x); }
double cosh(double x) { return anywhere::cosh(x); }
double tanh(double x) { return anywhere::tanh(x); }
double atan2(double y, double x) { return anywhere::atan2(y, x); }
double pow(double x, double y) { return anywhere::pow(x, y); }

}  // namespace eddyline::portable
