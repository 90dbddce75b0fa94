// Calls that take many steps, in virtual time on one data thread: what ends
// them, what does not, and what others may do meanwhile.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/observe/log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/tensors/testing/tensor_caller.h"
#include "sampler_server/testing/caller_world.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kRows = 40'000;
constexpr uint32_t kDim = 16;  // of normal values: 38 ms for all rows

class SteppedCallsTest : public ::testing::Test {
 protected:
  SteppedCallsTest() {
    SetLogLevel(LogLevel::kOff);
    SimServerOptions options;
    options.graph.num_nodes = 3;
    options.graph.edges = {{1, 0}, {2, 0}};
    options.tensor_memory = size_t{64} << 20;
    options.data_threads = 1;
    server_ = &fleet_.Add(options);
  }

  std::unique_ptr<TensorCaller> Client(uint64_t attempt,
                                       const std::string& job = "job",
                                       uint64_t client = 0) {
    SimExecutor* const node = fleet_.world.AddNode("trainer");
    v1::AttemptRef ref;
    ref.set_job(job);
    const auto& digest = server_->graph->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(attempt);
    ref.set_client(client == 0 ? ++clients_ : client);
    return std::make_unique<TensorCaller>(
        fleet_.network.TransportOf(node), server_->address, node,
        [this](const auto& done) {
          fleet_.world.RunUntil(done, absl::Seconds(30));
        },
        std::move(ref));
  }
  absl::Status Open(TensorCaller& client) {
    v1::TensorMember member;
    member.set_address(server_->address.ToString());
    member.set_incarnation(server_->incarnation);
    return client.Open(1, {member}, 0);
  }
  // An attempt with two tensors of normal values, `persistent` or not.
  std::unique_ptr<TensorCaller> Opened(bool persistent = false) {
    auto client = Client(1);
    EXPECT_TRUE(Open(*client).ok());
    for (const char* name : {"a", "b"}) {
      EXPECT_TRUE(client->Create(Normal(name, persistent)).ok());
    }
    return client;
  }
  static v1::TensorSpec Normal(const std::string& name, bool persistent) {
    v1::TensorSpec spec = FloatSpec(name, kRows, kDim);
    spec.mutable_initial()->set_kind(v1::INITIAL_NORMAL);
    spec.mutable_initial()->set_high(1);
    spec.set_persistent(persistent);
    return spec;
  }
  void RunFor(absl::Duration time) {
    bool passed = false;
    fleet_.world.Schedule(-1, fleet_.world.now() + time,
                          [&] { passed = true; });
    fleet_.world.RunUntil([&] { return passed; }, 2 * time);
  }
  absl::Duration Busy() const { return server_->service->data_time(); }

  // Starts a copy and runs it for 10 ms.
  CallClient::CallId StartCopy(TensorCaller& client, uint64_t timeout_ms = 0) {
    v1::CopyTensorRequest request;
    request.set_from("a");
    request.set_to("b");
    request.set_timeout_ms(timeout_ms);
    const auto id = client.Start<v1::CopyTensorReply>(
        MessageKind::kCopyTensorRequest, request, {},
        [this](const auto& reply) { copied_ = reply.status(); });
    RunFor(absl::Milliseconds(10));
    EXPECT_GT(Busy(), absl::Milliseconds(5));
    return id;
  }
  // Adds 1 to all values of the first `rows` rows of "a".
  static v1::WriteRowsRequest Addition(uint64_t rows, uint64_t sequence) {
    v1::WriteRowsRequest request;
    request.set_name("a");
    request.set_op(v1::WRITE_ADD);
    request.set_num_rows(rows);
    request.set_sequence(sequence);
    request.set_oldest_open(1);
    return request;
  }
  static std::vector<uint8_t> Ones(uint64_t rows) {
    std::vector<uint64_t> numbers;
    for (uint64_t row = 0; row < rows; ++row) numbers.push_back(row);
    return RowsAndValues(numbers, std::vector<float>(rows * kDim, 1));
  }
  static std::vector<float> RowOf(TensorCaller& client, uint64_t row) {
    const auto reply = client.Read("a", {row});
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->As<float>() : std::vector<float>();
  }

  SimFleet fleet_{1};
  SimServer* server_ = nullptr;
  uint64_t clients_ = 0;
  absl::Status copied_ = absl::UnknownError("no answer came");
};

TEST_F(SteppedCallsTest, ACopyThatNobodyWaitsForEnds) {
  const auto client = Opened();
  const auto copy = StartCopy(*client);
  client->calls().Cancel(copy);
  RunFor(absl::Milliseconds(2));
  const absl::Duration then = Busy();
  RunFor(absl::Milliseconds(100));
  EXPECT_EQ(Busy(), then);
  EXPECT_LT(then, absl::Milliseconds(20));
}

TEST_F(SteppedCallsTest, ACopyEndsWithItsStream) {
  auto client = Opened();
  StartCopy(*client);
  client = nullptr;
  RunFor(absl::Milliseconds(2));
  const absl::Duration then = Busy();
  RunFor(absl::Milliseconds(100));
  EXPECT_EQ(Busy(), then);
}

TEST_F(SteppedCallsTest, ACopyEndsWhenItsTimeIsOver) {
  const auto client = Opened();
  StartCopy(*client, 20);
  RunFor(absl::Milliseconds(15));
  EXPECT_TRUE(absl::IsDeadlineExceeded(copied_)) << copied_;
  EXPECT_LT(Busy(), absl::Milliseconds(25));
}

TEST_F(SteppedCallsTest, ANewerAttemptEndsACopy) {
  const auto client = Opened();
  StartCopy(*client);
  const auto newer = Client(2);
  const absl::Time start = fleet_.world.now();
  ASSERT_TRUE(Open(*newer).ok());
  EXPECT_LT(fleet_.world.now() - start, absl::Milliseconds(3));
  RunFor(absl::Milliseconds(1));
  EXPECT_THAT(copied_.message(), HasSubstr("was replaced by attempt 2"));
}

// Its number says whether it was done. The newer attempt waits for it, and
// nobody else waits for the newer attempt.
TEST_F(SteppedCallsTest, AWriteThatHasBegunIsDoneBeforeANewerAttemptOpens) {
  auto client = Opened(/*persistent=*/true);
  const std::vector<float> first = RowOf(*client, 0);
  const std::vector<float> last = RowOf(*client, kRows - 1);
  const auto write = client->Start<v1::WriteRowsReply>(
      MessageKind::kWriteRowsRequest, Addition(kRows, 1), Ones(kRows),
      [](const auto&) {});
  RunFor(absl::Milliseconds(10));
  client->calls().Cancel(write);
  const auto newer = Client(2);
  bool opened = false;
  v1::OpenAttemptRequest request;
  request.set_world(1);
  v1::TensorMember& member = *request.add_members();
  member.set_address(server_->address.ToString());
  member.set_incarnation(server_->incarnation);
  newer->Start<v1::OpenAttemptReply>(MessageKind::kOpenAttemptRequest, request,
                                     {}, [&](const auto& reply) {
                                       EXPECT_TRUE(reply.ok());
                                       opened = true;
                                     });
  RunFor(absl::Milliseconds(5));
  EXPECT_FALSE(opened);
  // Others do what they like meanwhile.
  const absl::Time start = fleet_.world.now();
  const auto other = Client(1, "other");
  ASSERT_TRUE(Open(*other).ok());
  ASSERT_TRUE(other->Create(FloatSpec("t", 100, 1)).ok());
  ASSERT_TRUE(other->CloseAttempt().ok());
  EXPECT_LT(fleet_.world.now() - start, absl::Milliseconds(10));
  EXPECT_FALSE(opened);
  fleet_.world.RunUntil([&] { return opened; }, absl::Seconds(1));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(newer->Create(Normal("a", true))->header.existed());
  for (const auto& [row, before] :
       {std::pair(uint64_t{0}, first), std::pair(kRows - 1, last)}) {
    const std::vector<float> now = RowOf(*newer, row);
    ASSERT_EQ(now.size(), kDim);
    for (size_t c = 0; c < kDim; ++c) EXPECT_EQ(now[c], before[c] + 1);
  }
}

// An older client of the same process asks twice, a newer attempt replaces what
// has not opened yet.
TEST_F(SteppedCallsTest, AnAttemptThatIsNotOpenYetMayBeReplaced) {
  auto client = Opened(/*persistent=*/true);
  client->Start<v1::WriteRowsReply>(MessageKind::kWriteRowsRequest,
                                    Addition(kRows, 1), Ones(kRows),
                                    [](const auto&) {});
  RunFor(absl::Milliseconds(10));
  std::vector<std::unique_ptr<TensorCaller>> callers;
  std::vector<std::string> answers;
  const auto open = [&](uint64_t attempt, uint64_t as) {
    callers.push_back(Client(attempt, "job", as));
    v1::OpenAttemptRequest request;
    request.set_world(1);
    v1::TensorMember& member = *request.add_members();
    member.set_address(server_->address.ToString());
    member.set_incarnation(server_->incarnation);
    callers.back()->Start<v1::OpenAttemptReply>(
        MessageKind::kOpenAttemptRequest, request, {},
        [&answers, attempt, as](const auto& reply) {
          answers.push_back(absl::StrCat(attempt, " of ", as, ": ",
                                         reply.status().message()));
        });
    RunFor(absl::Milliseconds(2));
  };
  open(2, 50);
  open(2, 50);
  open(2, 51);
  EXPECT_THAT(answers, ElementsAre(HasSubstr("2 of 51: attempt 2 of job 'job' "
                                             "is open for another client")));
  answers.clear();
  open(3, 52);
  EXPECT_THAT(answers, ElementsAre(HasSubstr("2 of 50: attempt 2 of job 'job' "
                                             "was replaced by attempt 3"),
                                   HasSubstr("2 of 50: ")));
  answers.clear();
  fleet_.world.RunUntil([&] { return !answers.empty(); }, absl::Seconds(1));
  EXPECT_THAT(answers, ElementsAre("3 of 52: "));
}

TEST_F(SteppedCallsTest, AWriteThatComesTwiceAtOnceIsDoneOnce) {
  const auto client = Opened();
  const auto twin = Client(1, "job", client->ref().client());
  const std::vector<float> before = RowOf(*client, kRows - 1);
  int answered = 0;
  for (const auto& caller : {client.get(), twin.get()}) {
    caller->Start<v1::WriteRowsReply>(
        MessageKind::kWriteRowsRequest, Addition(kRows, 1), Ones(kRows),
        [&](const auto& reply) {
          EXPECT_TRUE(reply.ok()) << reply.status();
          ++answered;
        });
  }
  // Neither is told that it is done before it is.
  fleet_.world.RunUntil([&] { return answered > 0; }, absl::Seconds(1));
  const std::vector<float> now = RowOf(*client, kRows - 1);
  ASSERT_EQ(now.size(), kDim);
  for (size_t c = 0; c < kDim; ++c) EXPECT_EQ(now[c], before[c] + 1);
  fleet_.world.RunUntil([&] { return answered == 2; }, absl::Seconds(1));
  EXPECT_EQ(answered, 2);
  EXPECT_EQ(RowOf(*client, kRows - 1), now);
}

TEST_F(SteppedCallsTest, AReadOfAnotherJobWaitsForLittleMoreThanAStep) {
  const auto client = Opened();
  StartCopy(*client);
  const auto other = Client(1, "other");
  ASSERT_TRUE(Open(*other).ok());
  ASSERT_TRUE(other->Create(FloatSpec("t", 100, 1)).ok());
  absl::Duration most;
  for (int i = 0; i < 10; ++i) {
    const absl::Time start = fleet_.world.now();
    ASSERT_TRUE(other->Read("t", {1, 2, 3}).ok());
    most = std::max(most, fleet_.world.now() - start);
  }
  // Both ways take 0.4 ms at most, a step 0.1 ms.
  EXPECT_LT(most, absl::Milliseconds(1));
  EXPECT_TRUE(absl::IsUnknown(copied_));  // it has not ended before
}

TEST_F(SteppedCallsTest, ServersAndPushesOfARequestAreCountedBeforeItIsParsed) {
  const auto client = Client(1);
  v1::OpenAttemptRequest open;
  open.set_world(1);
  for (int i = 0; i < 1025; ++i) open.add_members()->set_address("a");
  EXPECT_THAT(
      client->Ask<v1::OpenAttemptReply>(MessageKind::kOpenAttemptRequest, open)
          .status()
          .message(),
      HasSubstr("1025 servers that hold rows; allowed: 1024"));
  v1::PushRoundRequest push;
  for (int i = 0; i < 1025; ++i) push.add_pushes();
  EXPECT_THAT(
      client->Ask<v1::PushRoundReply>(MessageKind::kPushRoundRequest, push)
          .status()
          .message(),
      HasSubstr("1025 pushes; allowed: 1024"));
}

TEST_F(SteppedCallsTest, TheAddressesOfServersAreBounded) {
  const auto client = Client(1);
  for (const size_t bytes : {size_t{0}, size_t{301}, size_t{200} << 10}) {
    v1::TensorMember member;
    member.set_address(std::string(bytes, 'x'));
    member.set_incarnation(server_->incarnation);
    const absl::Duration before = Busy();
    EXPECT_THAT(
        client->Open(1, {member}, 0).message(),
        HasSubstr(absl::StrCat("of ", bytes, " bytes; allowed: 1 to 300")));
    // Parsing it is all that it costs.
    EXPECT_LT(Busy() - before, absl::Milliseconds(2));
  }
  v1::TensorMember member;
  member.set_address(std::string(300, 'x'));
  member.set_incarnation(server_->incarnation);
  EXPECT_TRUE(client->Open(1, {member}, 0).ok());
}

TEST(DataCallMetrics, TheCostOfCallsIsThatOfTheirJob) {
  CallerWorld world;
  const auto caller = MakeCaller("ipv4:10.0.0.7:4", {Role::kTrainer, "mine"});
  v1::ListTensorsRequest request;
  request.set_job("mine");
  ASSERT_TRUE(world
                  .Ask(caller, StreamMethod::kData,
                       MessageKind::kListTensorsRequest, request)
                  .ok());
  EXPECT_THAT(world.metrics().Exposition(),
              ::testing::ContainsRegex("tributary_job_data_cpu_seconds_total"
                                       ".job=\"mine\". [0-9.e-]*[1-9]"));
}

}  // namespace
}  // namespace tributary
