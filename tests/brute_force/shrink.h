// A failing case made small, for its reader.
#ifndef TRIBUTARY_TESTS_BRUTE_FORCE_SHRINK_H_
#define TRIBUTARY_TESTS_BRUTE_FORCE_SHRINK_H_

#include <functional>

#include "tests/brute_force/random_case.h"

namespace tributary {

// Takes away what the failure does not need - partitions, options, hops,
// inputs, edges, nodes - as long as `fails` holds (A. Zeller, R. Hildebrandt,
// "Simplifying and isolating failure-inducing input", TSE 28(2), 2002), in at
// most a few thousand tries. Requires fails(c).
RandomCase Shrink(RandomCase c,
                  const std::function<bool(const RandomCase&)>& fails);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_BRUTE_FORCE_SHRINK_H_
