// A session as text: what users write on command lines and in JSON.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_TEXT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_TEXT_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer_client/core/session_text/session_draft.h"

namespace tributary {

// The texts of options that were given, by their names in SessionTable().
// ReadSession() refuses other names.
//
//   SessionText text;
//   text.Set("input_nodes", "train");
//   text.Set("num_neighbors", "15,10");
//   ASSIGN_OR_RETURN(DescribedSession session, ReadSession(text));
//   RETURN_IF_ERROR(ReadListFiles(&session));
class SessionText {
 public:
  void Set(absl::string_view name, std::string text);
  // Replaces the table's default.
  void SetDefault(absl::string_view name, std::string text);
  // Takes what `other` gives, where this text gives nothing.
  void Add(const SessionText& other);

  bool Gives(absl::string_view name) const;
  // Returns the text that was given, or the default, which may be empty.
  std::string Get(absl::string_view name) const;
  std::string Default(absl::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& given() const {
    return given_;
  }

 private:
  std::map<std::string, std::string, std::less<>> given_;
  std::map<std::string, std::string, std::less<>> defaults_;
};

// A session, and the files that have some of its lists.
struct DescribedSession {
  SessionOptions options;
  ListFiles files;
};

// Reads and checks all texts. Opens no file. INVALID_ARGUMENT, with the flag of
// the option, its text and, on a line of its own, what is allowed.
absl::StatusOr<DescribedSession> ReadSession(const SessionText& text);

// Reads the lists that the session has in files. Returns the readers' errors.
absl::Status ReadListFiles(DescribedSession* session);

// Returns the text that reads as these options: only what differs from the
// defaults. INVALID_ARGUMENT for options that have no text: lists of links, and
// of masks and times beside them.
absl::StatusOr<SessionText> TextOf(const SessionOptions& options);

// Parses a JSON object whose members are options: text, numbers and lists of
// them, or an object with one of these for each edge type; true and false for
// flags; null for what is not given. For example:
//
//   {"input_nodes": "train", "num_neighbors": [15, 10], "replace": true}
//
// INVALID_ARGUMENT for another member or form; the values are read by
// ReadSession().
absl::StatusOr<SessionText> ParseSessionJson(absl::string_view json);
// Returns such an object on one line, of what was given.
std::string SessionJson(const SessionText& text);
// Reads a file of at most 1 MiB. Errors name the file.
absl::StatusOr<SessionText> ReadSessionFile(const std::string& path);

// Returns an error of ReadSession in the words of JSON: "batch_size" instead of
// "--batch-size".
absl::Status InJsonWords(const absl::Status& status);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_TEXT_H_
