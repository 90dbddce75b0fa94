#include "trainer_client/modes/options.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr uint64_t kLeastRing = uint64_t{64} << 10;

// Checks of one mode's options.
class Checks {
 public:
  explicit Checks(absl::string_view mode) : mode_(mode) {}

  absl::Status Bad(absl::string_view field, absl::string_view value,
                   absl::string_view allowed) const {
    return absl::InvalidArgumentError(
        absl::StrCat(mode_, "DistSamplingWorkerOptions.", field, " is ",
                     value.empty() ? "empty" : value, "; allowed: ", allowed));
  }
  absl::Status Range(absl::string_view field, int64_t value, int64_t low,
                     int64_t high) const {
    if (value >= low && value <= high) return absl::OkStatus();
    return Bad(field, absl::StrCat(value), absl::StrCat(low, " to ", high));
  }

  // Checks the options that the local modes have in common.
  template <typename Options>
  absl::Status Local(const Options& options) const {
    if (options.graph.empty()) return Bad("graph", "", "a graph's folder");
    for (const std::string& device : options.worker_devices) {
      if (device != "cpu") return Bad("worker_devices", device, "\"cpu\"");
    }
    RETURN_IF_ERROR(
        Range("worker_concurrency", options.worker_concurrency, 1, 32));
    RETURN_IF_ERROR(Range("num_rpc_threads", options.num_rpc_threads, 1, 64));
    if (options.rpc_timeout < absl::Milliseconds(100) ||
        options.rpc_timeout > absl::Hours(24)) {
      return Bad("rpc_timeout", absl::FormatDuration(options.rpc_timeout),
                 "0.1 s to 1 day");
    }
    RETURN_IF_ERROR(Range("master_port", options.master_port, 0, 65535));
    return Range("prefetch_size", options.prefetch_size, 1, 1024);
  }
  absl::Status Ring(uint64_t bytes) const {
    const uint64_t most = PhysicalMemoryBytes();
    if (bytes >= kLeastRing && bytes <= most) return absl::OkStatus();
    return Bad("channel_size", absl::StrCat(bytes, " bytes"),
               absl::StrCat("64 KiB to this machine's memory, ", most));
  }

 private:
  const absl::string_view mode_;
};

struct Validator {
  absl::Status operator()(
      const CollocatedDistSamplingWorkerOptions& options) const {
    const Checks checks("Collocated");
    RETURN_IF_ERROR(checks.Local(options));
    RETURN_IF_ERROR(checks.Range("num_threads", options.num_threads, 0, 1024));
    return checks.Ring(options.channel_size);
  }
  absl::Status operator()(const MpDistSamplingWorkerOptions& options) const {
    const Checks checks("Mp");
    RETURN_IF_ERROR(checks.Local(options));
    RETURN_IF_ERROR(checks.Range("num_workers", options.num_workers, 1, 64));
    RETURN_IF_ERROR(checks.Range("num_threads", options.num_threads, 1, 1024));
    RETURN_IF_ERROR(checks.Range("numa_node", options.numa_node, -1, 1023));
    return options.channel_size == 0 ? absl::OkStatus()
                                     : checks.Ring(options.channel_size);
  }
  absl::Status operator()(
      const RemoteDistSamplingWorkerOptions& options) const {
    return options.Validate();
  }
};

template <typename Options>
RemoteDistSamplingWorkerOptions Common(const Options& options) {
  RemoteDistSamplingWorkerOptions loader;
  loader.max_servers = 0;  // the workers are this trainer's own
  loader.worker_concurrency = options.worker_concurrency;
  loader.num_rpc_threads = options.num_rpc_threads;
  loader.rpc_timeout = options.rpc_timeout;
  loader.buffer_size = options.channel_size;
  loader.prefetch_size = options.prefetch_size;
  loader.pin_memory = options.pin_memory;
  loader.trace_file = options.trace_file;
  return loader;
}

struct Translator {
  RemoteDistSamplingWorkerOptions operator()(
      const CollocatedDistSamplingWorkerOptions& options) const {
    return Common(options);
  }
  RemoteDistSamplingWorkerOptions operator()(
      const MpDistSamplingWorkerOptions& options) const {
    RemoteDistSamplingWorkerOptions loader = Common(options);
    if (loader.buffer_size == 0) {
      loader.buffer_size =
          static_cast<uint64_t>(options.num_workers) * (uint64_t{64} << 20);
    }
    return loader;
  }
  RemoteDistSamplingWorkerOptions operator()(
      const RemoteDistSamplingWorkerOptions& options) const {
    return options;
  }
};

// Returns a local mode's options from those of a command line.
template <typename Options>
Options LocalOf(const BatchSourceOptions& source) {
  Options options;
  options.graph = source.graph;
  if (source.num_threads != 0) options.num_threads = source.num_threads;
  options.feature_memory = source.feature_memory;
  options.worker_devices = source.worker.worker_devices;
  options.worker_concurrency = source.worker.worker_concurrency;
  options.num_rpc_threads = source.worker.num_rpc_threads;
  options.rpc_timeout = source.worker.rpc_timeout;
  options.channel_size = source.worker.buffer_size;
  options.prefetch_size = source.worker.prefetch_size;
  options.pin_memory = source.worker.pin_memory;
  options.trace_file = source.worker.trace_file;
  return options;
}

}  // namespace

SamplingWorkerOptionsOfAMode ModeOf(const BatchSourceOptions& source) {
  if (source.graph.empty()) return source.worker;
  if (source.num_workers == 0) {
    return LocalOf<CollocatedDistSamplingWorkerOptions>(source);
  }
  auto options = LocalOf<MpDistSamplingWorkerOptions>(source);
  options.num_workers = source.num_workers;
  options.worker_program = source.worker_program;
  return options;
}

absl::Status Validate(const SamplingWorkerOptionsOfAMode& options) {
  return std::visit(Validator(), options);
}

RemoteDistSamplingWorkerOptions LoaderOptionsOf(
    const SamplingWorkerOptionsOfAMode& options) {
  return std::visit(Translator(), options);
}

}  // namespace tributary
