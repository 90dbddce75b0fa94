#include "trainer_client/tensors/collective.h"

#include <algorithm>
#include <cstdint>
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

// How often in a timeout rank 0 meets the others while it works.
constexpr int kReportsPerTimeout = 4;

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

std::string EndOf(const std::string& what) {
  return absl::StrCat("end of ", what);
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

// Decides how long a rank believes the first member that rank 0 works.
class WorkWatch {
 public:
  WorkWatch(absl::Time began, absl::Duration timeout)
      : began_(began), timeout_(timeout) {}

  // Observes a meeting at which rank 0 is said to work.
  absl::Status Observe(absl::Time now) {
    const absl::Duration waited = now - began_;
    const absl::Duration pause = timeout_ / kReportsPerTimeout;
    // Rank 0 may have begun up to a timeout before or after this rank did, and
    // the other one is for the meeting itself and for clocks that differ.
    const absl::Duration margin = 2 * timeout_;
    if (waited >= kLongestWork + margin) {
      return absl::DeadlineExceededError(
          absl::StrCat("that rank 0 still works, which it may for ",
                       absl::FormatDuration(kLongestWork)));
    }
    if (++meetings_ * pause <= waited + margin) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(
        "too often that rank 0 works: ", meetings_, " times in ",
        absl::FormatDuration(waited), ", where rank 0 says so once in ",
        absl::FormatDuration(pause)));
  }

 private:
  const absl::Time began_;
  const absl::Duration timeout_;
  int64_t meetings_ = 0;
};

// Waits for what rank 0 returns.
absl::StatusOr<std::string> ResultOfRankZero(TensorClient& client,
                                             const std::string& what) {
  WorkWatch watch(client.strand().Now(), client.timeout());
  while (true) {
    ASSIGN_OR_RETURN(const auto told, client.Meet(EndOf(what), ""));
    if (told[0] != std::string(1, kWorking)) return Decode(told[0]);
    const absl::Status believed = watch.Observe(client.strand().Now());
    if (believed.ok()) continue;
    return absl::Status(believed.code(),
                        absl::StrCat(what, ": ", client.members()[0].address,
                                     " says ", believed.message()));
  }
}

}  // namespace

absl::Status CollectiveProgress::Report() {
  const absl::Time now = client_.strand().Now();
  if (now - began_ >= kLongestWork) {
    return absl::DeadlineExceededError(absl::StrCat(
        what_, " takes longer than ", absl::FormatDuration(kLongestWork)));
  }
  if (now - met_ < client_.timeout() / kReportsPerTimeout) {
    return absl::OkStatus();
  }
  met_ = now;
  return client_.Meet(EndOf(what_), std::string(1, kWorking)).status();
}

absl::StatusOr<std::string> RunTogether(
    TensorClient& client, const std::string& what,
    const absl::StatusOr<std::string>& mine,
    absl::FunctionRef<absl::StatusOr<std::string>(CollectiveProgress&)> act) {
  ASSIGN_OR_RETURN(const auto asked, client.Meet(what, Encode(client, mine)));
  RETURN_IF_ERROR(Compare(what, asked));
  if (client.rank() != 0) return ResultOfRankZero(client, what);
  CollectiveProgress progress(client, what);
  absl::StatusOr<std::string> result = act(progress);
  RETURN_IF_ERROR(client.Meet(EndOf(what), Encode(client, result)).status());
  return result;
}

}  // namespace tributary
