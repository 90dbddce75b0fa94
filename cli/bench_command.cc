#include "cli/bench_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/input_file.h"
#include "cli/sample_options.h"
#include "cli/sample_output.h"
#include "cli/sample_request.h"
#include "cli/sample_source.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/status.h"

namespace tributary {
namespace {

constexpr char kFooter[] = R"(Examples:
  What this machine samples and gathers, in one process:
    tributary bench sample --graph g --input-nodes train \
        --num-neighbors 15,10,5 --batch-size 1024 --threads 8
  What arrives from a fleet, as JSON:
    tributary bench stream --servers 10.0.0.1:50051,10.0.0.2:50051 --json \
        --input-nodes train --num-neighbors 15,10,5 --batch-size 1024)";

struct Measured {
  BatchCounts counts;
  uint64_t batches = 0;
  absl::Duration first;  // until the first batch was there
  absl::Duration rest;   // from then until the last: what rates are of
  absl::Duration waited;
};

absl::StatusOr<Measured> Drain(DistNeighborLoader* loader) {
  const absl::Time began = SteadyClock().Now();
  absl::Time first = began;
  Measured measured;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<BatchLease> batch, loader->Next());
    const absl::Time now = SteadyClock().Now();
    measured.rest = now - first;
    if (!batch.has_value()) break;
    if (++measured.batches == 1) {
      measured.first = now - began;
      first = now;
      continue;  // start-up is no part of the rates
    }
    measured.counts += CountBatch(batch->view());
  }
  measured.waited = loader->stats().waited;
  return measured;
}

absl::StatusOr<Measured> Measure(SampleRequest request) {
  if (!request.input_file.empty()) {
    ASSIGN_OR_RETURN(request.loader.input_nodes,
                     ReadInputFile(request.input_file));
  }
  ASSIGN_OR_RETURN(const auto source, SampleSource::Open(request));
  request.worker.servers = source->servers();
  ASSIGN_OR_RETURN(const auto loader,
                   DistNeighborLoader::Create(request.loader, request.worker,
                                              source->environment()));
  RETURN_IF_ERROR(loader->StartEpoch(request.epoch));
  RETURN_IF_ERROR(loader->Limit(request.batches.from, request.batches.to));
  ASSIGN_OR_RETURN(const Measured measured, Drain(loader.get()));
  if (measured.batches < 2) {
    return absl::OutOfRangeError(absl::StrCat(
        measured.batches,
        " batches came; a rate needs two or more: more "
        "--batches, a smaller --batch-size or more --input-nodes"));
  }
  return measured;
}

nlohmann::json AsJson(const Measured& m) {
  const double seconds = absl::ToDoubleSeconds(m.rest);
  const auto rate = [seconds](uint64_t n) {
    return static_cast<double>(n) / seconds;
  };
  return {{"batches", m.batches - 1},
          {"seconds", seconds},
          {"first_batch_seconds", absl::ToDoubleSeconds(m.first)},
          {"waited_seconds", absl::ToDoubleSeconds(m.waited)},
          {"batches_per_second", rate(m.batches - 1)},
          {"inputs_per_second", rate(m.counts.inputs)},
          {"edges_per_second", rate(m.counts.edges)},
          {"bytes_per_second", rate(m.counts.bytes)}};
}

// `bench sample` and `bench stream` differ only in who makes the batches.
class BenchCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app =
        root.add_subcommand("bench", "Measures how fast batches come.");
    app->require_subcommand(1);
    app->footer(kFooter);
    DeclareOne(app->add_subcommand("sample",
                                   "Samples and gathers within this process"));
    DeclareOne(app->add_subcommand("stream", "Receives from a fleet"));
    return app;
  }

  absl::Status Run() override {
    ASSIGN_OR_RETURN(SampleRequest request, ParseSampleArguments(arguments_));
    SetLogLevel(LogLevel::kOff);
    ASSIGN_OR_RETURN(const Measured measured, Measure(std::move(request)));
    const nlohmann::json result = AsJson(measured);
    if (json_) {
      std::printf("%s\n", result.dump().c_str());
      return absl::OkStatus();
    }
    for (const auto& [name, value] : result.items()) {
      std::printf("%-20s %.6g\n", name.c_str(), value.get<double>());
    }
    return absl::OkStatus();
  }

 private:
  void DeclareOne(CLI::App* app) {
    if (app->get_name() == "sample") {
      app->add_option("--graph", arguments_.graph, "A graph's folder")
          ->type_name("DIR")
          ->required();
    } else {
      app->add_option("--servers", arguments_.servers,
                      "HOST:PORT,... or file:PATH or dns:///NAME:PORT")
          ->type_name("LIST")
          ->required();
    }
    DeclareSampleDraws(*app, arguments_);
    DeclareSampleLimits(*app, arguments_);
    app->add_flag("--json", json_, "One JSON object on a line");
  }

  SampleArguments arguments_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeBenchCommand() {
  return std::make_unique<BenchCommand>();
}

}  // namespace tributary
