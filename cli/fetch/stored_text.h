// Reads a small object whole.
#ifndef TRIBUTARY_CLI_FETCH_STORED_TEXT_H_
#define TRIBUTARY_CLI_FETCH_STORED_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/fetch/object_store.h"
#include "cli/fetch/try_again.h"

namespace tributary {

// Returns the object's bytes. RESOURCE_EXHAUSTED if it has more than
// `max_bytes`; otherwise the store's errors.
absl::StatusOr<std::string> ReadStoredText(ObjectStore& store,
                                           const std::string& path,
                                           uint64_t max_bytes, TryAgain& again);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_STORED_TEXT_H_
