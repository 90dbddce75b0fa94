#include "trainer_client/torch/command/train_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/observe/log_format.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using nlohmann::ordered_json;

double PerSecond(uint64_t amount, double seconds) {
  return seconds > 0 ? static_cast<double>(amount) / seconds : 0;
}

// By phase, the seconds of a mean step.
ordered_json StepSeconds(const StepTimes& step) {
  ordered_json object = ordered_json::object();
  for (size_t i = 0; i < kNumStepPhases; ++i) {
    object[std::string(kStepPhaseNames[i])] =
        step.steps > 0 ? step.seconds[i] / step.steps : 0;
  }
  return object;
}

ordered_json OrNull(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

void PrintIfAny(const std::string& line) {
  if (!line.empty()) std::puts(line.c_str());
}

}  // namespace

std::string EpochLine(const EpochReport& r, uint64_t epochs) {
  std::string line =
      absl::StrFormat("epoch %d/%d  loss %.4f", r.epoch + 1, epochs, r.loss);
  if (r.train_accuracy) {
    absl::StrAppendFormat(&line, "  train %.3f", *r.train_accuracy);
  }
  if (r.valid) absl::StrAppendFormat(&line, "  valid %.3f", *r.valid);
  absl::StrAppendFormat(&line, "  %.0f inputs/s  %.1f MB/s  waiting %.0f%%",
                        PerSecond(r.inputs, r.seconds),
                        PerSecond(r.wire_bytes, r.seconds) / 1e6,
                        r.wait_share * 100);
  const auto append_share = [&](const char* name, uint64_t bytes) {
    if (bytes == 0) return;
    absl::StrAppendFormat(
        &line, "  %s %.0f%%", name,
        100 * static_cast<double>(bytes) / static_cast<double>(r.bytes));
  };
  append_share("held", r.held_bytes);
  append_share("compact", r.compact_bytes);
  return line;
}

std::string StepLine(const StepTimes& step) {
  if (step.steps == 0) return "";
  std::string line = absl::StrFormat("step %.1f ms: ", step.mean_step() * 1e3);
  for (size_t i = 0; i < kNumStepPhases; ++i) {
    absl::StrAppendFormat(&line, "%s%s %.0f%%", i == 0 ? "" : "  ",
                          std::string(kStepPhaseNames[i]),
                          step.share(static_cast<StepPhase>(i)) * 100);
  }
  return line;
}

std::string ExhaustedLine(uint64_t count, std::string_view pass) {
  return count == 0 ? ""
                    : absl::StrCat(
                          "  ", count, " negatives of the ", std::string(pass),
                          " pass may be edges or too new: none of 64 "
                          "candidates was allowed (--on-exhausted accept)");
}

std::string ResultLine(const TrainResult& r) {
  std::string line = "result";
  if (r.test) absl::StrAppendFormat(&line, " test_%s=%.4f", r.metric, *r.test);
  for (const auto& [name, value] : r.test_details) {
    absl::StrAppendFormat(&line, " test_%s=%.4f", name, value);
  }
  if (r.best_valid) {
    absl::StrAppendFormat(&line, " valid_%s=%.4f", r.metric, *r.best_valid);
  }
  if (r.epochs > 0) {
    absl::StrAppendFormat(&line, " best_epoch=%d epochs=%d", r.best_epoch + 1,
                          r.epochs);
  }
  absl::StrAppendFormat(&line, " seconds=%.1f", r.seconds);
  return line;
}

std::string ProgressLine(std::string_view phase, uint64_t epoch,
                         uint64_t epochs, uint64_t done, uint64_t total) {
  constexpr uint64_t kWidth = 24;
  const uint64_t filled = total == 0 ? kWidth : done * kWidth / total;
  const std::string place = phase.substr(0, 7) == "predict" || epochs == 0
                                ? ""
                                : absl::StrFormat(" %d/%d", epoch + 1, epochs);
  return absl::StrFormat("%s%s [%s%s] %d/%d", std::string(phase), place,
                         std::string(filled, '#'),
                         std::string(kWidth - filled, '-'), done, total);
}

absl::StatusOr<std::unique_ptr<TrainLog>> TrainLog::Create(
    const std::string& path, bool append) {
  std::ofstream file(path, append ? std::ios::app : std::ios::trunc);
  if (!file) {
    return absl::UnavailableError(
        absl::StrCat("--log ", path, ": the file cannot be written"));
  }
  return std::unique_ptr<TrainLog>(new TrainLog(path, std::move(file)));
}

void TrainLog::Start(const std::string& command_line, int world) {
  file_ << ordered_json{{"event", "start"},
                        {"command", command_line},
                        {"world", world}}
               .dump(-1, ' ', false, ordered_json::error_handler_t::replace)
        << std::endl;
}

void TrainLog::Epoch(const EpochReport& r) {
  ordered_json line{{"event", "epoch"},
                    {"epoch", r.epoch + 1},
                    {"loss", r.loss},
                    {"train_accuracy", OrNull(r.train_accuracy)},
                    {"valid_" + r.metric, OrNull(r.valid)},
                    {"inputs", r.inputs},
                    {"bytes", r.bytes},
                    {"wire_bytes", r.wire_bytes},
                    {"seconds", r.seconds},
                    {"wait_share", r.wait_share},
                    {"step_seconds", StepSeconds(r.step)}};
  if (r.held_bytes > 0) line["held_bytes"] = r.held_bytes;
  if (r.compact_bytes > 0) line["compact_bytes"] = r.compact_bytes;
  if (r.exhausted + r.exhausted_in_valid > 0) {
    line["exhausted_negatives"] = r.exhausted;
    line["exhausted_negatives_in_valid"] = r.exhausted_in_valid;
  }
  file_ << line << std::endl;
}

void TrainLog::Prediction(const PredictionReport& r) {
  file_ << ordered_json{{"event", "prediction"},
                        {"folder", r.folder},
                        {"rows", r.rows},
                        {"seconds", r.seconds}}
               .dump(-1, ' ', false, ordered_json::error_handler_t::replace)
        << std::endl;
}

absl::Status TrainLog::Result(const TrainResult& r) {
  ordered_json line{
      {"event", "result"},
      {"test_" + r.metric, OrNull(r.test)},
      {"valid_" + r.metric, OrNull(r.best_valid)},
      {"best_epoch",
       r.epochs == 0 ? ordered_json(nullptr) : ordered_json(r.best_epoch + 1)},
      {"epochs", r.epochs},
      {"seconds", r.seconds}};
  for (const auto& [name, value] : r.test_details) line["test_" + name] = value;
  file_ << line << std::endl;
  if (file_) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("--log ", path_, ": some lines could not be written"));
}

absl::Status TrainCharts::Add(const EpochReport& r) {
  const absl::Time now = absl::Now();
  if (!log_) {
    const auto first = resumed_ ? std::optional(r.epoch) : std::nullopt;
    ASSIGN_OR_RETURN(TensorBoardLog log,
                     TensorBoardLog::Create(folder_, now, first));
    log_.emplace(std::move(log));
  }
  std::vector<TensorBoardScalar> scalars = {
      {"loss/train", r.loss},
      {"speed/inputs_per_second", PerSecond(r.inputs, r.seconds)},
      {"speed/bytes_per_second", PerSecond(r.bytes, r.seconds)},
      {"speed/wait_share", r.wait_share}};
  for (size_t i = 0; i < kNumStepPhases; ++i) {
    scalars.push_back({"step_share/" + std::string(kStepPhaseNames[i]),
                       r.step.share(static_cast<StepPhase>(i))});
  }
  scalars.push_back({"step/milliseconds", r.step.mean_step() * 1e3});
  if (r.train_accuracy)
    scalars.push_back({"accuracy/train", *r.train_accuracy});
  if (r.valid) scalars.push_back({r.metric + "/valid", *r.valid});
  return log_->Add(r.epoch, scalars, now);
}

void TrainCharts::Epoch(const EpochReport& report) {
  if (problem_.ok()) problem_ = Add(report);
}

absl::Status TrainCharts::Finish() {
  RETURN_IF_ERROR(problem_);
  return log_ ? log_->Close() : absl::OkStatus();
}

TrainOutput::TrainOutput(uint64_t epochs, bool progress, TrainLog* log,
                         TrainCharts* charts)
    : epochs_(epochs),
      progress_(progress && isatty(STDERR_FILENO) != 0),
      log_(log),
      charts_(charts) {}

void TrainOutput::OnRound(std::string_view phase, uint64_t epoch, uint64_t done,
                          uint64_t total) {
  const absl::Time now = SteadyClock().Now();
  if (!progress_ || now - progress_shown_at_ < absl::Milliseconds(100)) return;
  progress_shown_at_ = now;
  progress_on_screen_ = true;
  const std::string line = ProgressLine(phase, epoch, epochs_, done, total);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void TrainOutput::ClearProgress() {
  if (!progress_on_screen_) return;
  progress_on_screen_ = false;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void TrainOutput::OnEpoch(const EpochReport& report) {
  ClearProgress();
  std::puts(EpochLine(report, epochs_).c_str());
  const std::string step = StepLine(report.step);
  if (!step.empty()) std::puts(absl::StrCat("  ", step).c_str());
  PrintIfAny(ExhaustedLine(report.exhausted, "training"));
  PrintIfAny(ExhaustedLine(report.exhausted_in_valid, "validation"));
  std::fflush(stdout);
  if (log_ != nullptr) log_->Epoch(report);
  if (charts_ != nullptr) charts_->Epoch(report);
}

void TrainOutput::OnResume(const std::string& path, uint64_t step) {
  std::puts(absl::StrCat("resumed from ", path, " after step ", step).c_str());
  std::fflush(stdout);
}

void TrainOutput::OnPrediction(const PredictionReport& report) {
  ClearProgress();
  std::puts(absl::StrFormat("predicted %d rows in %.1f s: %s", report.rows,
                            report.seconds, report.folder)
                .c_str());
  std::fflush(stdout);
  if (log_ != nullptr) log_->Prediction(report);
}

void TrainOutput::OnNote(const std::string& note) {
  ClearProgress();
  PrintMessage(LogLevel::kInfo, "tributary-train",
               absl::StrCat("note: ", note));
}

absl::Status TrainOutput::Finish(const TrainResult& result) {
  ClearProgress();
  PrintIfAny(ExhaustedLine(result.exhausted_in_test, "test"));
  std::puts(ResultLine(result).c_str());
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot write to stdout: ", std::strerror(errno)));
  }
  if (charts_ != nullptr) RETURN_IF_ERROR(charts_->Finish());
  return log_ != nullptr ? log_->Result(result) : absl::OkStatus();
}

}  // namespace tributary
