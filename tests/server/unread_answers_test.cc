// Clients that read nothing, over gRPC, beside those that read.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "channel/call_client.h"
#include "channel/envelope.h"
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "common/observe/metrics.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"
#include "common/runtime/promised.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {
namespace {

constexpr absl::Duration kLimit = absl::Seconds(60);

// Returns from its first OnMessage only after Release, so that nothing behind
// that message is read.
class DeafClient final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage&) override {
    if (std::exchange(deaf_, false)) (void)released_.Wait(kLimit);
  }
  void OnClosed(const absl::Status& why) override { closed_.Set(why); }
  void Release() { released_.Set(true); }
  std::optional<absl::Status> WaitClosed() { return closed_.Wait(kLimit); }

 private:
  bool deaf_ = true;  // used by the transport's thread
  Promised<bool> released_;
  Promised<absl::Status> closed_;
};

OutgoingMessage DescribeMessage(uint64_t call) {
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  OutgoingMessage message;
  message.kind = MessageKind::kDescribeRequest;
  message.call_id = call;
  message.header = request.SerializeAsString();
  return message;
}

class UnreadAnswersTest : public ::testing::Test {
 protected:
  UnreadAnswersTest() {
    GraphSpec graph;
    graph.num_nodes = 3;
    graph.edges = {{1, 0}, {2, 0}};
    SamplerServiceEnvironment environment;
    environment.executor = environment.leaf_executor = &pool_;
    environment.metrics = &metrics_;
    service_ = std::make_unique<SamplerService>(
        SamplerServiceOptions(), environment, ServedGraph{BuildGraph(graph)});
    server_ = GrpcServer::Start({}, service_.get()).value();
  }
  ~UnreadAnswersTest() override { server_->Shutdown(absl::Seconds(1)); }

  // Describes over a stream of its own, as `status` does.
  absl::Status Describe() {
    CallClient client(&transport_, server_->address(), StreamMethod::kControl,
                      &pool_);
    auto done = std::make_shared<Promised<absl::Status>>();
    OutgoingMessage message = DescribeMessage(0);
    client.Call(
        {message.kind, std::move(message.header), {}, nullptr},
        pool_.Now() + kLimit, 0,
        [done](absl::StatusOr<CallReply> reply) { done->Set(reply.status()); });
    return done->Wait(kLimit).value_or(absl::DeadlineExceededError("no reply"));
  }
  bool Closed(const std::string& labels) {
    return metrics_.Exposition().find("tributary_streams_closed_total{" +
                                      labels + "} 1") != std::string::npos;
  }

  ThreadPool pool_{"test", 2};
  Metrics metrics_;
  GrpcTransport transport_;
  GrpcTransport other_transport_;
  std::unique_ptr<SamplerService> service_;
  std::unique_ptr<GrpcServer> server_;
};

// Enough to fill its share of small answers: it is closed, and everybody else
// is answered all the time.
TEST_F(UnreadAnswersTest, AClientThatDescribesAndReadsNothingHurtsNobody) {
  const auto deaf = std::make_shared<DeafClient>();
  const auto stream = other_transport_.Connect(server_->address(),
                                               StreamMethod::kControl, deaf);
  for (uint64_t call = 1; call <= 50'000; ++call) {
    if (!stream->Send(DescribeMessage(call)).ok()) break;
    if (call % 5'000 == 0) {
      const absl::Status described = Describe();
      EXPECT_TRUE(described.ok()) << call << ": " << described;
    }
  }
  const std::string ended = "reason=\"unread_answers\",stream=\"control\"";
  const absl::Time limit = pool_.Now() + kLimit;
  while (!Closed(ended) && pool_.Now() < limit) {
    const absl::Status described = Describe();
    EXPECT_TRUE(described.ok()) << described;
  }
  EXPECT_TRUE(Closed(ended)) << metrics_.Exposition();
  deaf->Release();
  EXPECT_TRUE(deaf->WaitClosed().has_value());
}

}  // namespace
}  // namespace tributary
