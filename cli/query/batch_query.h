// Asks every server of a list for what it knows of one batch, for `tributary
// status --batch`.
#ifndef TRIBUTARY_CLI_QUERY_BATCH_QUERY_H_
#define TRIBUTARY_CLI_QUERY_BATCH_QUERY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/query/fleet_access.h"
#include "common/proto/status.pb.h"

namespace tributary {

struct BatchName {
  std::string job;
  uint64_t epoch = 0;
  uint64_t index = 0;
};

// Parses JOB/EPOCH/INDEX; the job's name may have slashes itself. Returns a
// usage error for another text.
absl::StatusOr<BatchName> ParseBatchName(absl::string_view text);

// The answer of one listed server.
struct BatchAnswer {
  std::string server;  // HOST:PORT
  absl::StatusOr<v1::BatchTraceReply> traces;
};

// Asks all servers of the list `access.servers` within `timeout`. Answers are
// ordered by address. Errors as FleetConnection::Open().
absl::StatusOr<std::vector<BatchAnswer>> AskForBatch(const FleetAccess& access,
                                                     const BatchName& batch,
                                                     absl::Duration timeout);

// The answers as they are printed.
struct BatchReport {
  std::vector<std::string> lines;  // on stdout
  // On stderr: servers that answered otherwise than that they know nothing,
  // but for the one that `status` names.
  std::vector<std::string> notes;
  // OK if at least one server knows the batch. NOT_FOUND, with what servers
  // keep, if all answered and none does; otherwise the first error.
  absl::Status status;
};

// Explains each attempt that a server knows; with `otlp` as a line of OTLP/JSON
// instead.
BatchReport ReportBatch(const std::vector<BatchAnswer>& answers,
                        const BatchName& batch, bool otlp);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_QUERY_BATCH_QUERY_H_
