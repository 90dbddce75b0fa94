#include "trainer_client/torch/command/run_chart.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "trainer_client/torch/command/line_chart.h"

namespace tributary {
namespace {

using nlohmann::json;

absl::Status CannotWrite(const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat("--svg ", path, ": the file cannot be written"));
}

std::optional<double> NumberIn(const json& line, const std::string& key) {
  const auto it = line.find(key);
  if (it == line.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

// Returns the report that a line of the log tells; nullopt for other lines.
std::optional<EpochReport> ReportIn(const std::string& text) {
  constexpr char kValid[] = "valid_";
  const json line = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object() || line.value("event", json()) != "epoch") {
    return std::nullopt;
  }
  const auto epoch = line.find("epoch");
  const std::optional<double> loss = NumberIn(line, "loss");
  if (epoch == line.end() || !epoch->is_number_unsigned() || *epoch == 0 ||
      !loss) {
    return std::nullopt;
  }
  EpochReport report{.epoch = epoch->get<uint64_t>() - 1, .loss = *loss};
  report.train_accuracy = NumberIn(line, "train_accuracy");
  for (const auto& [key, value] : line.items()) {
    if (!absl::StartsWith(key, kValid)) continue;
    report.metric = key.substr(sizeof(kValid) - 1);
    report.valid = NumberIn(line, key);
  }
  return report;
}

}  // namespace

std::vector<EpochReport> EpochsInLog(const std::string& path) {
  std::ifstream file(path);
  std::vector<EpochReport> epochs;
  for (std::string line; std::getline(file, line);) {
    if (auto report = ReportIn(line)) epochs.push_back(*std::move(report));
  }
  return epochs;
}

absl::StatusOr<std::unique_ptr<RunChart>> RunChart::Create(
    const std::string& path, const std::vector<EpochReport>& earlier) {
  if (!std::ofstream(path, std::ios::app)) return CannotWrite(path);
  std::unique_ptr<RunChart> chart(new RunChart(path));
  for (const EpochReport& report : earlier) chart->Epoch(report);
  return chart;
}

void RunChart::Epoch(const EpochReport& report) {
  epochs_.erase(epochs_.lower_bound(report.epoch), epochs_.end());
  epochs_[report.epoch] = report;
}

std::string RunChart::Draw() const {
  ChartLine loss{"train", "#1f77b4", {}};
  ChartLine accuracy{"train accuracy", "#ff7f0e", {}};
  ChartLine valid{"valid", "#2ca02c", {}};
  for (const auto& [number, report] : epochs_) {
    const auto epoch = static_cast<double>(number + 1);
    loss.points.emplace_back(epoch, report.loss);
    if (report.train_accuracy) {
      accuracy.points.emplace_back(epoch, *report.train_accuracy);
    }
    if (report.valid) valid.points.emplace_back(epoch, *report.valid);
    valid.name = absl::StrCat("valid ", report.metric);
  }
  ChartPanel metrics{.title = "metrics"};
  for (const ChartLine* line : {&accuracy, &valid}) {
    if (!line->points.empty()) metrics.lines.push_back(*line);
  }
  return DrawChart("tributary-train", "epoch",
                   {{.title = "loss", .lines = {loss}}, metrics});
}

absl::Status RunChart::Finish() const {
  std::ofstream file(path_, std::ios::trunc);
  file << Draw();
  file.close();
  return file ? absl::OkStatus() : CannotWrite(path_);
}

}  // namespace tributary
