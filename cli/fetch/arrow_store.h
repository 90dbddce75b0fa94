// Object stores that speak S3, and folders, through Arrow's file systems.
#ifndef TRIBUTARY_CLI_FETCH_ARROW_STORE_H_
#define TRIBUTARY_CLI_FETCH_ARROW_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/fetch/object_store.h"
#include "cli/fetch/store_location.h"

namespace tributary {

struct ArrowStoreOptions {
  StoreLocation location;
  // http://HOST:PORT and the like; empty: AWS_ENDPOINT_URL_S3,
  // AWS_ENDPOINT_URL, or Amazon's.
  std::string endpoint;
  // Empty: AWS_REGION, AWS_DEFAULT_REGION, or found out by the bucket.
  std::string region;
  bool anonymous = false;  // use no credentials
  // For how long a part of an object that is being written is sent again, and a
  // bucket is asked for its region.
  absl::Duration try_for = absl::Minutes(5);
};

// Opens a store; connects to nothing, except to find a bucket's region.
// Credentials are found as by all of Amazon's programs: AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY, profiles, web identity tokens, metadata services.
// Certificates are checked against SSL_CERT_FILE, or the system's bundle.
// INVALID_ARGUMENT for a wrong endpoint. At most one store is open at a time.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenArrowStore(
    const ArrowStoreOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_ARROW_STORE_H_
