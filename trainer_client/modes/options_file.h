// A mode and its options out of a file.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_FILE_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer_client/modes/options.h"

namespace tributary {

// A JSON object: "mode" (collocated, mp or remote) and that mode's options by
// their names, each at most once; what is left out has its default. Sizes are
// bytes or texts such as "1GB", rpc_timeout is seconds, server_rank a number, a
// list of them or null. INVALID_ARGUMENT: what is wrong where, and what is
// allowed; not what Validate says.
absl::StatusOr<SamplingWorkerOptionsOfAMode> ParseWorkerOptions(
    absl::string_view json);

// The same of a file of at most 64 KiB, validated. Errors name the file.
absl::StatusOr<SamplingWorkerOptionsOfAMode> ReadWorkerOptions(
    const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_OPTIONS_FILE_H_
