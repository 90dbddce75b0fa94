#include "sampler_server/service/leaf_stream.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_server.h"
#include "channel/parse_header.h"
#include "common/observe/log.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// As many as one peer's CallClient sends; the leaf budget bounds their bytes.
constexpr size_t kMaxCallsPerStream = 256;
// Of a request that waits for a disk, whatever its caller allows.
constexpr uint64_t kMaxReadMs = 600'000;

// A call that waits for its turn on the leaf executor.
struct LeafCall {
  IncomingCall call;
  Reservation request;  // of header and payload
  absl::Time arrived;
  std::shared_ptr<HeldGraph> graph;  // once it is read which one is meant
};

absl::Status CheckInTime(const ServiceCore& core, const LeafCall& leaf,
                         uint64_t timeout_ms) {
  if (leaf.call.cancel.cancelled()) {
    return absl::CancelledError("the caller no longer waits");
  }
  const absl::Duration waited = core.leaf_executor->Now() - leaf.arrived;
  if (waited < absl::Milliseconds(timeout_ms)) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("waited ", absl::FormatDuration(waited), " of ", timeout_ms,
                   " ms for its turn"));
}

absl::StatusOr<LeafReply> Serve(ServiceCore& core, LeafCall& leaf) {
  RETURN_IF_ERROR(FaultPoint("leaf.serve"));
  const IncomingCall& call = leaf.call;
  if (call.kind == MessageKind::kSampleHopRequest ||
      call.kind == MessageKind::kDrawHopRequest ||
      call.kind == MessageKind::kEligibleHopRequest) {
    core.metrics.leaf_hops.Add();
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<v1::SampleHopRequest>(call.kind, call.header));
    RETURN_IF_ERROR(CheckInTime(core, leaf, request.timeout_ms()));
    ASSIGN_OR_RETURN(leaf.graph,
                     core.graphs.WithLayout(request.layout_digest()));
    return ServeSampleHop(leaf.graph->graph(), request, call.payload.span(),
                          core.leaf_limits, *core.leaf_budget);
  }
  if (call.kind == MessageKind::kGatherRequest ||
      call.kind == MessageKind::kConvertGatherRequest) {
    core.metrics.leaf_gathers.Add();
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<v1::GatherRequest>(call.kind, call.header));
    RETURN_IF_ERROR(CheckInTime(core, leaf, request.timeout_ms()));
    ASSIGN_OR_RETURN(leaf.graph,
                     core.graphs.WithLayout(request.layout_digest()));
    return ServeGather(leaf.graph->graph(), request, call.payload.span(),
                       core.leaf_limits, *core.leaf_budget);
  }
  if (call.kind == MessageKind::kAskKindRequest) {
    core.metrics.leaf_questions.Add();
    ASSIGN_OR_RETURN(const auto request,
                     ParseHeader<v1::AskKindRequest>(call.kind, call.header));
    RETURN_IF_ERROR(CheckInTime(core, leaf, request.timeout_ms()));
    ASSIGN_OR_RETURN(leaf.graph,
                     core.graphs.WithLayout(request.layout_digest()));
    return ServeAskKind(leaf.graph->graph(), request, call.payload.span(),
                        core.leaf_limits, *core.leaf_budget);
  }
  return absl::UnimplementedError(
      absl::StrCat(MessageKindName(call.kind), " is no call of a leaf stream"));
}

MessageKind ReplyTo(MessageKind request) {
  switch (request) {
    case MessageKind::kGatherRequest:
    case MessageKind::kConvertGatherRequest:
      return MessageKind::kGatherReply;
    case MessageKind::kAskKindRequest:
      return MessageKind::kAskKindReply;
    default:
      return MessageKind::kSampleHopReply;
  }
}

CallAnswer ToAnswer(MessageKind request, LeafReply reply) {
  CallAnswer answer;
  answer.kind = ReplyTo(request);
  answer.header = std::move(reply.header);
  auto owner = std::make_shared<LeafReply>(std::move(reply));
  answer.payload = std::as_const(owner->payload).span();
  answer.payload_owner = std::move(owner);
  return answer;
}

void Respond(ServiceCore& core, const LeafCall& leaf,
             absl::StatusOr<LeafReply> reply, CallResponder respond) {
  if (!reply.ok()) {
    core.metrics.leaf_errors.Add();
    LogRepeated(LogLevel::kDebug, absl::StrCat("leaf call of ", leaf.call.peer),
                absl::StrCat("leaf call of ", leaf.call.peer, ": ",
                             reply.status().ToString()));
    return respond(reply.status());
  }
  core.metrics.leaf_bytes.Add(static_cast<double>(reply->payload.size()));
  respond(ToAnswer(leaf.call.kind, *std::move(reply)));
}

// Reads what a reply lacks, column after column, and sends it. On a strand of
// its own.
class ReplyReading : public std::enable_shared_from_this<ReplyReading> {
 public:
  ReplyReading(std::shared_ptr<ServiceCore> core, LeafCall leaf,
               LeafReply reply, CallResponder respond)
      : core_(std::move(core)),
        leaf_(std::move(leaf)),
        reply_(std::move(reply)),
        respond_(std::move(respond)),
        strand_(std::make_shared<Strand>(core_->leaf_executor)) {}

  void ReadNext() {
    const UnreadRows& unread = reply_.unread;
    if (next_ == unread.columns.size()) {
      return Respond(*core_, leaf_, std::move(reply_), std::move(respond_));
    }
    const UnreadRows::Column& column = unread.columns[next_++];
    const auto self = shared_from_this();
    RowRead read;
    read.file = column.file;
    uint8_t* const to = reply_.payload.data() + column.at;
    read.places = PlacesOf(column.form, unread.rows, {}, to,
                           to + unread.rows.size() * column.form.row_bytes);
    read.hold = self;
    read.deadline = leaf_.arrived +
                    absl::Milliseconds(std::min(unread.timeout_ms, kMaxReadMs));
    read.cancel = leaf_.call.cancel;
    leaf_.graph->served.rows->Read(
        std::move(read), strand_, [self](absl::Status status) {
          if (status.ok()) return self->ReadNext();
          Respond(*self->core_, self->leaf_, std::move(status),
                  std::move(self->respond_));
        });
  }

 private:
  const std::shared_ptr<ServiceCore> core_;
  const LeafCall leaf_;
  LeafReply reply_;
  CallResponder respond_;
  const std::shared_ptr<Strand> strand_;
  size_t next_ = 0;
};

void Answer(std::shared_ptr<ServiceCore> core, LeafCall leaf,
            CallResponder respond) {
  auto reply = Serve(*core, leaf);
  if (!reply.ok() || reply->unread.columns.empty()) {
    return Respond(*core, leaf, std::move(reply), std::move(respond));
  }
  if (leaf.graph->served.rows == nullptr) {
    return Respond(*core, leaf,
                   absl::InternalError("features are in files, and nobody "
                                       "reads them here"),
                   std::move(respond));
  }
  std::make_shared<ReplyReading>(std::move(core), std::move(leaf),
                                 *std::move(reply), std::move(respond))
      ->ReadNext();
}

}  // namespace

std::shared_ptr<StreamHandler> ServeLeafCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              std::string peer) {
  auto serve = [core = std::move(core)](IncomingCall call,
                                        CallResponder respond) {
    auto request =
        core->leaf_budget->TryReserve(call.header.size() + call.payload.size());
    if (!request.ok()) return respond(request.status());
    LeafCall leaf{std::move(call), *std::move(request),
                  core->leaf_executor->Now()};
    core->leaf_executor->Post(
        [core, leaf = std::move(leaf), respond = std::move(respond)]() mutable {
          Answer(core, std::move(leaf), std::move(respond));
        });
  };
  CallServerOptions options;
  options.max_concurrent = kMaxCallsPerStream;
  return ServeCalls(std::move(stream), std::move(peer), std::move(serve),
                    options);
}

}  // namespace tributary
