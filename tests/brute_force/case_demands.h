// What a random case's options ask of its graph.
#ifndef TRIBUTARY_TESTS_BRUTE_FORCE_CASE_DEMANDS_H_
#define TRIBUTARY_TESTS_BRUTE_FORCE_CASE_DEMANDS_H_

#include <string>
#include <vector>

#include "tests/brute_force/random_case.h"

namespace tributary {

// Whether the type has every column that the conditions name.
bool HasColumns(const MemoryGraphSpec::EdgeType& type,
                const std::vector<EdgeCondition>& conditions);

// Whether some hop draws of the type.
bool Planned(const RandomCase& c, const MemoryGraphSpec::EdgeType& type);

// Whether some planned edge type has the weights or times that are asked for,
// and the inputs theirs.
bool HasWhatItDrawsBy(const RandomCase& c);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_BRUTE_FORCE_CASE_DEMANDS_H_
