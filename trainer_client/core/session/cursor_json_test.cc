#include "trainer_client/core/session/cursor_json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

Cursor MadeUpCursor() {
  Cursor cursor{.epoch = 3, .consumed = 96, .next_index = 7};
  cursor.order.inputs.fill(0x1a);
  cursor.order.graph.fill(0xb2);
  cursor.order.random_seed = ~uint64_t{0};
  cursor.order.shuffle = false;
  cursor.order.drop_last = true;
  return cursor;
}

TEST(CursorJsonTest, ReadsBack) {
  Cursor cursor = MadeUpCursor();
  EXPECT_EQ(ParseCursorText(CursorText(cursor)).value(), cursor);
  cursor.order.own_rank = 1;
  cursor.order.own_world = 4;
  EXPECT_EQ(ParseCursorText(CursorText(cursor)).value(), cursor);
}

TEST(CursorJsonTest, RefusesWhatIsNoCursor) {
  const auto message = [](const std::string& text) {
    const auto cursor = ParseCursorText(text);
    EXPECT_EQ(cursor.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(cursor.status().message());
  };
  EXPECT_THAT(message("{"), HasSubstr("cursor line 1"));
  EXPECT_THAT(message("[]"), HasSubstr("cursor"));
  EXPECT_THAT(message("{}"), HasSubstr("cursor: there is no key epoch"));
  std::string text = CursorText(MadeUpCursor());
  text.insert(1, R"("speed": 1, )");
  EXPECT_THAT(message(text), HasSubstr("speed"));
}

}  // namespace
}  // namespace tributary
