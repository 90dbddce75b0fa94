#include "sampler_server/service/batch_trace_call.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/proto/status.pb.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/access/stream_job.h"

namespace tributary {

absl::StatusOr<CallAnswer> ServeBatchTrace(const ServiceCore& core,
                                           const IncomingCall& call) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseHeader<v1::BatchTraceRequest>(call.kind, call.header));
  StreamJob job(call.caller->identity);
  const auto name = job.Take(request.job());
  if (!name.ok()) {
    core.refusals->Note(CallerRefusals::kJob, *call.caller, name.status());
    return name.status();
  }
  v1::BatchTraceReply reply;
  for (v1::BatchTrace& trace :
       core.recent_batches.Find(*name, request.epoch(), request.index())) {
    *reply.add_traces() = std::move(trace);
  }
  if (reply.traces_size() == 0) {
    return absl::NotFoundError(absl::StrCat(
        "nothing is kept of batch ", request.epoch(), "/", request.index(),
        " of job '", TerminalLine(*name),
        "': a server keeps the latest batches that it made itself, and the "
        "slowest ",
        RecentBatches::kMaxSlow, " of each job for ",
        absl::FormatDuration(RecentBatches::kSlowFor)));
  }
  return CallAnswer{MessageKind::kBatchTraceReply, reply.SerializeAsString()};
}

}  // namespace tributary
