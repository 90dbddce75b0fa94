// Batches that servers make without some rows, filled in: the same bytes.
#include "trainer_client/core/held/batch_fill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "partition/format/testing/hot_list_of.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "tests/hot/held_rows_of.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Authors and papers, of which authors have no labels and no features.
MemoryGraphSpec Papers() {
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.num_partitions = 2;
  spec.node_types = {
      {.name = "author", .num_nodes = 40},
      {.name = "paper", .num_nodes = 300, .x_dim = 5, .has_y = true},
      {.name = "topic", .num_nodes = 50, .x_dim = 9}};
  const auto add = [&](const char* src, const char* dst, int64_t n, int64_t m) {
    MemoryGraphSpec::EdgeType& type = spec.edge_types.emplace_back();
    type.src = src, type.rel = "of", type.dst = dst;
    for (int64_t e = 0; e < 4 * m; ++e) {
      type.edges.emplace_back(e * 7919 % n, e % m);
    }
  };
  add("author", "paper", 40, 300);
  add("paper", "paper", 300, 300);
  add("topic", "paper", 50, 300);
  return spec;
}

class BatchFillTest : public testing::TestWithParam<FeatureDType> {
 protected:
  BatchFillTest() : held_(graph_, list_, GetParam(), /*rows_per_piece=*/7) {
    batch_.options.num_neighbors = {3, 2};
    batch_.options.batch_size = 300;
    batch_.options.input_type = "paper";
    batch_.options.feature_dtype = GetParam();
    for (int64_t i = 0; i < 300; ++i) batch_.inputs.push_back(i * 7 % 300);
  }

  // Makes the batch without the rows that are held, and puts it to the slot as
  // the network does.
  void Make(bool compact = false) {
    compact_ = compact;
    OneBatchWorld world(graph_->Only({1}), graph_);
    whole_ = OneBatchWorld(graph_).Run(batch_);
    BatchRequest request = RequestOf(graph_->schema(), batch_);
    auto rows = std::make_shared<TrainerRows>();
    rows->list = list_;
    for (const HeldType& type : held_.rows()->view()->types) {
      rows->num_rows.push_back(type.num_rows);
    }
    request.trainer_rows = rows;
    request.compact = compact;
    const auto sink = world.Start(std::move(request));
    (void)world.world().Drain(1'000'000);
    ASSERT_TRUE(sink->ready.has_value()) << sink->failed;
    left_out_ = sink->left_out;
    slot_ = AlignedBuffer(*sink->ready);
    std::memset(slot_.data(), 0xEE, slot_.size());
    size_t from = 0, to = 0;
    const auto copy = [&](size_t end) {
      std::memcpy(slot_.data() + to, sink->room.data() + from, end - to);
      from += end - to;
      to = end;
    };
    for (const BatchGap& gap : left_out_.gaps) {
      copy(gap.offset);
      to += gap.bytes;
    }
    copy(slot_.size());
  }

  FillEnd Fill() {
    const auto view = held_.rows()->view();
    BatchFill fill(slot_.span(), left_out_, *view, compact_);
    for (int step = 0; step < 1000; ++step) {
      if (auto end = fill.Step()) return *std::move(end);
    }
    return {absl::InternalError("it does not end")};
  }

  int64_t* Ids(const char* name) {
    const auto view = BatchView::Parse(slot_.span());
    return const_cast<int64_t*>(view->Find(name)->As<int64_t>().data());
  }

  // The first id that stands for a row that was left out.
  int64_t* LeftOutId() {
    int64_t* id = Ids("n_id/paper");
    while (*id >= 0) ++id;
    return id;
  }

  std::shared_ptr<MemoryGraph> graph_ = MemoryGraph::Make(Papers());
  std::shared_ptr<const HotList> list_ = HotListOf(*graph_, 3);
  HeldRowsOf held_;
  BatchCase batch_;
  std::shared_ptr<RecordingSink> whole_;
  LeftOut left_out_;
  bool compact_ = false;
  AlignedBuffer slot_;
};

TEST_P(BatchFillTest, IsTheWholeBatch) {
  for (const double share : {0.0, 0.01, 0.3, 0.7, 1.0}) {
    held_.Add(share);
    Make();
    if (share == 0) {
      ASSERT_EQ(left_out_.bytes(), 0u);
    }
    if (share > 0.1) {
      ASSERT_GT(left_out_.bytes(), 0u);
    }
    const FillEnd end = Fill();
    ASSERT_TRUE(end.status.ok()) << end.status;
    ASSERT_EQ(slot_.size(), whole_->room.size());
    EXPECT_EQ(std::memcmp(slot_.data(), whole_->room.data(), slot_.size()), 0)
        << share;
  }
}

TEST_P(BatchFillTest, IsTheWholeBatchWithCompactEdges) {
  for (const double share : {0.0, 0.3, 1.0}) {
    held_.Add(share);
    Make(/*compact=*/true);
    ASSERT_GT(left_out_.compact_bytes, 0u);
    ASSERT_EQ(share > 0, left_out_.bytes() > left_out_.compact_bytes);
    const FillEnd end = Fill();
    ASSERT_TRUE(end.status.ok()) << end.status;
    EXPECT_EQ(end.compact_bytes, left_out_.compact_bytes);
    ASSERT_EQ(slot_.size(), whole_->room.size());
    EXPECT_EQ(std::memcmp(slot_.data(), whole_->room.data(), slot_.size()), 0)
        << share;
  }
}

TEST_P(BatchFillTest, LiesAboutCompactEdgesAreFound) {
  held_.Add(0.5);
  const auto expect = [&](const char* what) {
    const FillEnd end = Fill();
    EXPECT_TRUE(absl::IsDataLoss(end.status)) << end.status;
    EXPECT_THAT(end.status.ToString(), HasSubstr(what));
  };
  const auto tensor = [&](const char* name) {
    const auto view = BatchView::Parse(slot_.span());
    return const_cast<uint8_t*>(view->Find(name)->data.data());
  };
  // The first gap that begins where the tensor does.
  const auto gap_of = [&](const uint8_t* data) {
    auto gap = left_out_.gaps.begin();
    while (gap->offset != static_cast<uint64_t>(data - slot_.data())) ++gap;
    return gap;
  };
  for (const char* name :
       {"edge_index/paper__of__paper", "e_id/paper__of__paper"}) {
    Make(/*compact=*/true);
    uint8_t* const data = tensor(name);
    data[gap_of(data)->bytes] ^= 2;
    expect("compact edges: ");
    Make(/*compact=*/true);
    gap_of(tensor(name))->bytes -= 64;
    expect("compact edges: ");
    Make(/*compact=*/true);
    gap_of(tensor(name))->bytes += 1 << 20;  // beyond the tensor
    expect("compact edges: ");
  }
  Make(/*compact=*/true);
  left_out_.gaps.insert(left_out_.gaps.begin(), {64, 64});  // of no tensor
  expect("they are not those");
  Make(/*compact=*/true);
  compact_ = false;  // unasked
  expect("they are not those");
}

TEST_P(BatchFillTest, ADamagedRowIsNamed) {
  held_.AddPiece(1);
  held_.AddPiece(1, /*damaged=*/true);
  held_.Add(1.0);
  Make();
  const FillEnd end = Fill();
  ASSERT_TRUE(end.damaged.has_value()) << end.status;
  EXPECT_EQ(end.damaged->node_type, 1);
  EXPECT_EQ(end.damaged->rank, 7u);
  EXPECT_THAT(end.status.ToString(),
              HasSubstr("the held row of rank 7 of node type paper"));
  int dropped = 0;
  held_.rows()->SetOnDrop([&dropped](int type, uint32_t rows) {
    EXPECT_EQ(type, 1);
    EXPECT_EQ(rows, 7u);
    ++dropped;
  });
  held_.rows()->Drop(end.damaged->node_type, end.damaged->rank);
  held_.rows()->Drop(end.damaged->node_type, end.damaged->rank);
  EXPECT_EQ(dropped, 1);
  held_.Add(1.0);  // fetched anew
  Make();
  EXPECT_TRUE(Fill().status.ok());
}

// What a server says is checked: each of these would give other batches, or
// write beyond a tensor.
TEST_P(BatchFillTest, LiesAreFound) {
  held_.Add(0.5);
  const auto expect = [&](const char* what) {
    const FillEnd end = Fill();
    EXPECT_TRUE(absl::IsDataLoss(end.status)) << end.status;
    EXPECT_FALSE(end.damaged.has_value());
    EXPECT_THAT(end.status.ToString(), HasSubstr(what));
  };
  Make();
  left_out_.crcs += 1;
  expect("their sums differ");
  Make();
  *LeftOutId() = -1 - 200;
  expect("the row of rank 200 of node type paper was left out; 154 rows");
  Make();
  *Ids("n_id/paper") = INT64_MIN;
  expect("rows are held");
  Make();
  *LeftOutId() = *LeftOutId() == -1 ? -2 : -1;
  expect("their sums differ");
  Make();
  *LeftOutId() = 5;
  expect("they are not those of the rows whose ranks came");
  Make();
  *Ids("n_id/author") = -1;
  expect("of node type author was left out; 0 rows are held");
  Make();
  left_out_.gaps.pop_back();
  expect("they are not those");
  Make();
  left_out_.gaps[0].offset += 64;
  expect("they are not those");
  Make();
  slot_.data()[0] ^= 1;
  expect("");
}

INSTANTIATE_TEST_SUITE_P(Forms, BatchFillTest,
                         testing::Values(FeatureDType::kStored,
                                         FeatureDType::kFloat16,
                                         FeatureDType::kInt8),
                         [](const auto& info) {
                           return std::string(FeatureDTypeName(info.param));
                         });

}  // namespace
}  // namespace tributary
