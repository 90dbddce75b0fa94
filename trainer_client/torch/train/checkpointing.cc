#include "trainer_client/torch/train/checkpointing.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/checkpoint/checkpoint_writer.h"
#include "trainer_client/torch/ddp/agree.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/train/learner.h"

namespace tributary {
namespace {

constexpr char kModel[] = "model.safetensors";
constexpr char kOptimizer[] = "optimizer.safetensors";
constexpr char kBest[] = "best.safetensors";

absl::StatusOr<Checkpoint> FindOne(const std::string& path) {
  ASSIGN_OR_RETURN(CheckpointSearch search, FindCheckpoint(path));
  for (const RefusedCheckpoint& refused : search.refused) {
    Log(LogLevel::kWarning,
        absl::StrCat("checkpoint ", refused.path,
                     " is not used: ", refused.why.ToString()));
  }
  if (search.found) return *std::move(search.found);
  return absl::NotFoundError(absl::StrCat(
      path, " holds no checkpoint that can be used",
      search.refused.empty()
          ? ""
          : absl::StrCat("; ", search.refused[0].path, ": ",
                         std::string(search.refused[0].why.message()))));
}

}  // namespace

Checkpointing::Checkpointing(const CheckpointOptions& options, Learner* learner,
                             ProcessGroup* group)
    : options_(options),
      learner_(learner),
      group_(group),
      written_at_(SteadyClock().Now()) {}

// Runs on rank 0. The first checkpoint would be refused, or remove those that
// are there: better now than then.
absl::Status Checkpointing::CheckFolder() const {
  if (options_.folder.empty() || !options_.resume.empty()) {
    return absl::OkStatus();
  }
  const absl::StatusOr<CheckpointSearch> search =
      FindCheckpoint(options_.folder);
  if (!search.ok() || !search->found) return absl::OkStatus();  // it is made
  return absl::FailedPreconditionError(absl::StrCat(
      search->found->path,
      " is a checkpoint of another run; allowed: --resume ", options_.folder,
      " to go on with that run, or another --checkpoint-dir"));
}

absl::StatusOr<std::optional<RunState>> Checkpointing::Resume() {
  RETURN_IF_ERROR(AgreeOnRank0(
      *group_, group_->rank() == 0 ? CheckFolder() : absl::OkStatus()));
  if (options_.resume.empty()) return std::nullopt;
  absl::StatusOr<std::string> manifest = "";
  if (group_->rank() == 0) manifest = Read();
  RETURN_IF_ERROR(AgreeOnRank0(*group_, manifest.status()));
  ASSIGN_OR_RETURN(const std::string text, group_->BroadcastText(*manifest));
  RETURN_IF_ERROR(learner_->BroadcastState());
  ASSIGN_OR_RETURN(const CheckpointManifest parsed, ParseManifest(text));
  ASSIGN_OR_RETURN(RunState state, FromManifest(parsed));
  if (state.has_best_parameters) {
    RETURN_IF_ERROR(learner_->BroadcastSavedParameters());
  }
  return state;
}

// Runs on rank 0.
absl::StatusOr<std::string> Checkpointing::Read() {
  ASSIGN_OR_RETURN(const Checkpoint found, FindOne(options_.resume));
  RETURN_IF_ERROR(FromManifest(found.manifest).status());
  RETURN_IF_ERROR(learner_->ReadModel(found.PathOf(kModel)));
  RETURN_IF_ERROR(learner_->ReadOptimizer(found.PathOf(kOptimizer)));
  for (const CheckpointFile& file : found.manifest.files) {
    if (file.name != kBest) continue;
    RETURN_IF_ERROR(learner_->ReadSavedParameters(found.PathOf(kBest)));
  }
  resumed_from_ = found.path;
  return FormatManifest(found.manifest);
}

absl::StatusOr<bool> Checkpointing::IsDue(uint64_t step) {
  if (options_.folder.empty()) return false;
  if (options_.every_steps > 0 && step % options_.every_steps == 0) return true;
  if (options_.every <= absl::ZeroDuration()) return false;
  // Clocks of ranks differ: rank 0's decides.
  std::array<double, 1> due{0};
  if (group_->rank() == 0) {
    due[0] = SteadyClock().Now() - written_at_ >= options_.every ? 1 : 0;
  }
  RETURN_IF_ERROR(group_->Sum(absl::MakeSpan(due)));
  return due[0] > 0;
}

absl::Status Checkpointing::AfterStep(
    uint64_t step, absl::FunctionRef<absl::StatusOr<RunState>()> state) {
  ASSIGN_OR_RETURN(const bool due, IsDue(step));
  if (!due) return absl::OkStatus();
  ASSIGN_OR_RETURN(const RunState now, state());
  const absl::Status written =
      group_->rank() == 0 ? Write(now) : absl::OkStatus();
  written_at_ = SteadyClock().Now();
  return AgreeOnRank0(*group_, written);
}

absl::Status Checkpointing::Write(const RunState& state) {
  // Those that are there stay the newest ones.
  RETURN_IF_ERROR(learner_->CheckFinite());
  ASSIGN_OR_RETURN(CheckpointWriter writer,
                   CheckpointWriter::Create(options_.folder, state.step));
  ASSIGN_OR_RETURN(const std::string model, writer.PathFor(kModel));
  RETURN_IF_ERROR(learner_->WriteModel(model));
  ASSIGN_OR_RETURN(const std::string optimizer, writer.PathFor(kOptimizer));
  RETURN_IF_ERROR(learner_->WriteOptimizer(optimizer));
  if (state.has_best_parameters) {
    ASSIGN_OR_RETURN(const std::string best, writer.PathFor(kBest));
    RETURN_IF_ERROR(learner_->WriteSavedParameters(best));
  }
  CheckpointManifest manifest = ToManifest(state);
  manifest.created_by = "tributary-train";
  manifest.options = options_.command_line;
  manifest.attempt = options_.attempt;
  return writer.Commit(std::move(manifest), options_.keep);
}

}  // namespace tributary
