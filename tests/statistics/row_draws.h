// Draws of one row by the kernel, for statistics of draws that depend on more
// than a degree.
#ifndef TRIBUTARY_TESTS_STATISTICS_ROW_DRAWS_H_
#define TRIBUTARY_TESTS_STATISTICS_ROW_DRAWS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {

using Positions = std::vector<uint64_t>;

// Where a statistic's draws come from: positions by the words of a node.
using DrawOnce = std::function<Positions(const Words&)>;

// Draws of row 0 by SampleHop: 1000 nodes a batch, local numbers 0 to 999, one
// batch after another. `query` says what is drawn, but for keys and nodes; a
// bound in time is the same for all.
void ForEachKernelDraw(const HopRows& rows, const HopQuery& query,
                       int64_t draws,
                       const std::function<void(const Positions&)>& see,
                       int64_t time_bound = 0);

// The same nodes and keys, drawn for by `draw`.
void ForEachDefinedDraw(const DrawOnce& draw, int64_t draws,
                        const std::function<void(const Positions&)>& see);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_STATISTICS_ROW_DRAWS_H_
