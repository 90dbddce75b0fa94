#include "trainer_client/modes/options_file.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/json/json_object.h"
#include "common/text/parse_byte_size.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/schema/feature_memory.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostBytes = size_t{64} << 10;

// Reads an object's members by name. As GLT's options, a member that is null is
// as one that is not there, and a number may be a text.
class Members {
 public:
  explicit Members(const Json& object) : in_(object, "") {}

  void Take(const char* name, std::string* to) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    if (!value->is_string()) return Bad(name, *value, "a text");
    *to = value->get<std::string>();
  }
  void Take(const char* name, bool* to) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    if (!value->is_boolean()) return Bad(name, *value, "true or false");
    *to = value->get<bool>();
  }
  void Take(const char* name, int* to) {
    if (const Json* value = Find(name)) TakeInt(name, *value, to);
  }
  void Take(const char* name, FeatureMemory* to) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    auto where = value->is_string()
                     ? ParseFeatureMemory(value->get<std::string>())
                     : absl::InvalidArgumentError("");
    if (!where.ok()) {
      return Bad(name, *value, "\"auto\", \"resident\", \"paged\"");
    }
    *to = *where;
  }
  // Seconds.
  void Take(const char* name, absl::Duration* to) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    const std::optional<double> seconds = NumberOf<double>(*value);
    if (!seconds || !std::isfinite(*seconds)) {
      return Bad(name, *value, "seconds");
    }
    *to = absl::Seconds(*seconds);
  }
  void TakeBytes(const char* name, uint64_t* to) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    if (value->is_number_unsigned()) {
      *to = value->get<uint64_t>();
      return;
    }
    auto bytes = value->is_string() ? ParseByteSize(value->get<std::string>())
                                    : absl::InvalidArgumentError("");
    if (!bytes.ok())
      return Bad(name, *value, "bytes, such as 1048576 or \"1GB\"");
    *to = *bytes;
  }
  // A number, or a list of them.
  void Take(const char* name, std::vector<int>* to) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    const Json list = value->is_array() ? *value : Json::array({*value});
    for (const Json& element : list) {
      TakeInt(name, element, &to->emplace_back());
    }
  }
  void Take(const char* name, std::vector<std::string>* to) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    const Json list = value->is_array() ? *value : Json::array({*value});
    for (const Json& element : list) {
      if (!element.is_string()) return Bad(name, element, "texts");
      to->push_back(element.get<std::string>());
    }
  }

  const absl::Status& status() const { return in_.status(); }
  // Returns the first error, which may be a member that was not taken.
  absl::Status Finish() {
    in_.RefuseOthers();
    return in_.status();
  }

 private:
  const Json* Find(const char* name) {
    const Json* found = in_.Find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  // Returns nullopt for what is no such number.
  template <typename T>
  static std::optional<T> NumberOf(const Json& value) {
    if (value.is_string()) return ParseNumber<T>(value.get<std::string>());
    if (!value.is_number()) return std::nullopt;
    if constexpr (std::is_integral_v<T>) {
      if (!value.is_number_integer() || value < std::numeric_limits<T>::min() ||
          value > std::numeric_limits<T>::max()) {
        return std::nullopt;
      }
    }
    return value.get<T>();
  }
  void TakeInt(const char* name, const Json& value, int* to) {
    const std::optional<int> number = NumberOf<int>(value);
    if (!number) return Bad(name, value, "a whole number");
    *to = *number;
  }
  void Bad(const char* name, const Json& value, const char* allowed) {
    in_.Fail(name, absl::StrCat("is ", value.dump().substr(0, 100),
                                "; allowed: ", allowed));
  }

  JsonObject in_;
};

template <typename Options>
void TakeCommon(Members& members, Options* options) {
  members.Take("worker_devices", &options->worker_devices);
  members.Take("worker_concurrency", &options->worker_concurrency);
  members.Take("num_rpc_threads", &options->num_rpc_threads);
  members.Take("rpc_timeout", &options->rpc_timeout);
  members.Take("prefetch_size", &options->prefetch_size);
  members.Take("pin_memory", &options->pin_memory);
  members.Take("trace_file", &options->trace_file);
}

// Takes the options that the local modes have in common.
template <typename Options>
Options TakeLocal(Members& members) {
  Options options;
  TakeCommon(members, &options);
  members.Take("graph", &options.graph);
  members.Take("num_threads", &options.num_threads);
  members.Take("feature_memory", &options.feature_memory);
  members.TakeBytes("channel_size", &options.channel_size);
  members.Take("master_addr", &options.master_addr);
  members.Take("master_port", &options.master_port);
  return options;
}

MpDistSamplingWorkerOptions TakeMp(Members& members) {
  auto options = TakeLocal<MpDistSamplingWorkerOptions>(members);
  members.Take("num_workers", &options.num_workers);
  members.Take("huge_pages", &options.huge_pages);
  members.Take("numa_node", &options.numa_node);
  members.Take("worker_program", &options.worker_program);
  return options;
}

RemoteDistSamplingWorkerOptions TakeRemote(Members& members) {
  RemoteDistSamplingWorkerOptions options;
  TakeCommon(members, &options);
  members.Take("servers", &options.servers);
  members.Take("server_rank", &options.server_rank);
  members.Take("num_clients", &options.num_clients);
  members.Take("client_rank", &options.client_rank);
  members.Take("max_servers", &options.max_servers);
  members.Take("num_workers", &options.num_workers);
  members.Take("master_addr", &options.master_addr);
  members.Take("master_port", &options.master_port);
  members.TakeBytes("buffer_size", &options.buffer_size);
  members.Take("trainer_cache", &options.trainer_cache);
  members.Take("trainer_cache_list", &options.trainer_cache_list);
  members.Take("transport", &options.transport);
  members.Take("worker_key", &options.worker_key);
  members.Take("graph_name", &options.graph_name);
  members.Take("tls_ca", &options.tls.ca);
  members.Take("tls_cert", &options.tls.cert);
  members.Take("tls_key", &options.tls.key);
  return options;
}

}  // namespace

absl::StatusOr<SamplingWorkerOptionsOfAMode> ParseWorkerOptions(
    absl::string_view json) {
  ASSIGN_OR_RETURN(const Json object, ParseJson(json, "options"));
  Members members(object);
  std::string mode;
  members.Take("mode", &mode);
  RETURN_IF_ERROR(members.status());
  SamplingWorkerOptionsOfAMode options;
  if (mode == "collocated") {
    options = TakeLocal<CollocatedDistSamplingWorkerOptions>(members);
  } else if (mode == "mp") {
    options = TakeMp(members);
  } else if (mode == "remote") {
    options = TakeRemote(members);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "mode is \"", mode, "\"; allowed: \"collocated\", \"mp\", \"remote\""));
  }
  RETURN_IF_ERROR(members.Finish());
  return options;
}

absl::StatusOr<SamplingWorkerOptionsOfAMode> ReadWorkerOptions(
    const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMostBytes));
  auto options = ParseWorkerOptions(text);
  const absl::Status status =
      options.ok() ? Validate(*options) : options.status();
  if (status.ok()) return options;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

}  // namespace tributary
