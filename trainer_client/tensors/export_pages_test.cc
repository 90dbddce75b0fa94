#include "trainer_client/tensors/export_pages.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr uint64_t kRows = uint64_t{1} << 30;
constexpr uint64_t kLeast = uint64_t{1} << 20;

v1::ExportRowsReply Page(uint64_t rows, uint64_t next, bool done = false) {
  v1::ExportRowsReply page;
  page.set_num_rows(rows);
  page.set_next_cursor(next);
  page.set_done(done);
  return page;
}

TEST(ExportPages, PagesThatLeadOnAreTaken) {
  EXPECT_TRUE(CheckProgress(Page(1, 1), 0, kRows).ok());
  EXPECT_TRUE(CheckProgress(Page(5, kRows - 1), kRows - 6, kRows).ok());
  EXPECT_TRUE(CheckProgress(Page(0, kLeast), 0, kRows).ok());
  EXPECT_TRUE(CheckProgress(Page(0, 7 + kLeast), 7, kRows).ok());
  EXPECT_TRUE(CheckProgress(Page(0, 0, /*done=*/true), 0, 0).ok());
  EXPECT_TRUE(CheckProgress(Page(9, 9, /*done=*/true), 3, 9).ok());
}

TEST(ExportPages, PagesWithoutEndAreNot) {
  for (const auto& [page, cursor] :
       {std::pair(Page(1, 5), 5), std::pair(Page(1, 4), 5),
        std::pair(Page(0, 5), 5), std::pair(Page(0, 6), 5),
        std::pair(Page(0, 4 + kLeast), 5), std::pair(Page(1, kRows), 5),
        std::pair(Page(0, UINT64_MAX), 5)}) {
    const absl::Status status =
        CheckProgress(page, static_cast<uint64_t>(cursor), kRows);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal)
        << page.ShortDebugString();
  }
  EXPECT_EQ(CheckProgress(Page(0, 6), 5, 9).message(),
            "a page of 0 exported rows leads from row 5 to 6 of 9, and is not "
            "the last");
}

}  // namespace
}  // namespace tributary
