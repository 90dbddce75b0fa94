// A cursor as JSON, in checkpoints and for programs in other languages.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_CURSOR_JSON_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_CURSOR_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/json/json_object.h"
#include "nlohmann/json.hpp"
#include "trainer_client/core/session/cursor.h"

namespace tributary {

// Returns {"epoch": ..., "consumed": ..., "next_index": ..., "order": {...}}.
nlohmann::ordered_json CursorToJson(const Cursor& cursor);
// Reads such an object, and refuses other members. Errors are those of `in`.
Cursor ReadCursor(JsonObject in);

// Returns the JSON on one line.
std::string CursorText(const Cursor& cursor);
// INVALID_ARGUMENT, naming the member, for a text that is no cursor.
absl::StatusOr<Cursor> ParseCursorText(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_CURSOR_JSON_H_
