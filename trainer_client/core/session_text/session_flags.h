// The flags of a session's options.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_FLAGS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_FLAGS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "trainer_client/core/session_text/session_text.h"

namespace CLI {
class App;
}

namespace tributary {

// Adds a flag for each option of SessionTable() but those named in `except`,
// with the defaults of `text`. Parsing writes the texts that are given into
// `text`, which must outlive `app`; ReadSession() checks them.
void DeclareSessionFlags(CLI::App& app, SessionText& text,
                         const std::vector<absl::string_view>& except = {});

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_FLAGS_H_
