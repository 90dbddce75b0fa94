#include "sampler_server/engine/questions/have_edges.h"

#include <gtest/gtest.h>

#include "common/proto/questions.pb.h"
#include "sampler_server/engine/questions/payload_arrays.h"
#include "sampler_server/engine/testing/four_nodes.h"

namespace tributary {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(HasNeighbor, SearchesRowsThatMixPartitions) {
  const auto graph = FourNodes();
  const EdgePartition& edges = *graph->edges(0, 0);
  const auto& base = graph->schema().node_types[0].base;
  std::vector<bool> found;
  // Row 0 has the neighbours 2 and 1, which are of different partitions.
  for (const uint64_t id : {0, 1, 2, 3, 4}) {
    found.push_back(HasNeighbor(edges, base, 0, id));
  }
  EXPECT_EQ(found, (std::vector<bool>{false, true, true, false, false}));
}

class HaveEdgesQuestionTest : public testing::Test {
 protected:
  absl::Status Answer(const Graph& graph, uint32_t partition) {
    return HaveEdgesQuestionType().Answer(
        graph, partition, message_.SerializeAsString(), payload_,
        absl::MakeSpan(answer_), nullptr);
  }
  // Asks about pairs of a row and an id.
  void Ask(const std::vector<uint64_t>& rows,
           const std::vector<uint64_t>& ids) {
    message_.set_pairs(rows.size());
    payload_.clear();
    AppendLittleEndian(absl::MakeConstSpan(rows), &payload_);
    AppendLittleEndian(absl::MakeConstSpan(ids), &payload_);
    answer_.assign(rows.size(), 9);
  }

  const std::shared_ptr<MemoryGraph> graph_ = FourNodes();
  v1::HaveEdgesQuestion message_;
  Bytes payload_, answer_;
};

TEST_F(HaveEdgesQuestionTest, AnswersEachPair) {
  Ask({0, 0, 1}, {0, 3, 2});
  ASSERT_TRUE(Answer(*graph_, 1).ok());  // rows are nodes 2 and 3
  EXPECT_EQ(answer_, (Bytes{1, 1, 1}));
  ASSERT_TRUE(Answer(*graph_, 0).ok());  // rows are nodes 0 and 1
  EXPECT_EQ(answer_, (Bytes{0, 0, 0}));
}

TEST_F(HaveEdgesQuestionTest, ValidatesWhatIsAsked) {
  Ask({0, 2}, {0, 0});
  EXPECT_EQ(Answer(*graph_, 0).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Answer(*graph_->Only({1}), 0).code(), absl::StatusCode::kNotFound);
  message_.set_pairs(3);
  EXPECT_EQ(Answer(*graph_, 0).code(), absl::StatusCode::kInvalidArgument);
  Ask({0}, {0});
  message_.set_edge_type(1);
  EXPECT_EQ(Answer(*graph_, 0).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(HaveEdgesQuestionType()
                .Answer(*graph_, 0, "\xff", payload_, absl::MakeSpan(answer_),
                        nullptr)
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
