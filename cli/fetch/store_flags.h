// The flags that get and put share.
#ifndef TRIBUTARY_CLI_FETCH_STORE_FLAGS_H_
#define TRIBUTARY_CLI_FETCH_STORE_FLAGS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/fetch/object_store.h"

namespace CLI {
class App;
}

namespace tributary {

// Flags as they were typed.
struct StoreFlags {
  std::string endpoint;
  std::string region;
  bool anonymous = false;
  std::string jobs = "8";
  std::string retry_for = "300";
};
void AddStoreFlags(CLI::App& app, StoreFlags& flags);

// Checked flags.
struct StoreSettings {
  int jobs = 0;
  absl::Duration retry_for;
};
// Usage errors name the flag.
absl::StatusOr<StoreSettings> ReadStoreFlags(const StoreFlags& flags);

// Opens the store at `url`. A usage error for what cannot be an URL; otherwise
// errors as OpenArrowStore.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenStore(
    const std::string& url, const StoreFlags& flags,
    const StoreSettings& settings);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_STORE_FLAGS_H_
