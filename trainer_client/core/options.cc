#include "trainer_client/core/options.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "channel/network.h"
#include "common/fleet/address.h"
#include "common/fleet/graph_name.h"
#include "common/io/buffer.h"
#include "common/text/status.h"
#include "common/text/utf8.h"
#include "trainer_client/core/held/trainer_cache_size.h"

namespace tributary {
namespace {

absl::Status OptionError(absl::string_view field, absl::string_view value,
                         absl::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat("RemoteDistSamplingWorkerOptions.", field, " is ",
                   value.empty() ? "empty" : value, "; allowed: ", allowed));
}

absl::Status CheckRange(absl::string_view field, int64_t value, int64_t low,
                        int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return OptionError(field, absl::StrCat(value),
                     absl::StrCat(low, " to ", high));
}

// A static list has a last number, other sources may grow.
absl::Status CheckServerRanks(const std::vector<int>& ranks, int num_servers) {
  for (size_t i = 0; i < ranks.size(); ++i) {
    RETURN_IF_ERROR(CheckRange("server_rank", ranks[i], 0, num_servers - 1));
    for (size_t j = 0; j < i; ++j) {
      if (ranks[i] != ranks[j]) continue;
      return OptionError("server_rank", absl::StrCat(ranks[i], " twice"),
                         "each server once");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMaster(const std::string& host, int port) {
  RETURN_IF_ERROR(CheckRange("master_port", port, 1, 65535));
  const Address address{host, static_cast<uint16_t>(port)};
  if (ParseAddress(address.ToString()).ok()) return absl::OkStatus();
  return OptionError("master_addr", host, "a host name or an IP address");
}

absl::Status CheckServers(const RemoteDistSamplingWorkerOptions& options) {
  int num_servers = 65536;
  if (!options.servers.empty()) {
    ASSIGN_OR_RETURN(const DiscoverySource source,
                     ParseDiscoverySource(options.servers));
    if (source.kind == DiscoverySource::Kind::kStatic) {
      num_servers = static_cast<int>(source.addresses.size());
    }
  } else if (options.master_addr.empty()) {
    return OptionError(
        "servers", "",
        "HOST:PORT,... | file:PATH | dns:///NAME:PORT (or master_addr "
        "and master_port in its place)");
  } else {
    RETURN_IF_ERROR(CheckMaster(options.master_addr, options.master_port));
    num_servers = 1;
  }
  return CheckServerRanks(options.server_rank, num_servers);
}

absl::Status CheckDevices(const std::vector<std::string>& devices) {
  for (const std::string& device : devices) {
    if (device == "cpu") continue;
    return OptionError("worker_devices", device,
                       "\"cpu\": remote servers sample there");
  }
  return absl::OkStatus();
}

absl::Status CheckGraphName(const std::string& name) {
  if (!IsUtf8(name)) return OptionError("graph_name", name, "UTF-8");
  const auto parsed = GraphName::Parse(name);
  if (parsed.ok()) return absl::OkStatus();
  return OptionError("graph_name", name, parsed.status().message());
}

absl::Status CheckTls(const TlsFiles& tls) {
  const absl::Status status = CheckTlsFiles(tls);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("RemoteDistSamplingWorkerOptions.tls: ", status.message()));
}

absl::Status CheckTrainerCache(const std::string& text) {
  if (TrainerCacheSize::Parse(text).ok()) return absl::OkStatus();
  return OptionError("trainer_cache", text, kTrainerCacheSizes);
}

}  // namespace

absl::Status RemoteDistSamplingWorkerOptions::Validate() const {
  RETURN_IF_ERROR(CheckServers(*this));
  RETURN_IF_ERROR(CheckRange("num_clients", num_clients, 0, 65536));
  RETURN_IF_ERROR(
      CheckRange("client_rank", client_rank, 0, std::max(num_clients - 1, 0)));
  RETURN_IF_ERROR(CheckRange("max_servers", max_servers, 0, 65536));
  RETURN_IF_ERROR(CheckRange("num_workers", num_workers, 1, 64));
  RETURN_IF_ERROR(CheckDevices(worker_devices));
  RETURN_IF_ERROR(CheckRange("worker_concurrency", worker_concurrency, 1, 32));
  RETURN_IF_ERROR(CheckRange("num_rpc_threads", num_rpc_threads, 1, 64));
  if (rpc_timeout < absl::Milliseconds(100) || rpc_timeout > absl::Hours(24)) {
    return OptionError("rpc_timeout", absl::FormatDuration(rpc_timeout),
                       "0.1 s to 1 day");
  }
  constexpr uint64_t kMinRing = uint64_t{64} << 10;
  const uint64_t max_ring = PhysicalMemoryBytes();
  if (buffer_size < kMinRing || buffer_size > max_ring) {
    return OptionError(
        "buffer_size", absl::StrCat(buffer_size, " bytes"),
        absl::StrCat("64 KiB to this machine's memory, ", max_ring));
  }
  RETURN_IF_ERROR(CheckRange("prefetch_size", prefetch_size, 1, 1024));
  RETURN_IF_ERROR(CheckGraphName(graph_name));
  RETURN_IF_ERROR(CheckTrainerCache(trainer_cache));
  if (!ParseCarrier(transport).ok()) {
    return OptionError("transport", transport, "auto, grpc, tcp");
  }
  if (worker_key.empty() || worker_key.size() > 256) {
    return OptionError("worker_key",
                       absl::StrCat(worker_key.size(), " bytes long"),
                       "1 to 256 bytes");
  }
  // It travels in a protobuf string.
  if (!IsUtf8(worker_key))
    return OptionError("worker_key", worker_key, "UTF-8");
  return CheckTls(tls);
}

absl::StatusOr<DiscoverySource> RemoteDistSamplingWorkerOptions::Source()
    const {
  if (!servers.empty()) return ParseDiscoverySource(servers);
  DiscoverySource source;
  source.addresses.push_back({master_addr, static_cast<uint16_t>(master_port)});
  return source;
}

}  // namespace tributary
