// The normal distribution's quantile function, with the same bits everywhere.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_NORMAL_QUANTILE_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_NORMAL_QUANTILE_H_

namespace tributary {

// Returns the natural logarithm of `x`, which must be normal and above 0. Uses
// + - * / alone, so its bits depend on no libm; within 2 units in the last
// place, or 2e-16 near 1.
double PortableLog(double x);

// Returns the x below which a standard normal value lies with probability `p`,
// 0 < p < 1. Relative error about 1e-16: algorithm AS241, PPND16 (Wichura, "The
// percentage points of the normal distribution", Applied Statistics 37, 1988).
// Uses + - * / and sqrt alone, which IEEE 754 defines to the last bit.
double NormalQuantile(double p);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_NORMAL_QUANTILE_H_
