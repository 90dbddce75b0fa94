#include "sampler_server/tensors/values/normal_quantile.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tributary {
namespace {

using Coefficients = std::array<double, 8>;  // of x^0 to x^7

double Polynomial(const Coefficients& c, double x) {
  double value = c[7];
  for (int i = 6; i >= 0; --i) value = value * x + c[i];
  return value;
}

double Ratio(const Coefficients& above, const Coefficients& below, double x) {
  return Polynomial(above, x) / Polynomial(below, x);
}

// The paper's names; those below a fraction begin with 1.
constexpr Coefficients kA = {
    3.3871328727963666080e0,  1.3314166789178437745e+2,
    1.9715909503065514427e+3, 1.3731693765509461125e+4,
    4.5921953931549871457e+4, 6.7265770927008700853e+4,
    3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients kB = {1.0,
                             4.2313330701600911252e+1,
                             6.8718700749205790830e+2,
                             5.3941960214247511077e+3,
                             2.1213794301586595867e+4,
                             3.9307895800092710610e+4,
                             2.8729085735721942674e+4,
                             5.2264952788528545610e+3};
constexpr Coefficients kC = {
    1.42343711074968357734e0,  4.63033784615654529590e0,
    5.76949722146069140550e0,  3.64784832476320460504e0,
    1.27045825245236838258e0,  2.41780725177450611770e-1,
    2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kD = {1.0,
                             2.05319162663775882187e0,
                             1.67638483018380384940e0,
                             6.89767334985100004550e-1,
                             1.48103976427480074590e-1,
                             1.51986665636164571966e-2,
                             5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
constexpr Coefficients kE = {
    6.65790464350110377720e0,  5.46378491116411436990e0,
    1.78482653991729133580e0,  2.96560571828504891230e-1,
    2.65321895265761230930e-2, 1.24266094738807843860e-3,
    2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kF = {1.0,
                             5.99832206555887937690e-1,
                             1.36929880922735805310e-1,
                             1.48753612908506148525e-2,
                             7.86869131145613259100e-4,
                             1.84631831751005468180e-5,
                             1.42151175831644588870e-7,
                             2.04426310338993978564e-15};

}  // namespace

double PortableLog(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  constexpr uint64_t kMantissa = (uint64_t{1} << 52) - 1;
  // In [1, 2), then in [sqrt(1/2), sqrt(2)).
  auto m = std::bit_cast<double>((bits & kMantissa) | uint64_t{1023} << 52);
  if (m >= 1.4142135623730951) {
    m = m / 2;
    ++exponent;
  }
  // log m = 2 (s + s^3 / 3 + s^5 / 5 + ...), |s| < 0.172: the first term that
  // is left out is below 1e-18 of the sum.
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * square;
  // log 2 in two parts, the first one exact when multiplied by an exponent.
  constexpr double kHigh = 6.93147180369123816490e-01;
  constexpr double kLow = 1.90821492927058770002e-10;
  return exponent * kHigh + (2 * s + (2 * s * sum + exponent * kLow));
}

double NormalQuantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    return q * Ratio(kA, kB, 0.180625 - q * q);
  }
  const double tail = q < 0 ? p : 1 - p;
  const double r = std::sqrt(-PortableLog(tail));
  const double x = r <= 5 ? Ratio(kC, kD, r - 1.6) : Ratio(kE, kF, r - 5);
  return q < 0 ? -x : x;
}

}  // namespace tributary
