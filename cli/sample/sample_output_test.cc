#include "cli/sample/sample_output.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"

namespace tributary {
namespace {

TEST(SampleOutputTest, LineSumsOverTypes) {
  BatchLayout layout({.epoch = 2, .index = 7});
  layout.Add("edge_index/a__to__b", DType::kInt32, {2, 4});
  layout.Add("edge_index/b__to__a", DType::kInt32, {2, 0});
  layout.Add("input_id/a", DType::kInt64, {3});
  layout.Add("n_id/a", DType::kInt64, {2});
  layout.Add("n_id/b", DType::kInt64, {5});
  layout.Add("n_ids", DType::kUint8, {100});  // another tensor
  AlignedBuffer room(layout.Finish());
  std::fill(room.span().begin(), room.span().end(), 0);
  layout.WriteHeader(room.span());
  const auto view = BatchView::Parse(room.span());
  ASSERT_TRUE(view.ok()) << view.status();

  EXPECT_EQ(SampleLine(*view),
            absl::StrCat("2 7 ", ToHex(view->Digest()), " 3 7 4 212"));
}

TEST(SampleOutputTest, SummarySaysWhatWasSent) {
  LoaderStats stats;
  EXPECT_EQ(SummaryLine(stats),
            "0 batches of 0 bytes: 0 sent, 0 of a batch; not sent 0.0 % by "
            "held rows, 0.0 % by compact edges");
  stats.batches = 4;
  stats.bytes = 2000;
  stats.left_out = 1001;
  stats.compact = 250;
  EXPECT_EQ(SummaryLine(stats),
            "4 batches of 2000 bytes: 749 sent, 187 of a batch; not sent 50.0 "
            "% by held rows, 12.5 % by compact edges");
}

}  // namespace
}  // namespace tributary
