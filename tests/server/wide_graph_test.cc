// A graph of 500 edge types in 256 partitions, whose graph.json is far longer
// than a message: how its text travels, and how long a loader takes to open a
// session on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "channel/call_client.h"
#include "channel/envelope.h"
#include "channel/in_process_transport.h"
#include "common/fleet/graph_text.h"
#include "common/proto/wire.pb.h"
#include "common/random/hop_key.h"
#include "common/runtime/promised.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/service/sampler_service.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint32_t kPartitions = 256;
constexpr int kEdgeTypes = 500;

GraphSchema WideSchema() {
  GraphSchema schema;
  schema.name = "wide";
  schema.semantics_version = kSemanticsVersion;
  schema.heterogeneous = true;
  schema.num_partitions = kPartitions;
  schema.partition_method = "test";
  NodeTypeSchema nodes{.name = "item", .num_nodes = 1'000'000'000};
  for (uint32_t p = 0; p <= kPartitions; ++p) {
    nodes.base.push_back(nodes.num_nodes * p / kPartitions);
  }
  schema.node_types.push_back(nodes);
  for (int t = 0; t < kEdgeTypes; ++t) {
    EdgeTypeSchema edges{.src = "item",
                         .rel = absl::StrFormat("relation%03d", t),
                         .dst = "item"};
    for (uint32_t p = 0; p < kPartitions; ++p) {
      edges.partition_edges.push_back(1'000'000 + p);
      edges.num_edges += 1'000'000 + p;
    }
    schema.edge_types.push_back(edges);
  }
  schema.splits.push_back({"", "item", "train", 4});
  schema.content_digest.fill(7);
  schema.layout_digest = schema.ComputeLayoutDigest();
  return schema;
}

// A graph of which only the schema and a split can be read.
class WideGraph final : public Graph {
 public:
  const GraphSchema& schema() const override { return schema_; }
  const std::string& schema_json() const override { return json_; }
  const std::vector<uint32_t>& partitions() const override {
    return partitions_;
  }
  const NodePartition* nodes(int, uint32_t) const override { return nullptr; }
  const EdgePartition* edges(int, uint32_t) const override { return nullptr; }
  const NodeMap& node_map(int) const override { return map_; }
  absl::StatusOr<absl::Span<const int64_t>> Split(
      int, std::string_view) const override {
    return absl::MakeConstSpan(train_);
  }

 private:
  const GraphSchema schema_ = WideSchema();
  const std::string json_ = schema_.ToJson();
  const std::vector<uint32_t> partitions_ = {0, 1};
  const NodeMap map_;
  const std::vector<int64_t> train_ = {1, 2, 3, 4};
};

// Counts the calls of each kind that reach a service.
class CountingAcceptor final : public StreamAcceptor {
 public:
  explicit CountingAcceptor(StreamAcceptor* to) : to_(to) {}

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    auto handler =
        to_->Accept(method, std::move(caller), std::move(stream), why);
    if (handler == nullptr) return nullptr;
    return std::make_shared<Handler>(this, std::move(handler));
  }
  int calls(MessageKind kind) const {
    MutexLock lock(mutex_);
    const auto found = calls_.find(kind);
    return found == calls_.end() ? 0 : found->second;
  }

 private:
  class Handler final : public StreamHandler {
   public:
    Handler(CountingAcceptor* counter, std::shared_ptr<StreamHandler> to)
        : counter_(counter), to_(std::move(to)) {}
    void OnMessage(IncomingMessage& message) override {
      {
        MutexLock lock(counter_->mutex_);
        ++counter_->calls_[message.kind()];
      }
      to_->OnMessage(message);
    }
    void OnClosed(const absl::Status& why) override { to_->OnClosed(why); }

   private:
    CountingAcceptor* const counter_;
    const std::shared_ptr<StreamHandler> to_;
  };

  StreamAcceptor* const to_;
  mutable Mutex mutex_;
  std::map<MessageKind, int> calls_ ABSL_GUARDED_BY(mutex_);
};

class WideGraphTest : public ::testing::Test {
 protected:
  WideGraphTest() {
    SamplerServiceEnvironment environment;
    environment.executor = environment.leaf_executor = &pool_;
    for (const std::string host : {"a", "b"}) {
      services_.push_back(std::make_unique<SamplerService>(
          SamplerServiceOptions(), environment));
      EXPECT_TRUE(services_.back()->AddGraph({graph_}).ok());
      counters_.push_back(
          std::make_shared<CountingAcceptor>(services_.back().get()));
      transport_.Listen({host, 1}, counters_.back());
    }
  }
  ~WideGraphTest() override { services_.clear(); }

  int Calls(MessageKind kind) const {
    int calls = 0;
    for (const auto& counter : counters_) calls += counter->calls(kind);
    return calls;
  }
  static int NumPages() {
    return static_cast<int>(
        (graph_->schema_json().size() + kGraphPageBytes - 1) / kGraphPageBytes);
  }

  template <typename Request>
  absl::StatusOr<CallReply> Call(MessageKind kind, const Request& request) {
    CallClient client(&transport_, {"a", 1}, StreamMethod::kControl, &pool_);
    auto reply = std::make_shared<Promised<absl::StatusOr<CallReply>>>();
    client.Call({.kind = kind, .header = request.SerializeAsString()},
                pool_.Now() + absl::Seconds(20), kGraphPageBytes,
                [reply](absl::StatusOr<CallReply> answer) {
                  reply->Set(std::move(answer));
                });
    return reply->Wait(absl::Seconds(30))
        .value_or(absl::DeadlineExceededError("no reply"));
  }
  absl::StatusOr<v1::DescribeReply> Describe(v1::GraphText text) {
    v1::DescribeRequest request;
    request.set_wire_version(kWireVersion);
    request.set_graph_text(text);
    const auto reply = Call(MessageKind::kDescribeRequest, request);
    if (!reply.ok()) return reply.status();
    v1::DescribeReply told;
    EXPECT_TRUE(told.ParseFromString(reply->header));
    return told;
  }
  absl::StatusOr<CallReply> Page(const Sha256Digest& layout, uint64_t offset) {
    v1::GetGraphJsonRequest request;
    request.set_layout_digest(layout.data(), layout.size());
    request.set_offset(offset);
    return Call(MessageKind::kGetGraphJsonRequest, request);
  }

  static std::shared_ptr<const WideGraph> graph_;
  ThreadPool pool_{"wide", 2};
  std::vector<std::unique_ptr<SamplerService>> services_;
  std::vector<std::shared_ptr<CountingAcceptor>> counters_;
  InProcessTransport transport_{&pool_};
};

std::shared_ptr<const WideGraph> WideGraphTest::graph_ =
    std::make_shared<WideGraph>();

TEST_F(WideGraphTest, ALoaderReadsItOnceAndKnowsIt) {
  ASSERT_GT(graph_->schema_json().size(), kMaxGraphTextInReply);
  NeighborLoaderOptions options;
  options.input_split = "train";
  options.num_neighbors.by_edge_type = {{"item,relation499,item", {2}}};
  options.num_neighbors = {0};
  options.batch_size = 2;
  options.collect = CollectedColumns::None();
  RemoteDistSamplingWorkerOptions worker;
  worker.servers = "a:1,b:1";
  worker.buffer_size = 1 << 20;
  const absl::Time before = absl::Now();
  const auto loader =
      DistNeighborLoader::Create(options, worker, {&pool_, &transport_});
  const absl::Duration took = absl::Now() - before;
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ((*loader)->schema().ToJson(), graph_->schema_json());
  EXPECT_EQ((*loader)->num_inputs(), 4);
  // At most once from each server, both of which are asked at the same time.
  const int pages = Calls(MessageKind::kGetGraphJsonRequest);
  EXPECT_GE(pages, NumPages());
  EXPECT_LE(pages, 2 * NumPages());
  RecordProperty("milliseconds_to_open",
                 static_cast<int>(absl::ToInt64Milliseconds(took)));
  std::printf("graph.json of %zu bytes: a session opened in %s\n",
              graph_->schema_json().size(), absl::FormatDuration(took).c_str());
}

TEST_F(WideGraphTest, PagesAreTheTextAndEndWithIt) {
  const Sha256Digest& layout = graph_->schema().layout_digest;
  const std::string& text = graph_->schema_json();
  const auto told = Describe(v1::GRAPH_TEXT_PAGED);
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->graph_json(), "");
  EXPECT_EQ(told->graph_json_bytes(), text.size());
  std::string read;
  while (read.size() < text.size()) {
    const auto page = Page(layout, read.size());
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_LE(page->payload.size(), kGraphPageBytes);
    ASSERT_GT(page->payload.size(), 0u);
    const auto bytes = page->payload.span();
    read.append(bytes.begin(), bytes.end());
  }
  EXPECT_EQ(read, text);
  EXPECT_EQ(Page(layout, text.size())->payload.size(), 0u);
  EXPECT_TRUE(absl::IsOutOfRange(Page(layout, text.size() + 1).status()));
  EXPECT_TRUE(absl::IsOutOfRange(Page(layout, UINT64_MAX).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(Page(Sha256Digest{}, 0).status()));
}

// As programs do that know no pages.
TEST_F(WideGraphTest, OneMessageIsRefusedWithWhatToDo) {
  const absl::Status refused = Describe(v1::GRAPH_TEXT_INLINE).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("graph.json of wide@0707"),
                    HasSubstr("use a program of this server's release")));
}

TEST_F(WideGraphTest, WhoNeedsNoTextGetsTheDigests) {
  const auto told = Describe(v1::GRAPH_TEXT_NONE);
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->graph_json(), "");
  EXPECT_LT(told->ByteSizeLong(), 1024u);
  const auto& layout = graph_->schema().layout_digest;
  EXPECT_EQ(told->layout_digest(), std::string(layout.begin(), layout.end()));
  EXPECT_EQ(told->content_digest(), std::string(32, 7));
}

TEST_F(WideGraphTest, ShortTextsTravelWithTheDescription) {
  const auto small = BuildGraph({.num_nodes = 2, .edges = {{0, 1}}});
  SamplerServiceEnvironment environment;
  environment.executor = environment.leaf_executor = &pool_;
  const auto service =
      std::make_shared<SamplerService>(SamplerServiceOptions(), environment);
  ASSERT_TRUE(service->AddGraph({small}).ok());
  transport_.Listen({"a", 1}, service);
  for (const auto text : {v1::GRAPH_TEXT_INLINE, v1::GRAPH_TEXT_PAGED}) {
    const auto told = Describe(text);
    ASSERT_TRUE(told.ok()) << told.status();
    EXPECT_EQ(told->graph_json(), small->schema_json());
  }
  EXPECT_EQ(Describe(v1::GRAPH_TEXT_NONE)->graph_json(), "");
}

}  // namespace
}  // namespace tributary
