// The times of links, by which `tributary-train` samples what was known before
// each of them. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_LINK_TIMES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_LINK_TIMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/torch/sessions/link_sessions.h"

namespace tributary {

// Reads the times of a relation's edges, one for each row of the file that was
// partitioned: a vector of int64 as numpy.save writes it, or text with a whole
// number in each line. Errors name the file: those of FileMapping::Open;
// INVALID_ARGUMENT, with the line, for other contents; DATA_LOSS for a
// truncated .npy file.
absl::StatusOr<std::vector<int64_t>> ReadEdgeTimes(const std::string& path);

// Sets LinkSplits::edge_time_file by the text of --edge-time: FILE for links of
// one type, "A,R,B:FILE;C,S,D:FILE" for those of several. INVALID_ARGUMENT
// unless it names each type once.
absl::Status ParseEdgeTimeFiles(const std::string& text,
                                std::vector<LinkSplits>* types);

// Reads the files into LinkSplits::edge_time, by edge id. Does nothing for
// links without files. INVALID_ARGUMENT, with the remedy, if `time` is kEdge
// and edges of a type have no time in the graph: edges of any time would then
// be sampled.
absl::Status ReadLinkTimes(const GraphSchema& schema, TimeMode time,
                           std::vector<LinkSplits>* types);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_LINK_TIMES_H_
