#include "cli/sample/sample_command.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/command/arguments.h"
#include "cli/sample/ext_ids.h"
#include "cli/sample/sample_files.h"
#include "cli/sample/sample_flags.h"
#include "cli/sample/sample_output.h"
#include "cli/sample/sample_request.h"
#include "cli/sample/sample_source.h"
#include "cli/sample/shown_traces.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "trainer_client/modes/ring_maker.h"

namespace tributary {
namespace {

constexpr char kDescription[] =
    R"(Makes batches of sampled neighbourhoods and prints a line for each:

  epoch index sha256 inputs nodes edges bytes

The same command prints the same lines from a folder or from any fleet that
serves it, however many partitions, servers and threads there are.)";

constexpr char kFooter[] = R"(Examples:
  The first three batches of epoch 2, from a folder:
    tributary sample --graph cora4 --input-nodes train --num-neighbors 10,5 \
        --batch-size 32 --random-seed 11 --epoch 2 --batches 0:3
  The same from two servers, and their tensors as .npz files in out/:
    tributary sample --servers 10.0.0.1:50051,10.0.0.2:50051 --out out \
        --input-nodes train --num-neighbors 10,5 --batch-size 32 \
        --random-seed 11 --epoch 2 --batches 0:3
  Where the time of each batch went, by server and stage:
    tributary sample --servers 10.0.0.1:50051,10.0.0.2:50051 --trace \
        --input-nodes train --num-neighbors 10,5 --batch-size 32
  All neighbours of three nodes, in the order given:
    tributary sample --graph cora4 --input-nodes 5,17,4 --num-neighbors=-1 \
        --batch-size 3 --shuffle none
  A typed graph: 4 and 3 neighbours, 2 authors in the first hop:
    tributary sample --graph aifb --input-nodes person:train \
        --num-neighbors '4,3;publication,author,person=2,0' --batch-size 16
  Ten random walks of 40 steps from each node, by node2vec:
    tributary sample --graph cora4 --kind walk --walk-length 40 \
        --walks-per-node 10 --p 1 --q 2 --input-nodes train --batch-size 32
  The 32 nodes of the largest personalised PageRank of each node:
    tributary sample --graph cora4 --kind ppr --top-k 32 --alpha 0.25 \
        --input-nodes train --batch-size 32
  Links of a file, two negatives for each, and neighbours of all their ends:
    tributary sample --graph cora4 --kind link --input-edges @links.csv \
        --neg-sampling binary --neg-amount 2 --num-neighbors 10,5 \
        --batch-size 32
  Two layers by LADIES, of 128 and 64 nodes:
    tributary sample --graph cora4 --kind layerwise --nodes-per-layer 128,64 \
        --input-nodes train --batch-size 32)";

absl::Status PrintLine(const BatchView& batch) {
  // Flushed, so that a reader of a pipe gets each line at once.
  if (std::printf("%s\n", SampleLine(batch).c_str()) < 0 ||
      std::fflush(stdout) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot write to stdout: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status CheckRange(const IndexRange& range, const DistLoader& loader) {
  const uint64_t batches = loader.num_batches();
  if (range.from < batches) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(
      "--batches ", range.from, ":", range.to, " holds none: the epoch has ",
      batches, " batches of ", loader.num_inputs(),
      " inputs\nallowed: FROM below ", batches));
}

// What is done with the batches, beside the lines on stdout.
struct Use {
  const SampleFiles* files = nullptr;  // null: writes none
  const ExtIds* ext_ids = nullptr;     // null: without the user's ids of nodes
  ShownTraces* traces = nullptr;       // null: shows none
  absl::Duration step_time;            // holds each batch so long
  bool summary = false;                // prints the bytes of all at the end
};

// Prints the remaining batches of the epoch.
absl::Status Drain(const Use& use, DistLoader* loader) {
  const auto& [files, ext_ids, traces, step_time, summary] = use;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<BatchLease> batch, loader->Next());
    if (!batch.has_value()) break;
    ExtTensors more;
    if (ext_ids != nullptr) {
      ASSIGN_OR_RETURN(more, ext_ids->TensorsOf(batch->view().tensors()));
    }
    if (files != nullptr) {
      RETURN_IF_ERROR(files->Write(batch->view(), more.views));
    }
    RETURN_IF_ERROR(PrintLine(batch->view()));
    if (traces != nullptr) traces->Print(batch->view().key());
    absl::SleepFor(step_time);
  }
  if (summary) {
    absl::FPrintF(stderr, "%s\n", SummaryLine(loader->stats()));
  }
  return absl::OkStatus();
}

// Errors are returned as the status; what a cache does is not one, nor that a
// trace's file is full.
LogLevel LevelFor(const RemoteDistSamplingWorkerOptions& worker) {
  if (worker.trainer_cache == "auto") return LogLevel::kInfo;
  if (worker.trainer_cache != "off" || !worker.trace_file.empty()) {
    return LogLevel::kWarning;
  }
  return LogLevel::kOff;
}

// The log is off, and with it the warning of the ring's maker.
void WarnOfPlainMemory(const SamplingWorkers& source) {
  const std::string warning = RingMaker::WarningOf(source.loader().pin_memory);
  if (warning.empty()) return;
  std::fputs(TerminalError("tributary sample", warning).c_str(), stderr);
}

absl::Status Sample(SampleRequest request, Use use) {
  RETURN_IF_ERROR(ReadListFiles(&request.session));
  TracedObserver on_traced;
  if (use.traces != nullptr) on_traced = use.traces->Observer();
  ASSIGN_OR_RETURN(
      const std::unique_ptr<SamplingWorkers> source,
      OpenSampleSource(request, "tributary sample", std::move(on_traced)));
  WarnOfPlainMemory(*source);
  ASSIGN_OR_RETURN(const std::unique_ptr<DistLoader> loader,
                   source->OpenLoader(request.session.options));
  RETURN_IF_ERROR(CheckRange(request.batches, *loader));
  RETURN_IF_ERROR(loader->StartEpoch(request.epoch));
  RETURN_IF_ERROR(loader->Limit(request.batches.from, request.batches.to));
  if (request.out.empty()) return Drain(use, loader.get());
  ASSIGN_OR_RETURN(const SampleFiles files, SampleFiles::In(request.out));
  use.files = &files;
  return Drain(use, loader.get());
}

class SampleCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override;
  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const std::optional<ExtIds> ext_ids, OpenExtIds());
    ExtInputs inputs;
    if (!input_ext_ids_.empty()) {
      ASSIGN_OR_RETURN(inputs, ext_ids->ReadInputs(input_ext_ids_));
      // Any id: the request gets the real ones below.
      arguments_.session.Set(
          "input_nodes",
          inputs.type.empty() ? "0" : absl::StrCat(inputs.type, ":0"));
    }
    ASSIGN_OR_RETURN(SampleRequest request, ParseSampleArguments(arguments_));
    if (!input_ext_ids_.empty()) {
      request.session.options.input_nodes = std::move(inputs.nodes);
    }
    Use use;
    use.ext_ids = ext_ids_ ? &*ext_ids : nullptr;
    ASSIGN_OR_RETURN(use.step_time,
                     ParseSeconds("--step-time", step_time_,
                                  absl::ZeroDuration(), absl::Minutes(1)));
    ShownTraces traces;
    if (trace_) use.traces = &traces;
    use.summary = summary_;
    SetLogLevel(LevelFor(request.worker));
    return Sample(std::move(request), use);
  }

 private:
  // Opens the dictionaries, if a flag needs them.
  absl::StatusOr<std::optional<ExtIds>> OpenExtIds() const {
    if (input_ext_ids_.empty() && !ext_ids_) return std::optional<ExtIds>();
    const char* flag = ext_ids_ ? "--ext-ids" : "--input-ext-ids";
    if (arguments_.graph.empty()) {
      return UsageError(absl::StrCat(
          flag,
          " without --graph\nallowed: with the graph's folder, which has "
          "the dictionary of ids"));
    }
    if (ext_ids_ && arguments_.out.empty()) {
      return UsageError("--ext-ids without --out\nallowed: with --out DIR");
    }
    if (!input_ext_ids_.empty() && arguments_.session.Gives("input_nodes")) {
      return UsageError(
          "--input-ext-ids with --input-nodes\nallowed: one of them");
    }
    ASSIGN_OR_RETURN(ExtIds ids, ExtIds::Open(arguments_.graph));
    return std::make_optional(std::move(ids));
  }

  SampleArguments arguments_;
  std::string input_ext_ids_;
  bool ext_ids_ = false;
  bool trace_ = false;
  bool summary_ = false;
  std::string step_time_ = "0";
};

CLI::App* SampleCommand::Declare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("sample", kDescription);
  app->footer(kFooter);
  DeclareSampleSource(*app, arguments_);
  DeclareSession(*app, arguments_);
  DeclareSampleLimits(*app, arguments_);
  app->add_option("--out", arguments_.out,
                  "Also write batch-EPOCH-INDEX.npz files into this folder")
      ->type_name("DIR");
  app->add_option("--input-ext-ids", input_ext_ids_,
                  "Instead of --input-nodes: the ids of the user's data, ID,ID "
                  "or @FILE with one a line; TYPE: before it in a typed graph")
      ->type_name("IDS");
  app->add_flag("--ext-ids", ext_ids_,
                "Also write the nodes' ids in the user's data: ext_id");
  app->add_flag("--trace", trace_,
                "Also print on stderr, after the line of each batch, where its "
                "time went");
  app->add_flag("--summary", summary_,
                "Also print on stderr, after the last batch, the bytes of all "
                "batches, and how many of them were sent");
  app->add_option("--step-time", step_time_,
                  "Hold each batch for so many seconds, as the step of a "
                  "trainer does")
      ->type_name("S")
      ->capture_default_str();
  return app;
}

}  // namespace

std::unique_ptr<Command> MakeSampleCommand() {
  return std::make_unique<SampleCommand>();
}

}  // namespace tributary
