#include "trainer_client/torch/train/run_labels.h"

#include <algorithm>
#include <array>
#include <variant>

#include "absl/strings/str_format.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status NoLabel() {
  return absl::InvalidArgumentError(
      "no training input has a label; are split and labels joined by the "
      "same ids? Missing labels are -1 (not of regression) or NaN");
}

}  // namespace

absl::StatusOr<NodeTaskOptions> RunLabels::Task() {
  NodeTaskOptions task{.kind = std::get<NodeTaskKind>(options_.task),
                       .metric = options_.metric_of_task(),
                       .num_classes = options_.num_classes};
  ASSIGN_OR_RETURN(task.columns, CheckLabels(task.kind, task.metric, schema_,
                                             options_.input_type));
  columns_ = task.columns;
  if (options_.counts_classes()) {
    ASSIGN_OR_RETURN(task.num_classes, CountClasses());
  }
  return task;
}

absl::Status RunLabels::CheckAny() {
  ASSIGN_OR_RETURN(const bool any, HasLabel(loader_));
  return any ? absl::OkStatus() : NoLabel();
}

absl::StatusOr<bool> RunLabels::HasLabel(DistLoader* loader) {
  RETURN_IF_ERROR(passes_.Begin(loader->StartEpoch(0)));
  BatchRounds rounds = passes_.RoundsOf(loader);
  std::array<double, 1> any{0};
  // The first round mostly has one.
  for (uint64_t round = 0; round < rounds.count(); ++round) {
    ASSIGN_OR_RETURN(const std::optional<BatchLease> lease,
                     rounds.Batch(round));
    if (lease.has_value()) {
      ASSIGN_OR_RETURN(const LabelScan scan, Scan(*lease));
      if (scan.any) any[0] = 1;
    }
    RETURN_IF_ERROR(passes_.Meet());
    RETURN_IF_ERROR(passes_.group().Max(absl::MakeSpan(any)));
    if (any[0] > 0) return true;
    passes_.observer().OnRound("labels", 0, round + 1, rounds.count());
  }
  return false;
}

absl::StatusOr<LabelScan> RunLabels::Scan(const BatchLease& lease) const {
  return ScanLabels(std::get<NodeTaskKind>(options_.task), columns_, lease,
                    schema_);
}

absl::StatusOr<double> RunLabels::Largest() {
  std::array<double, 1> largest{-1};
  RETURN_IF_ERROR(passes_.Begin(loader_->StartEpoch(0)));
  RETURN_IF_ERROR(passes_.ForEachRound(
      loader_, "classes", 0,
      [&](uint64_t, const BatchLease* lease) -> absl::Status {
        if (lease != nullptr) {
          ASSIGN_OR_RETURN(const LabelScan scan, Scan(*lease));
          largest[0] = std::max<double>(largest[0], scan.largest);
        }
        return passes_.Meet();
      }));
  RETURN_IF_ERROR(passes_.group().Max(absl::MakeSpan(largest)));
  return largest[0];
}

absl::StatusOr<int64_t> RunLabels::CountClasses() {
  ASSIGN_OR_RETURN(const double largest, Largest());
  if (largest < 0) return NoLabel();
  if (largest >= TrainOptions::kMaxClasses) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "a training input has the label %.0f, allowed are 0 to %d", largest,
        TrainOptions::kMaxClasses - 1));
  }
  return static_cast<int64_t>(largest) + 1;
}

}  // namespace tributary
