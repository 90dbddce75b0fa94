#include "sampler_server/engine/steps/remote_induce.h"

#include <gtest/gtest.h>

#include <cstring>

#include "common/proto/questions.pb.h"
#include "sampler_server/engine/questions/induce_question.h"
#include "sampler_server/engine/questions/payload_arrays.h"
#include "sampler_server/engine/testing/four_nodes.h"

namespace tributary {
namespace {

using Bytes = std::vector<uint8_t>;

v1::InduceQuestion MessageOf(const PartitionQuestion& question) {
  v1::InduceQuestion message;
  EXPECT_TRUE(message.ParseFromString(question.message));
  return message;
}

Bytes CountAnswer(uint64_t rows, uint64_t scanned,
                  const std::vector<uint32_t>& counts) {
  Bytes answer;
  AppendLittleEndian<uint64_t>({rows, scanned}, &answer);
  AppendLittleEndian(absl::MakeConstSpan(counts), &answer);
  return answer;
}

// Without positions.
Bytes TakeAnswer(const std::vector<uint32_t>& numbers,
                 const std::vector<int64_t>& edge_ids) {
  Bytes answer;
  AppendLittleEndian(absl::MakeConstSpan(numbers), &answer);
  AppendLittleEndian(absl::MakeConstSpan(edge_ids), &answer);
  return answer;
}

// The induced edges of ThreeOfFourNodes. Partition 1 has numbers 0 and 2.
class RemoteInduceTest : public testing::Test {
 protected:
  // What an owner of all partitions answers.
  Bytes AnswerTo(const PartitionQuestion& question) {
    Bytes answer(question.answer_bytes);
    const absl::Status status = question.type->Answer(
        *graph_, question.partition, question.message, question.payload,
        absl::MakeSpan(answer), nullptr);
    EXPECT_TRUE(status.ok()) << status;
    return answer;
  }

  void CountPartition1() {
    ASSERT_TRUE(
        remote_.AcceptCounts(CountAnswer(2, 4, {2, 2}), 100, &share_, &table_)
            .ok());
    table_.Allocate(false);
    share_.BeginPass();
  }

  const std::shared_ptr<MemoryGraph> graph_ = FourNodes();
  const InducedNodes nodes_{ThreeOfFourNodes(), ThreeOfFourNodes(), 4, 4, 0};
  const RemoteInduce remote_{0, nodes_};
  std::vector<InduceShare> shares_ = MakeInduceShares(*graph_, 0, nodes_);
  InduceShare& share_ = shares_[1];
  InducedEdgeTable table_{3};
};

TEST_F(RemoteInduceTest, AsksForCounts) {
  const PartitionQuestion question = remote_.MakeCount(share_, 100);
  EXPECT_EQ(question.type, &InducedEdgesQuestionType());
  EXPECT_EQ(question.partition, 1u);
  EXPECT_EQ(question.payload, (Bytes{2, 0, 3, 2, 3}));  // sources, then rows
  EXPECT_EQ(question.answer_bytes, 16u + 2 * 4);
  const v1::InduceQuestion message = MessageOf(question);
  EXPECT_EQ(message.sources(), 3u);
  EXPECT_EQ(message.source_bytes(), 1u);
  EXPECT_EQ(message.rows(), 2u);
  EXPECT_EQ(message.row_bytes(), 1u);
  EXPECT_EQ(message.count().most(), 100u);
}

TEST_F(RemoteInduceTest, OwnersAnswerWhatTheyHold) {
  for (InduceShare& share : shares_) {
    const PartitionQuestion question = remote_.MakeCount(share, 100);
    const auto scanned =
        remote_.AcceptCounts(AnswerTo(question), 100, &share, &table_);
    ASSERT_TRUE(scanned.ok()) << scanned.status();
    EXPECT_EQ(*scanned, share.partition == 0 ? 2u : 4u);
    EXPECT_TRUE(share.done());
    share.BeginPass();
  }
  EXPECT_EQ(table_.count(0), 2u);
  EXPECT_EQ(table_.count(1), 1u);
  EXPECT_EQ(table_.count(2), 2u);
  table_.Allocate(true);
  for (InduceShare& share : shares_) {
    const auto question = remote_.MakeTake(table_, &share);
    ASSERT_TRUE(question.has_value());
    ASSERT_TRUE(remote_.AcceptEdges(AnswerTo(*question), &share, &table_).ok());
    EXPECT_TRUE(share.done());
  }
  const SampledHop hop = table_.Release();
  EXPECT_EQ(hop.src, (std::vector<uint32_t>{1, 2, 0, 1, 0}));
  EXPECT_EQ(hop.edge_ids, (std::vector<int64_t>{2, 3, 0, 6, 5}));
  EXPECT_EQ(hop.positions, (std::vector<uint64_t>{0, 1, 0, 2, 3}));
}

TEST_F(RemoteInduceTest, TakesTheNodesOfOneAnswerTogether) {
  EXPECT_EQ(
      *remote_.AcceptCounts(CountAnswer(1, 2, {2, 0}), 100, &share_, &table_),
      2u);
  EXPECT_EQ(share_.next, 1u);
  EXPECT_EQ(remote_.MakeCount(share_, 98).payload, (Bytes{2, 0, 3, 3}));
  ASSERT_TRUE(
      remote_.AcceptCounts(CountAnswer(1, 2, {2}), 98, &share_, &table_).ok());
  EXPECT_EQ(share_.answer_ends, (std::vector<size_t>{1, 2}));
  table_.Allocate(false);
  share_.BeginPass();
  const auto question = remote_.MakeTake(table_, &share_);
  ASSERT_TRUE(question.has_value());
  EXPECT_EQ(question->payload, (Bytes{2, 0, 3, 2, 2, 0, 0, 0}));
  EXPECT_EQ(question->answer_bytes, 2u * 12);
  EXPECT_EQ(MessageOf(*question).rows(), 1u);
  EXPECT_FALSE(MessageOf(*question).take().want_positions());
}

TEST_F(RemoteInduceTest, GoesOnWithinANode) {
  CountPartition1();
  ASSERT_TRUE(remote_.AcceptEdges(TakeAnswer({1}, {2}), &share_, &table_).ok());
  EXPECT_EQ(share_.next, 0u);
  EXPECT_EQ(share_.next_taken, 1u);
  const auto question = remote_.MakeTake(table_, &share_);
  ASSERT_TRUE(question.has_value());
  EXPECT_EQ(MessageOf(*question).take().skip(), 1u);
  // One edge of node 2, two of node 3.
  EXPECT_EQ(question->payload, (Bytes{2, 0, 3, 2, 3, 1, 0, 0, 0, 2, 0, 0, 0}));
  ASSERT_TRUE(remote_.AcceptEdges(AnswerTo(*question), &share_, &table_).ok());
  EXPECT_TRUE(share_.done());
  EXPECT_FALSE(remote_.MakeTake(table_, &share_).has_value());
  EXPECT_EQ(table_.Release().edge_ids, (std::vector<int64_t>{2, 3, 6, 5}));
}

TEST_F(RemoteInduceTest, AsksForNothingWhereThereIsNothing) {
  ASSERT_TRUE(
      remote_.AcceptCounts(CountAnswer(2, 4, {0, 0}), 100, &share_, &table_)
          .ok());
  table_.Allocate(false);
  share_.BeginPass();
  EXPECT_FALSE(remote_.MakeTake(table_, &share_).has_value());
  EXPECT_TRUE(share_.done());
}

TEST_F(RemoteInduceTest, ImpossibleAnswersAreDataLoss) {
  const auto code = [&](const Bytes& answer) {
    return remote_.AcceptCounts(answer, 100, &share_, &table_).status().code();
  };
  // More rows than asked about; none though the limit allows one; more edges
  // than were looked at.
  EXPECT_EQ(code(CountAnswer(3, 4, {2, 2})), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code(CountAnswer(0, 100, {0, 0})), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code(CountAnswer(2, 3, {2, 2})), absl::StatusCode::kDataLoss);
  // The next node alone exceeds the limit.
  EXPECT_EQ(
      *remote_.AcceptCounts(CountAnswer(0, 101, {0, 0}), 100, &share_, &table_),
      101u);
  CountPartition1();
  const absl::Status status =
      remote_.AcceptEdges(TakeAnswer({1, 3}, {2, 3}), &share_, &table_);
  EXPECT_EQ(status, absl::DataLossError("answer of partition 1 on induced "
                                        "edges: node 3 of 3"));
}

TEST(RemoteInduce, SourcesMustFitIntoAQuestion) {
  // Ids of 8 bytes: 3 MiB hold 393216.
  const std::vector<uint64_t> ids(393217);
  InducedNodes nodes{ids, {}, UINT64_MAX, 4, 0};
  const absl::Status status = RemoteInduce(0, nodes).CheckNumSources("paper");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("393217 nodes of type paper"),
            absl::string_view::npos);
  EXPECT_NE(status.message().find("allowed: 393216;"), absl::string_view::npos);
  nodes.sources.remove_suffix(1);
  EXPECT_TRUE(RemoteInduce(0, nodes).CheckNumSources("paper").ok());
}

}  // namespace
}  // namespace tributary
