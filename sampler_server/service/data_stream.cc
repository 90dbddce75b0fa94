#include "sampler_server/service/data_stream.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "channel/call_server.h"
#include "sampler_server/access/stream_job.h"
#include "sampler_server/service/graph_read_stream.h"
#include "sampler_server/streams/data_call.h"
#include "sampler_server/tensors/tensor_service.h"

namespace tributary {
namespace {

// As many as a client has outstanding; the data budget bounds their bytes.
constexpr size_t kMaxCallsPerStream = 256;
// Of the data budget: what a stream may hold of requests, and of replies.
constexpr size_t kPartOfStream = 4;
// An attempt names all servers that hold rows.
constexpr size_t kMaxHeaderBytesOfCall = size_t{256} << 10;

// Passes the call to the part of the server that answers its kind.
void Dispatch(std::shared_ptr<ServiceCore> core, const StreamJob& job,
              std::shared_ptr<TensorStream> tensors, DataCall data,
              CallResponder respond, WorkSlice& slice) {
  if (IsGraphRead(data.call.kind)) {
    return ServeGraphRead(std::move(core), std::move(data), job.name(),
                          std::move(respond), slice);
  }
  if (IsTensorCall(data.call.kind)) {
    return ServeTensorCall(core->tensors, std::move(tensors), std::move(data),
                           std::move(respond), slice);
  }
  respond(absl::UnimplementedError(absl::StrCat(
      MessageKindName(data.call.kind), " is no call of a data stream")));
}

// Serves calls by a handler, and tells the parts that keep something for the
// stream when it closes.
class DataStream final : public StreamHandler {
 public:
  DataStream(std::shared_ptr<StreamHandler> calls,
             std::shared_ptr<TensorStream> tensors)
      : calls_(std::move(calls)), tensors_(std::move(tensors)) {}

  void OnMessage(IncomingMessage& message) override {
    calls_->OnMessage(message);
  }
  void OnClosed(const absl::Status& why) override {
    calls_->OnClosed(why);
    tensors_->Close();
  }

 private:
  const std::shared_ptr<StreamHandler> calls_;
  const std::shared_ptr<TensorStream> tensors_;
};

}  // namespace

std::shared_ptr<StreamHandler> ServeDataCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              CallerPtr caller) {
  const std::string key = caller->share_key();
  const size_t most = core->data_budget->limit() / kPartOfStream;
  auto working = core->data_budget->Open(key + " (requests)", most);
  auto replies = core->data_budget->Open(key, most);
  stream = core->streams->Open(StreamMethod::kData, *caller, std::move(stream),
                               replies);
  const auto job = std::make_shared<StreamJob>(caller->identity);
  auto tensors = std::make_shared<TensorStream>(job);
  const auto turns = std::make_shared<const StreamTurns>(
      core->data_turns, key, [job] { return job->name(); });
  auto serve = [core = std::move(core), turns, working, replies, job, tensors](
                   IncomingCall call, CallResponder respond) {
    auto request = working->TryTake(BytesOfDataCall(call));
    if (!request.ok()) return respond(request.status());
    DataCall data{std::move(call), *std::move(request), working, replies,
                  turns,           turns->Now()};
    turns->Post([core, job, tensors, data = std::move(data),
                 respond = std::move(respond)](WorkSlice& slice) mutable {
      Dispatch(core, *job, tensors, std::move(data), std::move(respond), slice);
    });
  };
  CallServerOptions options;
  options.max_concurrent = kMaxCallsPerStream;
  options.max_header_bytes = kMaxHeaderBytesOfCall;
  return std::make_shared<DataStream>(
      ServeCalls(std::move(stream), std::move(caller), std::move(serve),
                 options),
      std::move(tensors));
}

}  // namespace tributary
