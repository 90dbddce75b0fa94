// The place where a graph is stored: a bucket and prefix, or a folder.
#ifndef TRIBUTARY_CLI_FETCH_STORE_LOCATION_H_
#define TRIBUTARY_CLI_FETCH_STORE_LOCATION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

// s3://BUCKET/PREFIX, or a folder of this machine (bucket empty).
struct StoreLocation {
  std::string bucket;
  std::string prefix;  // without '/' at its ends; or the folder's path

  bool is_s3() const { return !bucket.empty(); }
  std::string ToString() const;
  friend bool operator==(const StoreLocation&, const StoreLocation&) = default;
};

// Parses s3://BUCKET/PREFIX, file:///PATH or a path. INVALID_ARGUMENT with what
// is allowed.
absl::StatusOr<StoreLocation> ParseStoreLocation(std::string_view text);

// The address of an object store: http://HOST:PORT, https://HOST[:PORT] or
// HOST[:PORT] with TLS.
struct StoreEndpoint {
  std::string scheme;
  std::string host_port;
  friend bool operator==(const StoreEndpoint&, const StoreEndpoint&) = default;
};

// Parses an endpoint. INVALID_ARGUMENT with what is allowed.
absl::StatusOr<StoreEndpoint> ParseStoreEndpoint(std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_STORE_LOCATION_H_
