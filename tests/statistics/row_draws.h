// Draws from one row, by the hop kernel or by definition, for statistics of
// draws that depend on more than the degree.
#ifndef TRIBUTARY_TESTS_STATISTICS_ROW_DRAWS_H_
#define TRIBUTARY_TESTS_STATISTICS_ROW_DRAWS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {

// Positions within the row.
using Positions = std::vector<uint64_t>;

// Returns the positions drawn with a node's random words.
using DrawOnce = std::function<Positions(const Words&)>;

// Calls `see` with each of `draws` draws from row 0 by SampleHop: 1000 nodes a
// batch, local numbers 0 to 999, batch after batch. `query` gives all but keys
// and nodes; `time_bound` is the same for all nodes.
void ForEachKernelDraw(const HopRows& rows, const HopQuery& query,
                       int64_t draws,
                       const std::function<void(const Positions&)>& see,
                       int64_t time_bound = 0);

// Calls `see` for the draws of `draw`, with the same nodes and keys.
void ForEachDefinedDraw(const DrawOnce& draw, int64_t draws,
                        const std::function<void(const Positions&)>& see);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_STATISTICS_ROW_DRAWS_H_
