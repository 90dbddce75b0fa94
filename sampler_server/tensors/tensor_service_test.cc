// The calls for mutable rows, against whole servers in virtual time.
#include "sampler_server/tensors/tensor_service.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/tensors/testing/tensor_caller.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TensorServiceTest : public ::testing::Test {
 protected:
  explicit TensorServiceTest(size_t tensor_memory = size_t{16} << 20,
                             const char* weights = nullptr) {
    SimServerOptions options;
    options.graph.num_nodes = 3;
    options.graph.edges = {{1, 0}, {2, 0}};
    options.tensor_memory = tensor_memory;
    if (weights != nullptr) {
      options.admission.weights = *JobWeights::Parse(weights);
    }
    server_ = &fleet_.Add(options);
    v1::TensorMember member;
    member.set_address("server0:1");
    member.set_incarnation(server_->incarnation);
    members_ = {member};
  }

  std::unique_ptr<TensorCaller> Client(uint32_t rank, uint64_t attempt = 1,
                                       const std::string& job = "job") {
    SimExecutor* const node = fleet_.world.AddNode("trainer");
    v1::AttemptRef ref;
    ref.set_job(job);
    const auto& digest = server_->graph->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(attempt);
    ref.set_rank(rank);
    ref.set_client(++clients_);
    return std::make_unique<TensorCaller>(
        fleet_.network.TransportOf(node), server_->address, node,
        [this](const auto& done) {
          fleet_.world.RunUntil(done, absl::Seconds(30));
        },
        std::move(ref));
  }
  // Rank 0 of an attempt that it has opened.
  std::unique_ptr<TensorCaller> Opened(uint32_t world = 1, uint64_t attempt = 1,
                                       const std::string& job = "job") {
    auto client = Client(0, attempt, job);
    const absl::Status opened = client->Open(world, members_, 0);
    EXPECT_TRUE(opened.ok()) << opened;
    return client;
  }
  void RunFor(absl::Duration time) {
    bool passed = false;
    fleet_.world.Schedule(-1, fleet_.world.now() + time,
                          [&] { passed = true; });
    fleet_.world.RunUntil([&] { return passed; }, 2 * time);
  }
  size_t MemoryUsed() { return server_->service->tensors().memory().used(); }

  static absl::Status SetFloats(TensorCaller& client, const std::string& name,
                                const std::vector<uint64_t>& rows,
                                const std::vector<float>& values) {
    return client.Write(name, v1::WRITE_SET, rows.size(),
                        RowsAndValues(rows, values));
  }
  static std::vector<float> Floats(TensorCaller& client,
                                   const std::string& name,
                                   const std::vector<uint64_t>& rows,
                                   uint64_t after_round = 0) {
    const auto reply = client.Read(name, rows, after_round);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->As<float>() : std::vector<float>();
  }
  // A round's part with one push to "t", of one column.
  v1::PushRoundRequest Round(uint64_t round, uint32_t part, bool closes,
                             uint32_t place, size_t num_rows) {
    v1::PushRoundRequest request;
    request.set_round(round);
    request.set_part(part);
    request.set_closes(closes);
    if (num_rows == 0) return request;
    auto& push = *request.add_pushes();
    push.set_name("t");
    push.set_num_rows(num_rows);
    push.set_place(place);
    push.mutable_step()->set_learning_rate(-1);
    return request;
  }
  static absl::StatusOr<TensorReply<v1::PushRoundReply>> Push(
      TensorCaller& client, const v1::PushRoundRequest& request,
      const std::vector<uint64_t>& rows = {},
      const std::vector<float>& gradients = {}) {
    return client.Ask<v1::PushRoundReply>(MessageKind::kPushRoundRequest,
                                          request,
                                          RowsAndValues(rows, gradients));
  }

  SimFleet fleet_{1};
  SimServer* server_ = nullptr;
  std::vector<v1::TensorMember> members_;
  uint64_t clients_ = 0;
};

TEST_F(TensorServiceTest, RowsAreSetAddedToAndRead) {
  const auto client = Opened();
  const auto created = client->Create(FloatSpec("t", 100, 2));
  ASSERT_TRUE(created.ok()) << created.status();
  EXPECT_FALSE(created->header.existed());
  ASSERT_EQ(created->header.members_size(), 1);
  EXPECT_EQ(created->header.members(0).address(), "server0:1");
  EXPECT_TRUE(SetFloats(*client, "t", {5, 7, 5}, {1, 2, 3, 4, 5, 6}).ok());
  EXPECT_TRUE(client
                  ->Write("t", v1::WRITE_ADD, 2,
                          RowsAndValues<float>({7, 7}, {1, 1, 1, 1}))
                  .ok());
  EXPECT_THAT(Floats(*client, "t", {7, 6, 5}), ElementsAre(5, 6, 0, 0, 5, 6));
  EXPECT_TRUE(client->Create(FloatSpec("t", 100, 2))->header.existed());
  EXPECT_EQ(client->Create(FloatSpec("t", 101, 2)).status().code(),
            absl::StatusCode::kAlreadyExists);
}

// Two runs with the default --worker-key end each other.
void ExpectNamesTheOtherRun(const absl::Status& status) {
  EXPECT_THAT(status.message(), HasSubstr(" has opened: a later start of this "
                                          "run, or another run of the same "
                                          "name"));
  EXPECT_THAT(status.message(), HasSubstr("--worker-key"));
}

TEST_F(TensorServiceTest, AnAttemptIsOpenedByItsNumber) {
  const auto first = Opened(2, 5);
  EXPECT_TRUE(first->Open(2, members_, 0).ok());  // again
  ASSERT_TRUE(first->Create(FloatSpec("t", 100, 2)).ok());
  const auto other = Client(0, 5);
  EXPECT_THAT(other->Open(2, members_, 0).message(),
              HasSubstr("is open for another client"));
  const auto older = Client(0, 4);
  EXPECT_THAT(older->Open(2, members_, 0).message(),
              HasSubstr("attempt 4 of job 'job' is older than attempt 5"));
  const auto second = Opened(2, 6);
  EXPECT_EQ(MemoryUsed(), 0u);  // its tensor was dropped
  EXPECT_THAT(first->Create(FloatSpec("t", 100, 2)).status().message(),
              HasSubstr("attempt 5 of job 'job' is not open; attempt 6"));
  ExpectNamesTheOtherRun(first->Create(FloatSpec("t", 100, 2)).status());
  ExpectNamesTheOtherRun(older->Open(2, members_, 0));
  EXPECT_EQ(first->Create(FloatSpec("t", 100, 2)).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(second->CloseAttempt().ok());
  EXPECT_THAT(second->Create(FloatSpec("t", 100, 2)).status().message(),
              HasSubstr("was closed by its rank 0"));
  EXPECT_THAT(Client(0, 6)->Open(2, members_, 0).message(),
              HasSubstr("has ended"));
}

TEST_F(TensorServiceTest, OtherRanksJoinWhatRankZeroHasOpened) {
  const auto joiner = Client(1, 0);
  const auto join = [](TensorCaller& client) {
    return client.Ask<v1::JoinAttemptReply>(MessageKind::kJoinAttemptRequest,
                                            v1::JoinAttemptRequest());
  };
  EXPECT_EQ(join(*joiner).status().code(), absl::StatusCode::kNotFound);
  const auto first = Opened(3, 5);
  const auto joined = join(*joiner);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->header.attempt(), 5u);
  EXPECT_EQ(joined->header.world(), 3u);
  // A rank that starts again waits for a new attempt.
  const auto again = Client(1, 0);
  EXPECT_EQ(join(*again).status().code(), absl::StatusCode::kNotFound);
  again->ref().set_attempt(5);
  EXPECT_THAT(join(*again).status().message(), HasSubstr("another process"));
  again->ref().set_attempt(6);
  EXPECT_EQ(join(*again).status().code(), absl::StatusCode::kNotFound);
  again->ref().set_attempt(4);
  EXPECT_EQ(join(*again).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const auto beyond = Client(3, 0);
  EXPECT_EQ(join(*beyond).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(TensorServiceTest, TheServerIsTheOneThatIsMeant) {
  const auto client = Client(0);
  auto members = members_;
  members[0].set_incarnation(77);
  EXPECT_THAT(client->Open(1, members, 0).message(),
              HasSubstr("it has started again, or is another one"));
  EXPECT_FALSE(client->Open(0, members_, 0).ok());
  EXPECT_FALSE(client->Open(1, members_, 1).ok());
  client->ref().set_content_digest(std::string(32, 'x'));
  EXPECT_EQ(client->Open(1, members_, 0).code(),
            absl::StatusCode::kFailedPrecondition);
  client->ref().set_content_digest("short");
  EXPECT_EQ(client->Open(1, members_, 0).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TensorServiceTest, AnAttemptThatNoStreamUsesEnds) {
  auto client = Opened();
  ASSERT_TRUE(client->Create(FloatSpec("t", 100, 2)).ok());
  auto spec = FloatSpec("p", 100, 2);
  spec.set_persistent(true);
  ASSERT_TRUE(client->Create(spec).ok());
  ASSERT_TRUE(SetFloats(*client, "p", {3}, {1, 2}).ok());
  const v1::AttemptRef ref = client->ref();
  // Back within a minute.
  client = nullptr;
  RunFor(absl::Seconds(50));
  auto back = Client(0);
  back->ref() = ref;
  EXPECT_TRUE(back->Create(FloatSpec("t", 100, 2))->header.existed());
  RunFor(absl::Seconds(70));
  EXPECT_TRUE(back->Create(FloatSpec("t", 100, 2))->header.existed());
  back = nullptr;
  RunFor(absl::Seconds(70));
  back = Client(0);
  back->ref() = ref;
  EXPECT_THAT(back->Create(FloatSpec("t", 100, 2)).status().message(),
              HasSubstr("none of its ranks was connected for 1m"));
  // The persistent tensor stays, for the next attempt.
  const auto next = Opened(1, 2);
  EXPECT_EQ(next->Read("p", {3}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(next->Create(spec)->header.existed());
  EXPECT_THAT(Floats(*next, "p", {3}), ElementsAre(1, 2));
  EXPECT_FALSE(next->Create(FloatSpec("t", 100, 2))->header.existed());
}

TEST_F(TensorServiceTest, RanksMeet) {
  const auto first = Opened(2);
  const auto second = Client(1);
  v1::MeetRequest request;
  request.set_sequence(1);
  request.set_purpose("barrier");
  request.set_value("a");
  request.set_timeout_ms(1000);
  std::vector<std::string> met;
  first->Start<v1::MeetReply>(MessageKind::kMeetRequest, request, {},
                              [&](auto reply) {
                                ASSERT_TRUE(reply.ok()) << reply.status();
                                met.assign(reply->header.values().begin(),
                                           reply->header.values().end());
                              });
  RunFor(absl::Milliseconds(500));
  request.set_value("b");
  const auto reply =
      second->Ask<v1::MeetReply>(MessageKind::kMeetRequest, request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_THAT(reply->header.values(), ElementsAre("a", "b"));
  RunFor(absl::Milliseconds(1));
  EXPECT_THAT(met, ElementsAre("a", "b"));
  request.set_sequence(2);
  const auto late =
      second->Ask<v1::MeetReply>(MessageKind::kMeetRequest, request);
  EXPECT_THAT(late.status().message(), HasSubstr("rank 0 of 2 did not come"));
}

TEST_F(TensorServiceTest, ReadsWaitForTheRoundAndSeeItWhole) {
  const auto first = Opened(2);
  const auto second = Client(1);
  ASSERT_TRUE(first->Create(FloatSpec("t", 100, 1)).ok());
  EXPECT_EQ(Push(*first, Round(1, 0, true, 0, 1), {1}, {1}).status().code(),
            absl::StatusCode::kFailedPrecondition);  // no optimizer
  ASSERT_TRUE(first->Attach("t", v1::SPARSE_SGD).ok());
  ASSERT_TRUE(Push(*first, Round(1, 0, true, 0, 2), {1, 2}, {1, 2}).ok());
  std::vector<float> read;
  v1::ReadRowsRequest request;
  request.set_name("t");
  request.set_num_rows(3);
  request.set_after_round(1);
  request.set_max_reply_bytes(4096);
  request.set_timeout_ms(5000);
  first->Start<v1::ReadRowsReply>(MessageKind::kReadRowsRequest, request,
                                  RowsAndValues<uint8_t>({1, 2, 3}, {}),
                                  [&](auto reply) {
                                    ASSERT_TRUE(reply.ok()) << reply.status();
                                    EXPECT_EQ(reply->header.round(), 1u);
                                    read = reply->template As<float>();
                                  });
  // Its next round waits as well, without holding up the other rank.
  bool pushed = false;
  first->Start<v1::PushRoundReply>(MessageKind::kPushRoundRequest,
                                   Round(2, 0, true, 0, 0), {},
                                   [&](auto reply) { pushed = reply.ok(); });
  RunFor(absl::Milliseconds(100));
  EXPECT_TRUE(read.empty());
  EXPECT_FALSE(pushed);
  const auto closed = Push(*second, Round(1, 0, true, 1, 2), {2, 3}, {10, 20});
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->header.round(), 1u);
  RunFor(absl::Milliseconds(100));
  EXPECT_THAT(read, ElementsAre(1, 12, 20));
  EXPECT_TRUE(pushed);
  EXPECT_EQ(server_->service->tensors().staging().used(), 0u);
  // Rows that the round has changed, and others.
  const auto changed = second->Read("t", {3, 4, 1}, 1, 1);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed->payload.size(), 8u);
  EXPECT_EQ(changed->payload[0], 0);
  // Rank 1 is missing in round 2.
  const auto late = first->Read("t", {1}, 2);
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(late.status().message(),
              HasSubstr("rank 1 of 2 have not closed"));
}

TEST_F(TensorServiceTest, ChangedRowsAloneAreReadAgain) {
  const auto client = Opened();
  ASSERT_TRUE(client->Create(FloatSpec("t", 100, 1)).ok());
  ASSERT_TRUE(client->Attach("t", v1::SPARSE_SGD).ok());
  ASSERT_TRUE(Push(*client, Round(1, 0, true, 0, 2), {1, 2}, {1, 2}).ok());
  ASSERT_TRUE(Push(*client, Round(2, 0, true, 0, 2), {2, 9}, {5, 6}).ok());
  const auto reply = client->Read("t", {1, 2, 9, 10}, 2, 1);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->payload[0], 0b0110);
  EXPECT_THAT(reply->As<float>(8), ElementsAre(7, 6));
}

TEST_F(TensorServiceTest, ANewerAttemptEndsTheWaitsOfTheOlder) {
  const auto first = Opened(2);
  ASSERT_TRUE(first->Create(FloatSpec("t", 100, 1)).ok());
  absl::Status ended;
  v1::ReadRowsRequest request;
  request.set_name("t");
  request.set_after_round(1);
  request.set_timeout_ms(60'000);
  first->Start<v1::ReadRowsReply>(MessageKind::kReadRowsRequest, request, {},
                                  [&](auto reply) { ended = reply.status(); });
  RunFor(absl::Milliseconds(10));
  EXPECT_TRUE(ended.ok());
  const auto second = Opened(2, 2);
  RunFor(absl::Milliseconds(10));
  EXPECT_THAT(ended.message(), HasSubstr("was replaced by attempt 2"));
  ExpectNamesTheOtherRun(ended);
}

TEST_F(TensorServiceTest, RequestsAreCheckedBeforeTheyAreUsed) {
  const auto client = Opened();
  ASSERT_TRUE(client->Create(FloatSpec("t", 100, 2)).ok());
  EXPECT_EQ(client->Read("t", {99, 100}).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(client->Read("u", {1}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(SetFloats(*client, "t", {1}, {1, 2, 3}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SetFloats(*client, "t", {1, 200}, {1, 2, 3, 4}).code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_THAT(Floats(*client, "t", {1}), ElementsAre(0, 0));
  v1::ReadRowsRequest read;
  read.set_name("t");
  read.set_num_rows(uint64_t{1} << 61);  // times 8 is 0
  read.set_max_reply_bytes(100);
  EXPECT_EQ(client->Ask<v1::ReadRowsReply>(MessageKind::kReadRowsRequest, read)
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  for (const auto& [rows, dim] : std::vector<std::pair<uint64_t, uint32_t>>{
           {0, 1}, {(uint64_t{1} << 48) + 1, 1}, {10, 1 << 20}}) {
    EXPECT_EQ(client->Create(FloatSpec("x", rows, dim)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  auto spec = FloatSpec("x", 10, 1);
  spec.set_dtype(99);
  EXPECT_FALSE(client->Create(spec).ok());
  spec = FloatSpec(std::string(301, 'x'), 10, 1);
  EXPECT_FALSE(client->Create(spec).ok());
  auto bools = FloatSpec("b", 10, 1);
  bools.set_dtype(static_cast<uint32_t>(DType::kBool));
  ASSERT_TRUE(client->Create(bools).ok());
  EXPECT_THAT(
      client->Write("b", v1::WRITE_ADD, 1, RowsAndValues<uint8_t>({1}, {1}))
          .message(),
      HasSubstr("bool"));
  EXPECT_EQ(client->Attach("b", v1::SPARSE_SGD).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(TensorServiceTest, UnknownFieldsOfASpecificationAreRefused) {
  const auto client = Opened();
  auto spec = FloatSpec("x", 10, 1);
  spec.GetReflection()->MutableUnknownFields(&spec)->AddVarint(99, 1);
  EXPECT_THAT(client->Create(spec).status().message(),
              HasSubstr("field 99 of tributary.v1.TensorSpec for tensor 'x' is "
                        "unknown to this server"));
  spec = FloatSpec("x", 10, 1);
  v1::InitialValue& initial = *spec.mutable_initial();
  initial.GetReflection()->MutableUnknownFields(&initial)->AddVarint(98, 1);
  EXPECT_THAT(client->Create(spec).status().message(), HasSubstr("field 98"));
  EXPECT_EQ(MemoryUsed(), 0u);
}

TEST_F(TensorServiceTest, RowsOfOtherServersAreRefused) {
  const auto client = Client(0);
  v1::TensorMember other;
  other.set_address("server1:1");
  members_.push_back(other);
  ASSERT_TRUE(client->Open(1, members_, 0).ok());
  ASSERT_TRUE(client->Create(FloatSpec("t", 100'000, 1)).ok());
  const RowPlacement placement = *RowPlacement::Create(
      {{"server0:1", server_->incarnation}, {"server1:1", 0}});
  uint64_t mine = 0, theirs = 0;
  while (placement.MemberOf(mine) != 0) ++mine;
  while (placement.MemberOf(theirs) != 1) ++theirs;
  EXPECT_TRUE(client->Read("t", {mine}).ok());
  EXPECT_THAT(client->Read("t", {mine, theirs}).status().message(),
              HasSubstr("is on server1:1, not on this server"));
}

TEST_F(TensorServiceTest, TensorsAreListedAndDropped) {
  const auto client = Opened();
  auto spec = FloatSpec("p", 100, 2);
  spec.set_persistent(true);
  ASSERT_TRUE(client->Create(spec).ok());
  ASSERT_TRUE(client->Create(FloatSpec("t", 100, 2)).ok());
  ASSERT_TRUE(SetFloats(*client, "p", {5, 6}, {1, 2, 3, 4}).ok());
  const auto operators = Client(0);
  const auto list = [&] {
    return operators
        ->Ask<v1::ListTensorsReply>(MessageKind::kListTensorsRequest,
                                    v1::ListTensorsRequest())
        ->header;
  };
  const auto drop = [&](TensorCaller& by, const std::string& name) {
    v1::DropTensorRequest request;
    request.set_name(name);
    return by.Ask<v1::DropTensorReply>(MessageKind::kDropTensorRequest,
                                       request);
  };
  const auto listed = list();
  ASSERT_EQ(listed.tensors_size(), 2);
  EXPECT_EQ(listed.tensors(0).spec().name(), "p");
  EXPECT_EQ(listed.tensors(0).written_rows(), 2u);
  EXPECT_EQ(listed.tensors(0).attempt(), 1u);
  EXPECT_EQ(listed.memory_used(), 2 * 3 * 4096u);  // a page for each part
  EXPECT_TRUE(drop(*client, "t")->header.existed());
  EXPECT_FALSE(drop(*client, "t")->header.existed());
  operators->ref().set_attempt(0);
  EXPECT_THAT(drop(*operators, "p").status().message(),
              HasSubstr("attempt 1 of job 'job' uses tensor 'p'"));
  ASSERT_TRUE(client->CloseAttempt().ok());
  EXPECT_EQ(list().tensors(0).attempt(), 0u);
  EXPECT_TRUE(drop(*operators, "p")->header.existed());
  EXPECT_EQ(list().tensors_size(), 0);
  EXPECT_EQ(MemoryUsed(), 0u);
}

TEST_F(TensorServiceTest, ExportsAndImportsGoByPages) {
  const auto client = Opened();
  ASSERT_TRUE(client->Create(FloatSpec("t", 1000, 1)).ok());
  ASSERT_TRUE(client->Create(FloatSpec("u", 1000, 1)).ok());
  ASSERT_TRUE(SetFloats(*client, "t", {900, 3, 70}, {9, 3, 7}).ok());
  v1::ExportRowsRequest request;
  request.set_name("t");
  request.set_max_reply_bytes(24);  // two rows of 12 bytes
  uint64_t sequence = 9;
  std::vector<uint64_t> rows;
  for (bool done = false; !done;) {
    auto page = client->Ask<v1::ExportRowsReply>(
        MessageKind::kExportRowsRequest, request);
    ASSERT_TRUE(page.ok()) << page.status();
    for (size_t i = 0; i < page->header.num_rows(); ++i) {
      rows.push_back(page->As<uint64_t>()[i]);
    }
    request.set_cursor(page->header.next_cursor());
    done = page->header.done();
    v1::ImportRowsRequest import;
    import.set_name("u");
    import.set_num_rows(page->header.num_rows());
    import.set_sequence(++sequence);
    import.set_oldest_open(1);
    ASSERT_TRUE(client
                    ->Ask<v1::ImportRowsReply>(MessageKind::kImportRowsRequest,
                                               import, page->payload)
                    .ok());
  }
  EXPECT_THAT(rows, ElementsAre(3, 70, 900));
  EXPECT_THAT(Floats(*client, "u", {3, 70, 900, 4}), ElementsAre(3, 7, 9, 0));
  v1::CopyTensorRequest copy;
  copy.set_from("u");
  copy.set_to("t");
  ASSERT_TRUE(SetFloats(*client, "u", {4}, {44}).ok());
  ASSERT_TRUE(
      client->Ask<v1::CopyTensorReply>(MessageKind::kCopyTensorRequest, copy)
          .ok());
  EXPECT_THAT(Floats(*client, "t", {3, 4}), ElementsAre(3, 44));
  request.set_max_reply_bytes(11);
  EXPECT_EQ(
      client->Ask<v1::ExportRowsReply>(MessageKind::kExportRowsRequest, request)
          .status()
          .code(),
      absl::StatusCode::kInvalidArgument);
}

TEST_F(TensorServiceTest, ADrainWaitsForAttemptsWithRowsAndSaysSo) {
  const auto client = Opened();
  ASSERT_TRUE(client->Create(FloatSpec("t", 100, 1)).ok());
  bool drained = false;
  server_->service->Drain(fleet_.world.now() + absl::Seconds(100),
                          [&] { drained = true; });
  RunFor(absl::Seconds(10));
  EXPECT_FALSE(drained);
  EXPECT_TRUE(client->Read("t", {1})->header.draining());
  EXPECT_EQ(Client(0, 2)->Open(1, members_, 0).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(client->CloseAttempt().ok());
  RunFor(absl::Milliseconds(1));
  EXPECT_TRUE(drained);
}

TEST_F(TensorServiceTest, ADrainEndsAttemptsAtItsDeadline) {
  const auto client = Opened();
  ASSERT_TRUE(client->Create(FloatSpec("t", 100, 1)).ok());
  bool drained = false;
  server_->service->Drain(fleet_.world.now() + absl::Seconds(5),
                          [&] { drained = true; });
  RunFor(absl::Seconds(6));
  EXPECT_TRUE(drained);
  EXPECT_THAT(client->Read("t", {1}).status().message(),
              HasSubstr("grace period is over"));
}

TEST_F(TensorServiceTest, AGraphIsNotGoneWhileAnAttemptIsOpen) {
  const auto client = Opened();
  bool gone = false;
  ASSERT_TRUE(server_->service
                  ->RetireGraph(server_->graph->schema().layout_digest,
                                fleet_.world.now(), [&] { gone = true; })
                  .ok());
  RunFor(absl::Seconds(10));
  EXPECT_FALSE(gone);
  ASSERT_TRUE(client->CloseAttempt().ok());
  RunFor(absl::Milliseconds(1));
  EXPECT_TRUE(gone);
}

class SmallTensorMemoryTest : public TensorServiceTest {
 protected:
  SmallTensorMemoryTest() : TensorServiceTest(25'000) {}
};

TEST_F(SmallTensorMemoryTest, ATensorIsRefusedWholeIfItDoesNotFit) {
  const auto client = Opened();
  ASSERT_TRUE(client->Create(FloatSpec("t", 1024, 1)).ok());  // 12288 bytes
  const auto refused = client->Create(FloatSpec("u", 2048, 1));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("'u' needs 16384 bytes on this server; 12712 of the "
                        "25000 of --tensor-memory are free"));
  EXPECT_EQ(client->Attach("t", v1::SPARSE_ADAM).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(client->Attach("t", v1::SPARSE_SGD).ok());
  EXPECT_EQ(MemoryUsed(), 12288u + 4096);
}

TEST_F(SmallTensorMemoryTest, ARankStagesItsShare) {
  const auto client = Opened(2);
  ASSERT_TRUE(client->Create(FloatSpec("t", 128, 1)).ok());
  ASSERT_TRUE(client->Attach("t", v1::SPARSE_SGD).ok());
  std::vector<uint64_t> rows(60);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto refused = Push(*client, Round(1, 0, true, 0, rows.size()), rows,
                            std::vector<float>(rows.size(), 1));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("for 2 ranks, is 1562: raise --tensor-memory"));
  rows.resize(5);
  EXPECT_TRUE(Push(*client, Round(1, 0, true, 0, rows.size()), rows,
                   std::vector<float>(rows.size(), 1))
                  .ok());
}

class NoTensorMemoryTest : public TensorServiceTest {
 protected:
  NoTensorMemoryTest() : TensorServiceTest(0) {}
};

TEST_F(NoTensorMemoryTest, TheServerSaysThatItHoldsNone) {
  EXPECT_THAT(Opened()->Create(FloatSpec("t", 10, 1)).status().message(),
              HasSubstr("its --tensor-memory is 0"));
}

class WeightedTensorsTest : public TensorServiceTest {
 protected:
  WeightedTensorsTest() : TensorServiceTest(96'000, "a=2,b=1,*=1") {}
};

TEST_F(WeightedTensorsTest, AJobHasItsShareOfTheMemory) {
  const auto a = Opened(1, 1, "a");
  const auto b = Opened(1, 1, "b");
  EXPECT_TRUE(a->Create(FloatSpec("t", 8192, 1)).ok());  // 40960 of 48000
  const auto refused = b->Create(FloatSpec("t", 8192, 1));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("24000 of the 24000 of --tensor-memory that "
                        "--job-weights give to job 'b' are free"));
  // Jobs that are not listed share one part.
  const auto c = Opened(1, 1, "c");
  const auto d = Opened(1, 1, "d");
  EXPECT_TRUE(c->Create(FloatSpec("t", 2048, 1)).ok());  // 16384
  EXPECT_THAT(d->Create(FloatSpec("t", 2048, 1)).status().message(),
              HasSubstr("7616 of the 24000"));
}

class StrangersTest : public TensorServiceTest {
 protected:
  StrangersTest() : TensorServiceTest(12'000, "a=2,*=0") {}
};

TEST_F(StrangersTest, JobsThatAreNotServedOpenNothing) {
  EXPECT_EQ(Client(0, 1, "b")->Open(1, members_, 0).code(),
            absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace tributary
