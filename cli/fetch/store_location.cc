#include "cli/fetch/store_location.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tributary {
namespace {

absl::Status LocationError(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text,
                   "\"; allowed: s3://BUCKET/PREFIX, file:///PATH, or a "
                   "folder's path"));
}

// Buckets' names: 3 to 63 of lower-case letters, digits, '.', '-'; older ones
// have '_' and capitals, too.
bool IsBucket(absl::string_view name) {
  return !name.empty() && name.size() <= 255 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_';
         });
}

}  // namespace

std::string StoreLocation::ToString() const {
  if (!is_s3()) return prefix;
  return absl::StrCat("s3://", bucket, prefix.empty() ? "" : "/", prefix);
}

absl::StatusOr<StoreLocation> ParseStoreLocation(std::string_view text) {
  absl::string_view rest(text.data(), text.size());
  StoreLocation location;
  if (absl::ConsumePrefix(&rest, "s3://")) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    location.bucket = std::string(rest.substr(0, slash));
    rest.remove_prefix(slash);
    while (absl::ConsumePrefix(&rest, "/")) {
    }
    while (absl::ConsumeSuffix(&rest, "/")) {
    }
    location.prefix = std::string(rest);
    if (!IsBucket(location.bucket))
      return LocationError({text.data(), text.size()});
    return location;
  }
  const bool is_url = absl::ConsumePrefix(&rest, "file://");
  while (rest.size() > 1 && absl::ConsumeSuffix(&rest, "/")) {
  }
  location.prefix = std::string(rest);
  if (rest.empty() || (is_url && rest.front() != '/') ||
      rest.find(":/") != rest.npos) {
    return LocationError({text.data(), text.size()});
  }
  return location;
}

absl::StatusOr<StoreEndpoint> ParseStoreEndpoint(std::string_view text) {
  absl::string_view rest(text.data(), text.size());
  StoreEndpoint endpoint{"https", ""};
  if (absl::ConsumePrefix(&rest, "http://")) {
    endpoint.scheme = "http";
  } else {
    absl::ConsumePrefix(&rest, "https://");
  }
  absl::ConsumeSuffix(&rest, "/");
  if (rest.empty() || rest.find_first_of("/ @?#") != rest.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::string_view(text.data(), text.size()),
                     "\"; allowed: http://HOST:PORT, https://HOST:PORT, or "
                     "HOST:PORT, with TLS"));
  }
  endpoint.host_port = std::string(rest);
  return endpoint;
}

}  // namespace tributary
