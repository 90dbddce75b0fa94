#include "cli/fetch/store_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/fetch/arrow_store.h"
#include "cli/fetch/store_location.h"
#include "common/text/status.h"

namespace tributary {

void AddStoreFlags(CLI::App& app, StoreFlags& flags) {
  app.add_option(
      "--endpoint", flags.endpoint,
      "http://HOST:PORT or https://HOST of the object store; "
      "default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or Amazon S3");
  app.add_option("--region", flags.region,
                 "Region; default: AWS_REGION, AWS_DEFAULT_REGION, or the "
                 "bucket's");
  app.add_flag("--anonymous", flags.anonymous,
               "Use no credentials: for public buckets");
  app.add_option("--jobs", flags.jobs, "Requests at a time: 1 to 64")
      ->capture_default_str();
  app.add_option("--retry-for", flags.retry_for,
                 "Seconds for which a request that fails is made again")
      ->capture_default_str();
}

absl::StatusOr<StoreSettings> ReadStoreFlags(const StoreFlags& flags) {
  StoreSettings settings;
  ASSIGN_OR_RETURN(const uint64_t jobs,
                   ParseWhole("--jobs", flags.jobs, 1, 64));
  settings.jobs = static_cast<int>(jobs);
  ASSIGN_OR_RETURN(settings.retry_for,
                   ParseSeconds("--retry-for", flags.retry_for,
                                absl::ZeroDuration(), absl::Hours(24)));
  if (flags.endpoint.empty()) return settings;
  const auto endpoint = ParseStoreEndpoint(flags.endpoint);
  if (endpoint.ok()) return settings;
  return UsageError(absl::StrCat("--endpoint ", endpoint.status().message()));
}

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenStore(
    const std::string& url, const StoreFlags& flags,
    const StoreSettings& settings) {
  const auto location = ParseStoreLocation(url);
  if (!location.ok()) return UsageError(location.status().message());
  ArrowStoreOptions options;
  options.location = *location;
  options.endpoint = flags.endpoint;
  options.region = flags.region;
  options.anonymous = flags.anonymous;
  options.try_for = settings.retry_for;
  return OpenArrowStore(options);
}

}  // namespace tributary
