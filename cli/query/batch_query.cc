#include "cli/query/batch_query.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "cli/query/fleet_connection.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "common/trace/explain.h"
#include "common/trace/otlp.h"

namespace tributary {
namespace {

// Takes the number behind the last slash off `text`.
std::optional<uint64_t> TakeNumber(absl::string_view& text) {
  const size_t slash = text.rfind('/');
  if (slash == absl::string_view::npos) return std::nullopt;
  const auto number = ParseNumber<uint64_t>(text.substr(slash + 1));
  text = text.substr(0, slash);
  return number;
}

std::string ToString(const BatchName& batch) {
  return absl::StrCat(batch.job, "/", batch.epoch, "/", batch.index);
}

absl::Status NotFound(const std::vector<BatchAnswer>& answers,
                      const BatchName& batch) {
  std::string said;
  for (const BatchAnswer& answer : answers) {
    if (answer.traces.ok()) continue;
    said = absl::StrCat(": ", answer.traces.status().message());
    break;
  }
  return absl::NotFoundError(
      absl::StrCat("no server knows of batch ", ToString(batch), said));
}

}  // namespace

absl::StatusOr<BatchName> ParseBatchName(absl::string_view text) {
  absl::string_view left = text;
  const std::optional<uint64_t> index = TakeNumber(left);
  const std::optional<uint64_t> epoch = TakeNumber(left);
  if (!index.has_value() || !epoch.has_value() || left.empty()) {
    return UsageError(absl::StrCat(
        "--batch \"", text,
        "\"\nallowed: JOB/EPOCH/INDEX, such as default/0/17; the job is the "
        "trainers' --worker-key"));
  }
  return BatchName{std::string(left), *epoch, *index};
}

absl::StatusOr<std::vector<BatchAnswer>> AskForBatch(const FleetAccess& access,
                                                     const BatchName& batch,
                                                     absl::Duration timeout) {
  ASSIGN_OR_RETURN(
      const auto fleet,
      FleetConnection::Open(access, StreamMethod::kControl, timeout));
  v1::BatchTraceRequest request;
  request.set_job(batch.job);
  request.set_epoch(batch.epoch);
  request.set_index(batch.index);
  const auto replies = fleet->CallAll(
      {MessageKind::kBatchTraceRequest, request.SerializeAsString()});
  std::vector<BatchAnswer> answers;
  for (size_t i = 0; i < replies.size(); ++i) {
    answers.push_back({fleet->addresses()[i].ToString(),
                       ReplyAs<v1::BatchTraceReply>(
                           replies[i], MessageKind::kBatchTraceReply)});
  }
  return answers;
}

BatchReport ReportBatch(const std::vector<BatchAnswer>& answers,
                        const BatchName& batch, bool otlp) {
  BatchReport report;
  absl::Status failed;
  for (const BatchAnswer& answer : answers) {
    if (!answer.traces.ok()) {
      if (absl::IsNotFound(answer.traces.status())) continue;
      report.notes.push_back(TerminalLine(
          absl::StrCat(answer.server, " ", answer.traces.status().ToString())));
      failed.Update(absl::Status(
          answer.traces.status().code(),
          absl::StrCat(answer.server, ": ", answer.traces.status().message())));
      continue;
    }
    for (const v1::BatchTrace& trace : answer.traces->traces()) {
      if (otlp) {
        report.lines.push_back(OtlpLine(answer.server, trace));
        continue;
      }
      if (!report.lines.empty()) report.lines.push_back("");
      for (std::string& line : ExplainTrace(answer.server, trace)) {
        report.lines.push_back(std::move(line));
      }
    }
  }
  if (!report.lines.empty()) return report;
  report.status = failed.ok() ? NotFound(answers, batch) : failed;
  // The first one is the error.
  if (!failed.ok()) report.notes.erase(report.notes.begin());
  return report;
}

}  // namespace tributary
