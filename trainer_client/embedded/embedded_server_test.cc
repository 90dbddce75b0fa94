#include "trainer_client/embedded/embedded_server.h"

#include <atomic>
#include <cstring>
#include <string>

#include "channel/envelope.h"
#include "channel/message.h"
#include "common/batch/batch_view.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"
#include "common/session/kinds/neighbor_spec.h"
#include "common/session/spec_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/seven_nodes.h"

namespace tributary {
namespace {

// The graph of the vectors in docs/sampling.md.
GraphSpec VectorGraph() {
  GraphSpec graph;
  graph.num_nodes = 7;
  graph.edges = SevenNodesEdges();
  graph.num_partitions = 2;
  return graph;
}

class Slot final : public SharedRoom {
 public:
  absl::Span<uint8_t> bytes() override { return buffer.span(); }
  AlignedBuffer buffer{4096};
};

// Waits for the one answer that the test asks for.
class Listener final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage& message) override {
    if (message.kind() == MessageKind::kProgress) return;
    MutexLock lock(mutex_);
    kind_ = message.kind();
    done_ = true;
    changed_.NotifyAll();
  }
  void OnClosed(const absl::Status&) override {
    MutexLock lock(mutex_);
    done_ = true;
    changed_.NotifyAll();
  }
  MessageKind Await() {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    MutexLock lock(mutex_);
    while (!done_ && changed_.WaitUntil(mutex_, deadline)) {
    }
    return kind_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  MessageKind kind_ ABSL_GUARDED_BY(mutex_){};
};

void Send(Stream& stream, MessageKind kind, std::string header,
          std::shared_ptr<SharedRoom> room = nullptr) {
  OutgoingMessage message;
  message.kind = kind;
  message.header = std::move(header);
  message.room = std::move(room);
  ASSERT_TRUE(stream.Send(std::move(message)).ok());
}

std::string VectorSpec(const GraphSchema& schema) {
  SpecGraph graph{schema.name,
                  schema.content_digest,
                  schema.layout_digest,
                  {"node"},
                  {"node,to,node"}};
  SpecOptions options;
  options.num_neighbors = {2, 2};
  options.batch_size = 3;
  options.random_seed = 7;
  options.input_count = 4;
  options.inputs_sha256 = InputsSha256({0, 3, 1, 6});
  return BuildNeighborSpec(graph, options).value();
}

TEST(EmbeddedServerTest, GathersIntoTheSlotThatCameWithTheCredit) {
  TemporaryFolder folder;
  WriteGraphTo(VectorGraph(), folder.File("graph"));
  EmbeddedServerOptions options;
  options.graph = folder.File("graph");
  options.num_threads = 2;
  auto server = EmbeddedServer::Start(options).value();
  auto listener = std::make_shared<Listener>();
  auto stream = server->transport()->Connect(server->address(),
                                             StreamMethod::kBatches, listener);

  v1::OpenSession open;
  open.set_spec(VectorSpec(server->graph().schema()));
  open.set_wire_version(kWireVersion);
  Send(*stream, MessageKind::kOpenSession, open.SerializeAsString());
  v1::Credit credit;
  credit.set_grant(1);
  const Sha256Digest session = SessionIdentity(open.spec());
  credit.set_session(std::string(session.begin(), session.end()));
  credit.set_max_bytes(4096);
  credit.set_timeout_ms(20000);
  for (const auto& [number, id] : {std::pair{1, 3}, {3, 6}, {2, 1}}) {
    credit.add_input_number(number);
    credit.add_original_id(id);
  }
  auto slot = std::make_shared<Slot>();
  Send(*stream, MessageKind::kCredit, credit.SerializeAsString(), slot);
  ASSERT_EQ(listener->Await(), MessageKind::kReady);
  auto view = BatchView::Parse(slot->buffer.span());
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(ToHex(view->Digest()),
            "40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68");
  stream->Close(absl::OkStatus());
}

TEST(EmbeddedServerTest, RefusesAFolderThatIsNoGraphAndThreadsOutOfRange) {
  EmbeddedServerOptions options;
  options.graph = "/nowhere";
  EXPECT_EQ(EmbeddedServer::Start(options).status().code(),
            absl::StatusCode::kNotFound);
  options.num_threads = -1;
  EXPECT_EQ(EmbeddedServer::Start(options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
