#include "benchmarks/lib/bench/bench_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "benchmarks/lib/bench/limit_memory.h"
#include "benchmarks/lib/measure/loopback_tcp.h"
#include "benchmarks/lib/measure/memory_bandwidth.h"
#include "common/batch/batch_counts.h"
#include "common/io/buffer.h"
#include "common/io/file_mapping.h"
#include "common/io/unfinished_folder.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/schema/schema.h"
#include "partition/writer/writer.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

constexpr size_t kMaxJsonBytes = size_t{256} << 20;
constexpr uint64_t kMinTcpBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxTcpBytes = uint64_t{8} << 30;

// How long the limit is measured if the batches are not measured by time.
constexpr absl::Duration kLimitTime = absl::Seconds(1);

struct Measured {
  BatchCounts counts;
  uint64_t batches = 0;
  double first_batch_seconds = 0;
  double seconds = 0;
  double waited_seconds = 0;
  double wait_ratio = 0;
  double held_share = 0;
  double compact_share = 0;
  double wire_bytes_per_batch = 0;
};

absl::StatusOr<UnfinishedFolder> MakeTemporaryFolder() {
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::temp_directory_path(error);
  auto folder = UnfinishedFolder::Create(
      (error ? "/tmp" : parent.string()) + "/tributary-", 0700);
  if (folder.ok()) return folder;
  return absl::Status(folder.status().code(),
                      absl::StrCat(folder.status().message(),
                                   "; set TMPDIR to a folder that "
                                   "can be written"));
}

absl::Status Generate(const RmatOptions& rmat, const std::string& folder) {
  ASSIGN_OR_RETURN(const GraphContent content, GenerateRmat(rmat));
  ASSIGN_OR_RETURN(NodePlan plan, PlanNodes(content, PartitionOptions()));
  return WriteGraph(content, std::move(plan), folder,
                    {.made_by = "tributary bench", .flush = false})
      .status();
}

// Makes the batches, and how much memory they read.
struct Source {
  std::unique_ptr<SamplingWorkers> workers;
  uint64_t bytes_touched = 0;  // of a graph's folder
};

absl::StatusOr<Source> OpenSource(const BenchOptions& options) {
  Source source;
  ASSIGN_OR_RETURN(source.workers, SamplingWorkers::OpenSource(options.source));
  const std::string& graph = options.source.graph;
  if (graph.empty()) return source;
  // A loader's schema comes from a server, without the list of files.
  ASSIGN_OR_RETURN(const std::string json,
                   ReadFile(absl::StrCat(graph, "/graph.json"), kMaxJsonBytes));
  ASSIGN_OR_RETURN(const GraphSchema schema, GraphSchema::FromJson(json));
  source.bytes_touched = BytesTouched(schema, options.session);
  return source;
}

// Opens the source; generates a graph if the options name none. The folder of a
// generated graph is removed once it is mapped, so nothing is left behind,
// however the process ends.
absl::StatusOr<Source> Open(BenchOptions options) {
  BatchSourceOptions& source = options.source;
  if (!source.graph.empty() || !source.worker.servers.empty()) {
    return OpenSource(options);
  }
  ASSIGN_OR_RETURN(const UnfinishedFolder folder, MakeTemporaryFolder());
  source.graph = absl::StrCat(folder.path(), "/graph");
  source.worker.num_rpc_threads = 1;  // as of a graph that is named
  RETURN_IF_ERROR(Generate(options.rmat, source.graph));
  return OpenSource(options);
}

double SecondsSince(absl::Time start) {
  return absl::ToDoubleSeconds(SteadyClock().Now() - start);
}

// Returns the next batch; none at the end of the requested batches.
absl::StatusOr<std::optional<BatchLease>> NextOf(const BenchOptions& options,
                                                 DistLoader& loader,
                                                 uint64_t& epoch) {
  ASSIGN_OR_RETURN(std::optional<BatchLease> batch, loader.Next());
  if (batch.has_value() || options.time == absl::ZeroDuration()) return batch;
  RETURN_IF_ERROR(loader.StartEpoch(++epoch));
  return loader.Next();
}

absl::StatusOr<Measured> Measure(const BenchOptions& options,
                                 DistLoader& loader) {
  const bool timed = options.time > absl::ZeroDuration();
  const double wanted = absl::ToDoubleSeconds(options.time);
  uint64_t epoch = options.epoch;
  const absl::Time began = SteadyClock().Now();
  RETURN_IF_ERROR(loader.StartEpoch(epoch));
  if (!timed) RETURN_IF_ERROR(loader.Limit(options.from, options.to));
  Measured m;
  ASSIGN_OR_RETURN(std::optional<BatchLease> batch,
                   NextOf(options, loader, epoch));
  m.first_batch_seconds = SecondsSince(began);
  batch.reset();
  const LoaderStats before = loader.stats();
  const absl::Time start = SteadyClock().Now();
  while (!timed || m.seconds < wanted || m.batches == 0) {
    ASSIGN_OR_RETURN(batch, NextOf(options, loader, epoch));
    if (!batch.has_value()) break;
    ++m.batches;
    m.counts += CountBatch(batch->view());
    absl::SleepFor(options.step_time);
    batch.reset();
    m.seconds = SecondsSince(start);
  }
  const LoaderStats after = loader.stats();
  m.waited_seconds = absl::ToDoubleSeconds(after.waited);
  m.wait_ratio = after.wait_ratio;
  if (after.bytes > before.bytes) {
    m.held_share = static_cast<double>(after.left_out - before.left_out) /
                   static_cast<double>(after.bytes - before.bytes);
    m.compact_share = static_cast<double>(after.compact - before.compact) /
                      static_cast<double>(after.bytes - before.bytes);
  }
  if (options.kind == BenchKind::kStream && m.batches > 0) {
    m.wire_bytes_per_batch =
        static_cast<double>(after.wire_bytes() - before.wire_bytes()) /
        static_cast<double>(m.batches);
  }
  if (m.batches > 0) return m;
  return absl::OutOfRangeError(
      "fewer than two batches came, too few for a rate; give more --batches, "
      "a smaller --batch-size or more --input-nodes");
}

absl::Status MeasureLimit(const BenchOptions& options, uint64_t bytes_touched,
                          const Measured& measured, BenchReport& report) {
  const int threads = options.threads;
  const absl::Duration time =
      options.time > absl::ZeroDuration() ? options.time : kLimitTime;
  const LimitMemory memory = LimitMemoryOf(bytes_touched, UsableMemoryBytes());
  switch (options.kind) {
    case BenchKind::kSample:
      report.limit = absl::StrCat("random cache lines of ", memory.ToString());
      report.limit_per_second =
          MeasureRandomLineRate(threads, memory.measured, time).per_second;
      report.ratio = report.edges_per_second / report.limit_per_second;
      return absl::OkStatus();
    case BenchKind::kGather:
      report.limit = "bytes of memcpy";
      report.limit_per_second = MeasureMemcpyRate(threads, time).per_second;
      report.random_line_memory = memory.ToString();
      report.random_line_bytes_per_second =
          kCacheLine *
          MeasureRandomLineRate(threads, memory.measured, time).per_second;
      break;
    case BenchKind::kStream: {
      report.limit = "bytes over one loopback TCP connection";
      ASSIGN_OR_RETURN(
          report.limit_per_second,
          LoopbackTcpBytesPerSecond(1, std::clamp(measured.counts.bytes,
                                                  kMinTcpBytes, kMaxTcpBytes)));
      break;
    }
  }
  report.ratio = report.bytes_per_second / report.limit_per_second;
  return absl::OkStatus();
}

BenchReport ReportOf(const BenchOptions& options, const GraphSchema& schema,
                     const Measured& m) {
  BenchReport report;
  report.kind = options.kind;
  report.graph = schema.name;
  report.nodes = schema.NumNodes();
  report.edges = schema.NumEdges();
  report.batch_size = options.session.batch_size;
  report.threads = options.threads;
  report.first_batch_seconds = m.first_batch_seconds;
  report.batches = m.batches;
  report.seconds = m.seconds;
  report.waited_seconds = m.waited_seconds;
  report.step_seconds = absl::ToDoubleSeconds(options.step_time);
  report.wait_ratio = m.wait_ratio;
  report.held_share = m.held_share;
  report.compact_share = m.compact_share;
  report.wire_bytes_per_batch = m.wire_bytes_per_batch;
  const auto rate = [&m](uint64_t n) {
    return static_cast<double>(n) / m.seconds;
  };
  report.batches_per_second = rate(m.batches);
  report.inputs_per_second = rate(m.counts.inputs);
  report.edges_per_second = rate(m.counts.edges);
  report.bytes_per_second = rate(m.counts.bytes);
  return report;
}

}  // namespace

absl::StatusOr<BenchReport> RunBench(const BenchOptions& options) {
  if (options.kind == BenchKind::kStream &&
      (!options.source.graph.empty() ||
       options.source.worker.servers.empty())) {
    return absl::InvalidArgumentError(
        "this benchmark needs --servers and no graph");
  }
  SessionOptions session = options.session;
  if (options.kind == BenchKind::kSample) {
    session.collect = CollectedColumns::None();
  }
  ASSIGN_OR_RETURN(const auto source, Open(options));
  GraphSchema schema;
  Measured measured;
  {
    ASSIGN_OR_RETURN(const auto loader, source.workers->OpenLoader(session));
    ASSIGN_OR_RETURN(measured, Measure(options, *loader));
    schema = loader->schema();
  }  // the loader ends: nothing is prefetched while the limit is measured
  BenchReport report = ReportOf(options, schema, measured);
  RETURN_IF_ERROR(
      MeasureLimit(options, source.bytes_touched, measured, report));
  return report;
}

}  // namespace tributary
