#include "trainer_client/tensors/collective.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/error_text.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The first byte of a value says what follows.
constexpr char kValue = 'v';
constexpr char kError = 'e';  // int32 code, text
constexpr char kWorking = 'w';

// Servers bound the values of all ranks together.
constexpr size_t kMaxTextBytes = 4000;
constexpr size_t kMaxTextsBytes = size_t{512} << 10;

std::string Encode(const TensorClient& client,
                   const absl::StatusOr<std::string>& value) {
  if (value.ok()) return absl::StrCat(std::string(1, kValue), *value);
  const int32_t code = static_cast<int32_t>(value.status().code());
  return absl::StrCat(
      std::string(1, kError),
      std::string(reinterpret_cast<const char*>(&code), sizeof(code)),
      ErrorText(value.status())
          .substr(0, std::min(kMaxTextBytes, kMaxTextsBytes / client.world())));
}

absl::StatusOr<std::string> Decode(const std::string& bytes) {
  if (!bytes.empty() && bytes[0] == kValue) return bytes.substr(1);
  int32_t code = 0;
  if (bytes.size() < 1 + sizeof(code) || bytes[0] != kError) {
    return absl::InternalError("a rank brought no value of a collective");
  }
  std::memcpy(&code, bytes.data() + 1, sizeof(code));
  return ErrorFrom(code, std::string_view(bytes).substr(1 + sizeof(code)));
}

// Returns OK if all ranks ask for the same.
absl::Status Compare(const std::string& what,
                     const std::vector<std::string>& values) {
  for (size_t rank = 0; rank < values.size(); ++rank) {
    const auto value = Decode(values[rank]);
    if (!value.ok()) {
      return absl::Status(
          value.status().code(),
          values.size() == 1
              ? std::string(value.status().message())
              : absl::StrCat("rank ", rank, ": ", value.status().message()));
    }
  }
  for (size_t rank = 1; rank < values.size(); ++rank) {
    if (values[rank] == values[0]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": rank ", rank,
                     " asks for something else than rank 0; all ranks must "
                     "give the same options"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CollectiveProgress::Report() {
  const absl::Time now = client_.strand().Now();
  if (now - met_ < client_.timeout() / 4) return absl::OkStatus();
  met_ = now;
  return client_.Meet(purpose_, std::string(1, kWorking)).status();
}

absl::StatusOr<std::string> RunTogether(
    TensorClient& client, const std::string& what,
    const absl::StatusOr<std::string>& mine,
    absl::FunctionRef<absl::StatusOr<std::string>(CollectiveProgress&)> act) {
  ASSIGN_OR_RETURN(const auto asked, client.Meet(what, Encode(client, mine)));
  RETURN_IF_ERROR(Compare(what, asked));
  const std::string end = absl::StrCat("end of ", what);
  if (client.rank() == 0) {
    CollectiveProgress progress(client, end);
    absl::StatusOr<std::string> result = act(progress);
    RETURN_IF_ERROR(client.Meet(end, Encode(client, result)).status());
    return result;
  }
  while (true) {
    ASSIGN_OR_RETURN(const auto told, client.Meet(end, ""));
    if (told[0] != std::string(1, kWorking)) return Decode(told[0]);
  }
}

}  // namespace tributary
