// Tests how far a rank believes a member that lies: rank 1 of two, in virtual
// time, whose only member is scripted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "channel/call_server.h"
#include "channel/testing/sim_network.h"
#include "common/io/buffer.h"
#include "common/testing/sim_scheduler.h"
#include "common/text/status.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/testing/fake_sampler.h"
#include "trainer_client/tensors/collective.h"
#include "trainer_client/tensors/export_pages.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(30);
constexpr uint64_t kLeastPassed = uint64_t{1} << 20;
constexpr uint64_t kRows = kLeastPassed + 64;
constexpr char kWorks[] = "w";  // what rank 0 says at the end of its work

// Answers what a test wants to the calls of an attempt.
class LyingMember final : public StreamAcceptor {
 public:
  explicit LyingMember(FakeSampler::Settings settings)
      : sampler_(std::move(settings)) {}

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (method != StreamMethod::kData) {
      return sampler_.Accept(method, std::move(caller), std::move(stream), why);
    }
    return ServeCalls(std::move(stream), std::move(caller),
                      [this](const IncomingCall& call, CallResponder respond) {
                        Answer(call, std::move(respond));
                      });
  }

  v1::JoinAttemptReply joined;
  // Returns what rank 0 says at a meeting, to which it comes after `delay`.
  std::function<std::string(const v1::MeetRequest&)> rank_zero;
  absl::Duration delay;
  // Returns the next page of an export.
  std::function<v1::ExportRowsReply(const v1::ExportRowsRequest&)> page;
  size_t row_bytes = 0;
  int meetings = 0;
  int pages = 0;

 private:
  void Answer(const IncomingCall& call, CallResponder respond) {
    switch (call.kind) {
      case MessageKind::kJoinAttemptRequest:
        return respond(With(MessageKind::kJoinAttemptReply, joined));
      case MessageKind::kMeetRequest:
        return Meet(call, std::move(respond));
      case MessageKind::kExportRowsRequest:
        return Export(call, std::move(respond));
      default:
        respond(absl::UnimplementedError("not in this test"));
    }
  }
  void Meet(const IncomingCall& call, CallResponder respond) {
    v1::MeetRequest request;
    ASSERT_TRUE(request.ParseFromString(call.header));
    ++meetings;
    v1::MeetReply reply;
    reply.add_values(rank_zero(request));
    reply.add_values(request.value());
    auto later = std::make_shared<CallResponder>(std::move(respond));
    sampler_.settings().executor->PostAfter(delay, [later, reply] {
      (*later)(With(MessageKind::kMeetReply, reply));
    });
  }
  void Export(const IncomingCall& call, CallResponder respond) {
    v1::ExportRowsRequest request;
    ASSERT_TRUE(request.ParseFromString(call.header));
    ++pages;
    const v1::ExportRowsReply reply = page(request);
    CallAnswer answer = With(MessageKind::kExportRowsReply, reply);
    auto rows = std::make_shared<std::vector<uint64_t>>(
        reply.num_rows() * row_bytes / sizeof(uint64_t), request.cursor());
    answer.payload = {reinterpret_cast<const uint8_t*>(rows->data()),
                      rows->size() * sizeof(uint64_t)};
    answer.payload_owner = rows;
    respond(std::move(answer));
  }
  static CallAnswer With(MessageKind kind,
                         const google::protobuf::Message& header) {
    CallAnswer answer;
    answer.kind = kind;
    answer.header = header.SerializeAsString();
    return answer;
  }

  FakeSampler sampler_;
};

class LyingMemberTest : public testing::Test {
 protected:
  LyingMemberTest() {
    GraphSpec spec;
    spec.num_nodes = 40;
    spec.edges = {{1, 0}};
    FakeSampler::Settings settings;
    settings.node = world_.AddNode("server");
    settings.executor = settings.node;
    settings.graph_json = BuildGraph(spec)->schema().ToJson();
    member_ = std::make_unique<LyingMember>(settings);
    member_->joined.set_attempt(7);
    member_->joined.set_world(2);
    v1::TensorMember* added = member_->joined.add_members();
    added->set_address(address_.ToString());
    added->set_incarnation(settings.incarnation);
    member_->rank_zero = [](const v1::MeetRequest& request) {
      return request.value();
    };
    network_.Listen(settings.node, address_, member_.get());
    Open();
  }
  ~LyingMemberTest() override {
    if (client_ != nullptr) client_->Close();
    world_.RunUntil([] { return false; }, absl::Seconds(1));
  }

  void Open() {
    TensorClientOptions options;
    options.run_until = [this](const std::function<bool()>& done) {
      if (!world_.RunUntil(done, absl::Hours(1))) {
        ADD_FAILURE() << "a call has not ended";
      }
    };
    options.attempt.transport = network_.TransportOf(trainer_);
    options.attempt.strand = std::make_shared<Strand>(trainer_);
    options.attempt.resolver = &resolver_;
    options.attempt.source.addresses.push_back(address_);
    options.attempt.rank = 1;
    options.attempt.world = 2;
    options.attempt.client = 5;
    options.attempt.timeout = kTimeout;
    auto client = TensorClient::Open(std::move(options));
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
  }

  // Runs a collective of which the member says what rank 0 does.
  absl::StatusOr<std::string> Collective(
      const std::function<std::string()>& at_the_end) {
    member_->meetings = 0;
    member_->rank_zero = [=](const v1::MeetRequest& request) {
      return absl::StartsWith(request.purpose(), "end of ") ? at_the_end()
                                                            : request.value();
    };
    began_ = world_.now();
    const auto result =
        RunTogether(*client_, "a snapshot", std::string(),
                    [](CollectiveProgress&) -> absl::StatusOr<std::string> {
                      return absl::InternalError("rank 1 does rank 0's work");
                    });
    took_ = world_.now() - began_;
    return result;
  }

  // Has rank 0 work at so many meetings: more than anyone should come to.
  std::string WorksUntil(int meetings) const {
    return member_->meetings > meetings ? "vdone" : kWorks;
  }

  // Reads all pages that the member gives of a tensor of kRows rows. It ends
  // the 20th page itself: a reader that takes them all has not looked.
  absl::Status ReadAll(std::function<v1::ExportRowsReply(uint64_t)> page) {
    auto tensor = std::make_shared<TensorInfo>(
        TensorInfo{.placement = *RowPlacement::Create(client_->members())});
    tensor->spec.set_name("t");
    tensor->spec.set_num_rows(kRows);
    tensor->spec.set_dim(2);
    tensor->spec.set_dtype(static_cast<uint32_t>(DType::kFloat32));
    tensor->width = 2;
    tensor->member_of = {0};
    const auto columns = *SnapshotColumnsOf(tensor->spec, v1::SPARSE_NONE);
    member_->row_bytes = 0;
    for (const SnapshotColumn& column : columns) {
      member_->row_bytes += column.row_bytes();
    }
    member_->pages = 0;
    member_->page = [this, page](const v1::ExportRowsRequest& request) {
      v1::ExportRowsReply reply = page(request.cursor());
      reply.set_done(reply.done() || member_->pages >= 20);
      return reply;
    };
    ExportPages pages(client_, tensor, columns, 0, size_t{64} << 10);
    while (true) {
      RETURN_IF_ERROR(pages.Fill());
      if (pages.done()) return absl::OkStatus();
      pages.Take(pages.rows().size());
    }
  }

  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  SystemHostResolver resolver_;
  const Address address_{"server", 1};
  std::unique_ptr<LyingMember> member_;
  std::shared_ptr<TensorClient> client_;
  absl::Time began_;
  absl::Duration took_;
};

v1::ExportRowsReply PageTo(uint64_t rows, uint64_t next, bool done = false) {
  v1::ExportRowsReply page;
  page.set_num_rows(rows);
  page.set_next_cursor(next);
  page.set_done(done);
  return page;
}

// --- pages of an export ------------------------------------------------------

TEST_F(LyingMemberTest, PagesThatLeadOnAreRead) {
  const absl::Status read = ReadAll([](uint64_t cursor) {
    return cursor == 0 ? PageTo(0, kLeastPassed) : PageTo(1, kRows, true);
  });
  EXPECT_TRUE(read.ok()) << read;
  EXPECT_EQ(member_->pages, 2);
}

TEST_F(LyingMemberTest, PagesWithoutProgressEndTheReading) {
  const std::vector<
      std::pair<std::function<v1::ExportRowsReply(uint64_t)>, std::string>>
      lies = {
          {[](uint64_t cursor) { return PageTo(0, cursor); },
           "a page of 0 exported rows leads from row 0 to 0 of "},
          {[](uint64_t cursor) { return PageTo(0, cursor + 1); },
           "a page of 0 exported rows leads from row 0 to 1 of "},
          {[](uint64_t cursor) { return PageTo(1, cursor); },
           "a page of 1 exported rows leads from row 0 to 0 of "},
          {[](uint64_t) { return PageTo(1, kRows); },
           "a page of 1 exported rows leads from row 0 to 1048640 of "},
      };
  for (const auto& [lie, text] : lies) {
    const absl::Status read = ReadAll(lie);
    EXPECT_EQ(read.code(), absl::StatusCode::kInternal) << read;
    EXPECT_THAT(std::string(read.message()), HasSubstr("server:1: " + text));
    EXPECT_EQ(member_->pages, 1);
  }
}

// After a page that was good.
TEST_F(LyingMemberTest, APageThatGoesBackEndsTheReading) {
  const absl::Status read = ReadAll([](uint64_t cursor) {
    return cursor == 0 ? PageTo(0, kLeastPassed) : PageTo(0, 0);
  });
  EXPECT_EQ(read.code(), absl::StatusCode::kInternal) << read;
  EXPECT_THAT(std::string(read.message()),
              HasSubstr("leads from row 1048576 to 0 of 1048640"));
  EXPECT_EQ(member_->pages, 2);
}

// --- work of rank 0 ----------------------------------------------------------

TEST_F(LyingMemberTest, TheResultOfLongWorkIsTaken) {
  member_->delay = kTimeout / 4;
  int said = 0;
  const auto result = Collective([&] {
    return ++said <= 40 ? std::string(kWorks) : std::string("vdone");
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, "done");
  EXPECT_GE(took_, 40 * kTimeout / 4);
}

TEST_F(LyingMemberTest, WorkWithoutEndIsNotWaitedFor) {
  member_->delay = kTimeout / 4;
  const auto result = Collective([this] { return WorksUntil(12'000); });
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded)
      << result.status();
  EXPECT_EQ(std::string(result.status().message()),
            "a snapshot: server:1 says that rank 0 still works, which it may "
            "for 24h");
  EXPECT_GE(took_, kLongestWork);
  EXPECT_LE(took_, kLongestWork + 3 * kTimeout);
}

// Rank 0 meets the others once in a quarter of the timeout.
TEST_F(LyingMemberTest, AMemberThatSaysSoTooOftenIsNotBelieved) {
  member_->delay = absl::ZeroDuration();
  const auto result = Collective([this] { return WorksUntil(100); });
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal)
      << result.status();
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("a snapshot: server:1 says too often that rank 0 "
                        "works"));
  EXPECT_LE(member_->meetings, 12);
  EXPECT_LT(took_, absl::Seconds(1));
}

}  // namespace
}  // namespace tributary
