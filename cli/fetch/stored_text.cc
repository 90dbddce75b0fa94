#include "cli/fetch/stored_text.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<std::string> ReadStoredText(ObjectStore& store,
                                           const std::string& path,
                                           uint64_t max_bytes,
                                           TryAgain& again) {
  std::string text;
  RETURN_IF_ERROR(again.Run(0, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const ObjectInfo info, store.Stat(path));
    if (info.bytes > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(store.NameOf(path), " has ", info.bytes,
                       " bytes; allowed: ", max_bytes));
    }
    text.resize(info.bytes);
    return store.Read(
        path, info.bytes, 0,
        absl::MakeSpan(reinterpret_cast<uint8_t*>(text.data()), text.size()));
  }));
  return text;
}

}  // namespace tributary
