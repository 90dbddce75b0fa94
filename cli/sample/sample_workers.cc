#include "cli/sample/sample_workers.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "partition/schema/feature_memory.h"

namespace tributary {
namespace {

constexpr uint64_t kMaxThreads = 64;

absl::Status ParseMode(const SampleArguments& arguments,
                       SampleRequest* request) {
  const std::string& mode = arguments.mode;
  const bool remote = arguments.graph.empty();
  if (!mode.empty() && mode != "collocated" && mode != "mp" &&
      mode != "remote") {
    return UsageError(
        absl::StrCat("--mode ", mode,
                     "\nallowed: collocated, mp (with --graph), remote "
                     "(with --servers)"));
  }
  if (!mode.empty() && remote != (mode == "remote")) {
    return UsageError(absl::StrCat(
        "--mode ", mode, " with ", remote ? "--servers" : "--graph",
        "\nallowed: collocated, mp with --graph; remote with --servers"));
  }
  ASSIGN_OR_RETURN(const uint64_t workers,
                   ParseWhole("--num-workers", arguments.num_workers, 1, 64));
  if (mode == "mp") {
    request->num_workers = static_cast<int>(workers);
  } else if (workers != 1) {
    return UsageError("--num-workers\nallowed: with --mode mp");
  }
  const auto where = ParseFeatureMemory(arguments.feature_memory);
  if (!where.ok()) {
    return UsageError(absl::StrCat("--feature-memory: ",
                                   std::string(where.status().message())));
  }
  if (remote && *where != FeatureMemory::kAuto) {
    return UsageError(
        "--feature-memory with --servers\nallowed: with --graph; servers have "
        "the option, too");
  }
  request->feature_memory = *where;
  return absl::OkStatus();
}

// Local modes have no use for the files, which the environment may name all the
// same.
absl::Status ParseTls(const SampleArguments& arguments,
                      SampleRequest* request) {
  if (!request->graph.empty()) return absl::OkStatus();
  const absl::Status status = CheckTlsFiles(arguments.tls);
  if (!status.ok()) return UsageError(status.message());
  request->worker.tls = arguments.tls;
  return absl::OkStatus();
}

// Checks the worker's options as the loader does, but before anything is
// opened.
absl::Status CheckWorker(const SampleRequest& request) {
  RemoteDistSamplingWorkerOptions worker = request.worker;
  if (worker.servers.empty()) worker.servers = "127.0.0.1:1";  // any
  const absl::Status status = worker.Validate();
  return status.ok() ? status : UsageError(status.message());
}

}  // namespace

absl::Status ParseSampleSource(const SampleArguments& arguments,
                               SampleRequest* request) {
  request->worker_options = arguments.worker_options;
  if (!arguments.worker_options.empty()) {
    if (arguments.graph.empty() && arguments.servers.empty() &&
        arguments.mode.empty() && arguments.graph_name.empty() &&
        arguments.worker_key == SampleArguments().worker_key) {
      return absl::OkStatus();
    }
    return UsageError(
        "--worker-options with --graph, --graph-name, --servers, --mode or "
        "--worker-key\n"
        "allowed: --worker-options alone, as the file has these options");
  }
  if (arguments.graph.empty() == arguments.servers.empty()) {
    return UsageError(absl::StrCat(
        arguments.graph.empty() ? "neither --graph nor" : "both --graph and",
        " --servers\nallowed: one of --graph DIR and --servers "
        "HOST:PORT,...|file:PATH|dns:///NAME:PORT"));
  }
  if (!arguments.graph.empty() && !arguments.graph_name.empty()) {
    return UsageError(
        "--graph-name with --graph\nallowed: with --servers, to name one of "
        "their graphs");
  }
  if (!arguments.graph.empty() && arguments.trainer_cache != "off" &&
      arguments.trainer_cache != "auto") {
    return UsageError(
        "--trainer-cache with --graph\nallowed: with --servers; in the same "
        "process, and over shared memory, rows are not sent");
  }
  if (!arguments.graph.empty() && arguments.transport != "auto") {
    return UsageError(
        "--transport with --graph\nallowed: with --servers; a graph's folder "
        "is "
        "sampled on this machine");
  }
  request->graph = arguments.graph;
  request->worker.transport = arguments.transport;
  request->worker.servers = arguments.servers;
  return ParseMode(arguments, request);
}

absl::Status ParseSampleWorker(const SampleArguments& arguments,
                               SampleRequest* request) {
  ASSIGN_OR_RETURN(const uint64_t threads,
                   ParseWhole("--threads", arguments.threads, 1, kMaxThreads));
  request->threads = static_cast<int>(threads);
  request->worker.num_rpc_threads = request->threads;
  ASSIGN_OR_RETURN(request->worker.rpc_timeout,
                   ParseSeconds("--rpc-timeout", arguments.rpc_timeout,
                                absl::Milliseconds(100), absl::Hours(24)));
  auto bytes = ParseByteSize(arguments.buffer_size);
  if (!bytes.ok() || *bytes == 0) {
    return UsageError(absl::StrCat("--buffer-size \"", arguments.buffer_size,
                                   "\"\nallowed: bytes such as 256MB, 1.5GB, "
                                   "4096"));
  }
  request->worker.buffer_size = *bytes;
  ASSIGN_OR_RETURN(
      const uint64_t max_servers,
      ParseWhole("--max-servers", arguments.max_servers, 0, 65536));
  request->worker.max_servers = static_cast<int>(max_servers);
  request->worker.trainer_cache = arguments.trainer_cache;
  request->worker.trainer_cache_list = arguments.trainer_cache_list;
  request->worker.trace_file = arguments.trace_file;
  request->worker.worker_key = arguments.worker_key;
  RETURN_IF_ERROR(
      ParseGraphName("--graph-name", arguments.graph_name).status());
  request->worker.graph_name = arguments.graph_name;
  RETURN_IF_ERROR(ParseTls(arguments, request));
  return CheckWorker(*request);
}

}  // namespace tributary
