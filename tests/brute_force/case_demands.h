// Checks that a random case's graph has what the case's options need.
#ifndef TRIBUTARY_TESTS_BRUTE_FORCE_CASE_DEMANDS_H_
#define TRIBUTARY_TESTS_BRUTE_FORCE_CASE_DEMANDS_H_

#include <string>
#include <vector>

#include "tests/brute_force/random_case.h"

namespace tributary {

// Returns whether the type has every column that the conditions name.
bool HasColumns(const MemoryGraphSpec::EdgeType& type,
                const std::vector<EdgeCondition>& conditions);

// Returns whether some hop samples edges of the type.
bool Planned(const RandomCase& c, const MemoryGraphSpec::EdgeType& type);

// Returns whether the batch has edges of some type, perhaps none.
bool HasEdgeTensors(const RandomCase& c);

// Returns whether the batch has the times and weights that the options collect.
bool HasItsColumns(const RandomCase& c);

// Returns whether some sampled edge type has the weights or times that the
// options ask for, and the inputs have theirs; and whether the batch has the
// features and edges whose precision and degrees they ask for, and its columns.
bool HasWhatItDrawsBy(const RandomCase& c);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_BRUTE_FORCE_CASE_DEMANDS_H_
