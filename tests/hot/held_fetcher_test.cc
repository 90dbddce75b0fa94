// Fetching of rows that a trainer holds, from a simulated fleet.
#include "trainer_client/core/cache/held_fetcher.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "common/proto/wire.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/hot_list_of.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/hot/held_rows_of.h"
#include "tests/hot/hot_graph.h"
#include "trainer_client/core/cache/cache_sizer.h"
#include "trainer_client/core/cache/testing/node_batch.h"
#include "trainer_client/core/testing/accept_all.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kNodes = kHotGraphNodes;

// Passes answers on, changed.
class ChangedAnswers final : public StreamAcceptor {
 public:
  using Change = std::function<void(OutgoingMessage&)>;
  ChangedAnswers(StreamAcceptor* honest, Change change)
      : honest_(honest), change_(std::move(change)) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    return honest_->Accept(
        method, std::move(caller),
        std::make_shared<Changed>(std::move(stream), change_), why);
  }

 private:
  class Changed final : public Stream {
   public:
    Changed(std::shared_ptr<Stream> stream, Change change)
        : stream_(std::move(stream)), change_(std::move(change)) {}
    absl::Status Send(OutgoingMessage message) override {
      change_(message);
      return stream_->Send(std::move(message));
    }
    size_t queued_bytes() const override { return stream_->queued_bytes(); }
    void Close(absl::Status why) override { stream_->Close(std::move(why)); }

   private:
    const std::shared_ptr<Stream> stream_;
    const Change change_;
  };

  StreamAcceptor* const honest_;
  const Change change_;
};

// Returns the message with another last byte.
void Damage(OutgoingMessage& message) {
  auto bytes = std::make_shared<std::vector<uint8_t>>(message.payload.begin(),
                                                      message.payload.end());
  bytes->back() ^= 1;
  message.payload = *bytes;
  message.payload_owner = bytes;
}

class HeldFetcherWorld {
 public:
  explicit HeldFetcherWorld(GraphSpec graph = HotGraph())
      : spec_(std::move(graph)) {}

  void Start(const TrainerCacheSize& size,
             FeatureDType dtype = FeatureDType::kStored,
             ChangedAnswers::Change change = nullptr) {
    dtype_ = dtype;
    // The second server has all, so that what the first one lies about can be
    // asked of another.
    for (const auto& owned : std::vector<std::vector<uint32_t>>{{1}, {0, 1}}) {
      SimServerOptions server;
      server.opened = BuildGraph(spec_, {owned});
      server.hot_lists = {list_};
      if (change && fleet_.servers.empty()) {
        server.before = [change](StreamAcceptor* honest) {
          return std::make_unique<ChangedAnswers>(honest, change);
        };
      }
      fleet_.Add(server);
    }
    fleet_.Settle();
    trainer_ = fleet_.world.AddNode("trainer");
    strand_ = std::make_shared<Strand>(trainer_);
    ServerFleetOptions options;
    for (const auto& server : fleet_.servers) {
      options.source.addresses.push_back(server->address);
    }
    options.link.transport = fleet_.network.TransportOf(trainer_);
    options.link.strand = strand_;
    options.link.client_name = "test";
    options.link.call_timeout = absl::Seconds(1);
    servers_ = std::make_shared<ServerFleet>(options);
    GraphClientOptions client;
    client.transport = options.link.transport;
    client.strand = strand_;
    client.layout = graph_->schema().layout_digest;
    client.max_outstanding = 1;
    client_ = std::make_shared<GraphClient>(client, servers_);
    fetcher_ = std::make_shared<HeldFetcher>(OptionsOf(size));
    strand_->Post([this] {
      servers_->SetEvents(events_);
      servers_->Start();
      fetcher_->Start();
    });
  }

  std::shared_ptr<HotListReader> ReaderOf(const Sha256Digest& list) {
    HotListReaderOptions options;
    options.strand = strand_;
    options.client = client_;
    options.schema = graph_->schema();
    options.digest = list;
    options.json_bytes = list_->files()[0].bytes.size();
    return std::make_shared<HotListReader>(std::move(options));
  }

  HeldFetcherOptions OptionsOf(const TrainerCacheSize& size) {
    HeldFetcherOptions options;
    options.strand = strand_;
    options.client = client_;
    options.schema = graph_->schema();
    options.reader = ReaderOf(list_->digest());
    options.feature_dtype = dtype_;
    options.size = size;
    options.piece_bytes = 1000;  // some 17 rows as stored
    options.allowance = [this] { return allowance_; };
    options.rows = [this](std::vector<HeldRows::Type> types) {
      if (rows_ == nullptr) {
        rows_ = std::make_shared<HeldRows>(list_->digest(), std::move(types));
      }
      return rows_;
    };
    options.stopped = [this](absl::Status why) { stopped_ = std::move(why); };
    return options;
  }

  ~HeldFetcherWorld() {
    bool closed = false;
    strand_->Post([&] {
      fetcher_->Stop();
      client_->Close();
      servers_->Close([&] { closed = true; });
    });
    EXPECT_TRUE(
        fleet_.world.RunUntil([&] { return closed; }, absl::Minutes(2)));
  }

  uint32_t num_rows() const {
    return rows_ == nullptr ? 0 : rows_->view()->types[0].num_rows;
  }
  bool RunUntilHeld(uint32_t rows) {
    return fleet_.world.RunUntil(
        [&] { return num_rows() >= rows || !stopped_.ok(); },
        absl::Minutes(10));
  }
  // Each record that is held is that of the graph.
  void ExpectRecords(uint32_t rows) {
    ASSERT_TRUE(RunUntilHeld(rows)) << num_rows();
    ASSERT_TRUE(stopped_.ok()) << stopped_;
    ASSERT_EQ(num_rows(), rows);
    HeldRowsOf expected(graph_, list_, dtype_, 7);
    expected.Add(1.0);
    const auto right = expected.rows()->view(), held = rows_->view();
    ASSERT_EQ(held->types[0].form, right->types[0].form);
    const size_t bytes = held->types[0].form.record();
    for (uint32_t rank = 0; rank < rows; ++rank) {
      ASSERT_TRUE(std::equal(held->types[0].Record(rank).x(),
                             held->types[0].Record(rank).x() + bytes,
                             right->types[0].Record(rank).x()))
          << rank;
    }
  }

  const GraphSpec spec_;
  const std::shared_ptr<const Graph> graph_ = BuildGraph(spec_);
  const std::shared_ptr<const HotList> list_ = HotListOf(*graph_, 4);
  SimFleet fleet_{1};
  SimExecutor* trainer_ = nullptr;
  std::shared_ptr<Strand> strand_;
  std::shared_ptr<AcceptAll> events_ = std::make_shared<AcceptAll>();
  std::shared_ptr<ServerFleet> servers_;
  std::shared_ptr<GraphClient> client_;
  std::shared_ptr<HeldRows> rows_;
  std::shared_ptr<HeldFetcher> fetcher_;
  FeatureDType dtype_ = FeatureDType::kStored;
  uint64_t allowance_ = UINT64_MAX;
  absl::Status stopped_;
};

// Bytes for a row: its id and CRC32C in the list; where it is, x and y.
constexpr uint64_t kListed = 8 + 4, kFetched = 8 + 6 * 4 + 8;

class HeldFetcherTest : public testing::Test, protected HeldFetcherWorld {};

TEST_F(HeldFetcherTest, HoldsTheRowsOfTheList) {
  Start({.share = 1.0});
  ExpectRecords(kNodes);
  (void)fleet_.world.RunUntil([] { return false; }, absl::Seconds(1));
  EXPECT_TRUE(fetcher_->complete());
  EXPECT_EQ(fetcher_->fetched_bytes(), kNodes * (kListed + kFetched));
}

TEST_F(HeldFetcherTest, HoldsThemAsBatchesHaveThem) {
  Start({.share = 0.5}, FeatureDType::kInt8);
  ExpectRecords(kNodes / 2);
}

// Rows of int8 with a scale: what one server changes, a scale, is asked of the
// other.
TEST(HeldFetcher, HoldsScaledRowsAsBatchesHaveThem) {
  GraphSpec spec = HotGraph();
  spec.scaled = true;
  for (const FeatureDType dtype :
       {FeatureDType::kStored, FeatureDType::kFloat16, FeatureDType::kBFloat16,
        FeatureDType::kInt8}) {
    SCOPED_TRACE(FeatureDTypeName(dtype));
    for (const bool lies : {false, true}) {
      HeldFetcherWorld world(spec);
      world.Start({.share = 1.0}, dtype, [lies](OutgoingMessage& message) {
        if (lies && message.kind == MessageKind::kReadColumnReply) {
          Damage(message);
        }
      });
      world.ExpectRecords(kNodes);
    }
  }
}

TEST_F(HeldFetcherTest, HoldsWhatFits) {
  Start({.bytes = 5000});
  // A record has x and y, an id and two sums.
  ExpectRecords(5000 / (6 * 4 + 8 + 16));
}

TEST_F(HeldFetcherTest, IsPacedByWhatMayBeFetched) {
  allowance_ = 0;
  Start({.share = 1.0});
  EXPECT_FALSE(
      fleet_.world.RunUntil([&] { return num_rows() > 0; }, absl::Seconds(30)));
  ASSERT_NE(rows_, nullptr);
  allowance_ = kNodes * kListed + 40 * kFetched;
  EXPECT_FALSE(fleet_.world.RunUntil([&] { return num_rows() > 80; },
                                     absl::Seconds(30)));
  EXPECT_GT(num_rows(), 20u);
  allowance_ = UINT64_MAX;
  ExpectRecords(kNodes);
}

// What one server changes is asked of the other: the rows are right, or there
// are none.
TEST(HeldFetcher, ALyingServerPutsNothingIntoIt) {
  for (const MessageKind lie :
       {MessageKind::kReadColumnReply, MessageKind::kReadHotListReply,
        MessageKind::kLocateNodesReply}) {
    SCOPED_TRACE(MessageKindName(lie));
    int lies = 0;
    HeldFetcherWorld other;
    other.Start({.share = 1.0}, FeatureDType::kStored,
                [&](OutgoingMessage& message) {
                  if (message.kind != lie) return;
                  ++lies;
                  Damage(message);
                });
    other.ExpectRecords(kNodes);
    EXPECT_GT(lies, 0);
  }
}

TEST_F(HeldFetcherTest, AListThatNobodyHasEndsIt) {
  Start({.share = 1.0});
  Sha256Digest list = list_->digest();
  list[0] ^= 1;
  auto options = OptionsOf({.share = 1.0});
  options.reader = ReaderOf(list);
  const auto other = std::make_shared<HeldFetcher>(std::move(options));
  strand_->Post([other] { other->Start(); });
  ASSERT_TRUE(
      fleet_.world.RunUntil([&] { return !stopped_.ok(); }, absl::Minutes(5)));
  EXPECT_TRUE(absl::IsNotFound(stopped_)) << stopped_;
  EXPECT_THAT(stopped_.ToString(), HasSubstr("no hot list of this digest"));
}

TEST_F(HeldFetcherTest, ADroppedPieceIsFetchedAgain) {
  Start({.share = 1.0});
  ExpectRecords(kNodes);
  for (int drop = 0; drop < 10; ++drop) {
    rows_->Drop(0, 100);
    EXPECT_LE(num_rows(), 100u);
    ExpectRecords(kNodes);
  }
  rows_->Drop(0, 100);
  ASSERT_TRUE(
      fleet_.world.RunUntil([&] { return !stopped_.ok(); }, absl::Minutes(5)));
  EXPECT_THAT(stopped_.ToString(), HasSubstr("damaged 11 times"));
  EXPECT_LE(num_rows(), 100u);
}

// The rows stay those of the list whatever is under way when others are
// dropped.
TEST_F(HeldFetcherTest, PiecesAreDroppedWhileOthersAreFetched) {
  Start({.share = 1.0});
  for (uint32_t drop = 0; drop < 10; ++drop) {
    ASSERT_TRUE(RunUntilHeld(80 + 15 * drop));
    ASSERT_LT(num_rows(), static_cast<uint32_t>(kNodes));
    // Between any two turns of what fetches rows.
    for (uint32_t turn = 0; turn < drop; ++turn) fleet_.world.Step();
    rows_->Drop(0, 40 + drop);
  }
  ExpectRecords(kNodes);
}

TEST(HeldRows, APieceOfOtherRowsIsNotAdded) {
  HeldRows rows({}, {{"node", {.x = 24}, 10, 100}});
  const auto memory = std::make_shared<std::vector<uint8_t>>(400);
  rows.AddPiece(0, 10, {memory->data(), memory}, 10);
  EXPECT_EQ(rows.view()->types[0].num_rows, 0u);
  rows.AddPiece(0, 0, {memory->data(), memory}, 10);
  rows.AddPiece(0, 0, {memory->data(), memory}, 10);
  EXPECT_EQ(rows.view()->types[0].num_rows, 10u);
}

// The size is chosen by batches.
class CacheSizerTest : public testing::Test, protected HeldFetcherWorld {
 protected:
  using Chosen = std::pair<TrainerCacheSize, CacheForecast::Choice>;
  void StartSizer(uint64_t memory, uint64_t batches) {
    CacheSizerOptions options;
    options.reader = ReaderOf(list_->digest());
    options.schema = graph_->schema();
    options.memory = memory;
    options.batches = batches;
    options.wire_bytes = [this] { return bytes_; };
    options.chosen = [this](absl::StatusOr<Chosen> chosen) {
      chosen_.push_back(std::move(chosen));
    };
    sizer_ = std::make_shared<CacheSizer>(std::move(options));
    strand_->Post([this] { sizer_->Start(); });
  }
  // Delivers batches of nodes until the size is chosen; returns how many.
  int Deliver(const std::vector<int64_t>& ids, int most) {
    const NodeBatch batch(ids, 6 * 4 + 8);
    int batches = 0;
    for (; chosen_.empty() && batches < most; ++batches) {
      strand_->Post([&] {
        sizer_->Observe(batch.view(), batch.view().payload_bytes() - compact_);
      });
      (void)fleet_.world.RunUntil([] { return false; }, absl::Seconds(1));
    }
    return batches;
  }
  // Those of the list's ranks from `from` on.
  std::vector<int64_t> Ranks(size_t from, size_t count) const {
    const auto order = list_->nodes(0)->order;
    return {order.begin() + from, order.begin() + from + count};
  }

  uint64_t bytes_ = 0;
  uint64_t compact_ = 0;  // bytes of a batch that were not sent
  std::vector<absl::StatusOr<Chosen>> chosen_;
  std::shared_ptr<CacheSizer> sizer_;
};

TEST_F(CacheSizerTest, ChoosesByTheBatches) {
  Start({.share = 0.1});
  StartSizer(1 << 20, 10'000);
  // Of 300 rows in one block: read whatever has come, 16 batches are counted.
  EXPECT_EQ(Deliver(Ranks(0, 150), 100), 17);
  ASSERT_TRUE(chosen_.at(0).ok()) << chosen_[0].status();
  const auto& [size, predicted] = *chosen_[0];
  // All batches have the first half of the rows: that is held, no more.
  EXPECT_DOUBLE_EQ(*size.share, 0.5);
  EXPECT_NEAR(predicted.saved, 0.8, 0.01);  // the rest are ids
}

TEST_F(CacheSizerTest, HoldsWhatThereIsMemoryFor) {
  Start({.share = 0.1});
  constexpr uint64_t kRecord = 6 * 4 + 8 + 16;
  StartSizer(75 * kRecord, 10'000);
  bytes_ = uint64_t{1} << 30;
  Deliver(Ranks(0, 150), 100);
  ASSERT_TRUE(chosen_.at(0).ok()) << chosen_[0].status();
  EXPECT_NEAR(*chosen_[0]->first.share, 0.25, 0.01);
  EXPECT_NEAR(chosen_[0]->second.saved, 0.4, 0.01);
}

TEST_F(CacheSizerTest, HoldsNothingThatDoesNotPay) {
  Start({.share = 0.1});
  StartSizer(75 * (6 * 4 + 8 + 16), 10'000);
  bytes_ = uint64_t{1} << 30;
  Deliver(Ranks(60, 150), 100);  // a tenth of the batch
  ASSERT_TRUE(chosen_.at(0).ok()) << chosen_[0].status();
  EXPECT_TRUE(chosen_[0]->first.off());
  EXPECT_NEAR(chosen_[0]->second.saved, 0.08, 0.01);
}

// A batch whose edges are compact has fewer bytes to save from.
TEST_F(CacheSizerTest, WeighsTheBytesThatAreSent) {
  Start({.share = 0.1});
  StartSizer(75 * (6 * 4 + 8 + 16), 10'000);
  bytes_ = uint64_t{1} << 30;
  // 45 of 150 rows of 40 bytes with their ids are held: 0.24 of a batch.
  std::vector<int64_t> ids = Ranks(0, 45);
  for (const int64_t id : Ranks(75, 105)) ids.push_back(id);
  Deliver(ids, 100);
  ASSERT_TRUE(chosen_.at(0).ok()) << chosen_[0].status();
  EXPECT_TRUE(chosen_[0]->first.off());
  EXPECT_NEAR(chosen_[0]->second.saved, 0.24, 0.01);
  chosen_.clear();
  compact_ = 150 * 40 / 4;
  StartSizer(75 * (6 * 4 + 8 + 16), 10'000);
  Deliver(ids, 100);
  ASSERT_TRUE(chosen_.at(0).ok()) << chosen_[0].status();
  EXPECT_FALSE(chosen_[0]->first.off());
  EXPECT_NEAR(chosen_[0]->second.saved, 0.32, 0.01);
}

// Another loader of the process adds rows once the first one has ended.
TEST_F(HeldFetcherTest, AnotherOneGoesOn) {
  allowance_ = kNodes * kListed + 100 * kFetched;
  Start({.share = 1.0});
  ASSERT_TRUE(RunUntilHeld(50));
  const auto other = std::make_shared<HeldFetcher>(OptionsOf({.share = 1.0}));
  strand_->Post([other] { other->Start(); });
  (void)fleet_.world.RunUntil([] { return false; }, absl::Seconds(5));
  EXPECT_LT(num_rows(), 150u);
  EXPECT_EQ(other->fetched_bytes(), 0u);
  strand_->Post([this] { fetcher_->Stop(); });
  allowance_ = UINT64_MAX;
  ExpectRecords(kNodes);
  EXPECT_GT(other->fetched_bytes(), 0u);
  strand_->Post([other] { other->Stop(); });
}

}  // namespace
}  // namespace tributary
