// Reduces a failing case, so that a reader can follow it.
#ifndef TRIBUTARY_TESTS_BRUTE_FORCE_SHRINK_H_
#define TRIBUTARY_TESTS_BRUTE_FORCE_SHRINK_H_

#include <functional>

#include "tests/brute_force/random_case.h"

namespace tributary {

// Returns `c` without the partitions, options, hops, inputs, edges and nodes
// that the failure does not need: removes them as long as `fails` holds (A.
// Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input",
// TSE 28(2), 2002), in at most a few thousand tries. Requires fails(c).
RandomCase Shrink(RandomCase c,
                  const std::function<bool(const RandomCase&)>& fails);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_BRUTE_FORCE_SHRINK_H_
