// Reads a mode and its options from a JSON file.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_FILE_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer_client/modes/options.h"

namespace tributary {

// Parses a JSON object with "mode" (collocated, mp or remote) and that mode's
// options by name, each at most once; omitted ones have their defaults. Sizes
// are bytes or texts such as "1GB", rpc_timeout is seconds, server_rank is a
// number, a list of numbers or null. For example:
//
//   {"mode": "mp", "graph": "cora4", "num_workers": 2, "channel_size": "1GB"}
//
// Returns INVALID_ARGUMENT, with what is wrong and what is allowed. Does not
// call Validate().
absl::StatusOr<SamplingWorkerOptionsOfAMode> ParseWorkerOptions(
    absl::string_view json);

// Reads, parses and validates a file of at most 64 KiB. Errors name the file.
absl::StatusOr<SamplingWorkerOptionsOfAMode> ReadWorkerOptions(
    const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_FILE_H_
