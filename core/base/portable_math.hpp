#pragma once
// Elementary functions with the same bits on every machine, compiler and C library.

namespace eddyline::portable {

// The functions use only + - * /, square root, fused multiply-add and floor, which IEEE 754 defines to the last bit.
// The results do not depend on the C library or the processor, provided that the compiler does not contract or reorder
// (-ffp-contract=off, no -ffast-math) and that rounding is to nearest.
//
// Results are within 1 ulp of the exact value for arguments of any size, including subnormal results and pow. Special
// values follow Annex F of the C standard: NaN in gives NaN out (except pow(1, NaN) = pow(NaN, 0) = 1), arguments
// outside the domain give NaN, overflow gives an infinity, and the sign of zero is kept. errno is never set.

double exp(double x);
double log(double x);
double log10(double x);

double sin(double x);  // x, and all angles below, in radians
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);

double sinh(double x);
double cosh(double x);
double tanh(double x);

/// x^y. If y is an integer, the result is exact whenever it is representable; pow(x, 2) has the bits of x * x.
double pow(double x, double y);

inline constexpr double k_pi = 0x1.921fb54442d18p+1;

}  // namespace eddyline::portable
