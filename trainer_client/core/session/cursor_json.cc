#include "trainer_client/core/session/cursor_json.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "common/text/status.h"

namespace tributary {

nlohmann::ordered_json CursorToJson(const Cursor& cursor) {
  nlohmann::ordered_json json = {{"epoch", cursor.epoch},
                                 {"consumed", cursor.consumed},
                                 {"next_index", cursor.next_index},
                                 {"order",
                                  {{"inputs", ToHex(cursor.order.inputs)},
                                   {"graph", ToHex(cursor.order.graph)},
                                   {"random_seed", cursor.order.random_seed},
                                   {"shuffle", cursor.order.shuffle},
                                   {"drop_last", cursor.order.drop_last}}}};
  if (cursor.order.own_world > 0) {
    json["order"]["own_rank"] = cursor.order.own_rank;
    json["order"]["own_world"] = cursor.order.own_world;
  }
  return json;
}

Cursor ReadCursor(JsonObject in) {
  Cursor cursor{.epoch = in.Whole("epoch"),
                .consumed = in.Whole("consumed"),
                .next_index = in.Whole("next_index")};
  JsonObject order = in.Object("order");
  cursor.order = {.inputs = order.Digest("inputs"),
                  .graph = order.Digest("graph"),
                  .random_seed = order.Whole("random_seed"),
                  .shuffle = order.Bool("shuffle"),
                  .drop_last = order.Bool("drop_last")};
  if (order.Has("own_world")) {
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
    cursor.order.own_rank =
        static_cast<uint32_t>(order.Whole("own_rank", kMost));
    cursor.order.own_world =
        static_cast<uint32_t>(order.Whole("own_world", kMost));
  }
  order.RefuseOthers();
  in.RefuseOthers();
  return cursor;
}

std::string CursorText(const Cursor& cursor) {
  return CursorToJson(cursor).dump();
}

absl::StatusOr<Cursor> ParseCursorText(absl::string_view text) {
  ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text, "cursor"));
  JsonObject in(json, "cursor");
  Cursor cursor = ReadCursor(in);
  RETURN_IF_ERROR(in.status());
  return cursor;
}

}  // namespace tributary
