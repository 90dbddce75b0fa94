#include "trainer_client/torch/train/checkpointing.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/tensor_snapshot.h"
#include "trainer_client/torch/checkpoint/checkpoint_writer.h"
#include "trainer_client/torch/ddp/agree.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/train/learner.h"

namespace tributary {
namespace {

constexpr char kModel[] = "model.safetensors";
constexpr char kOptimizer[] = "optimizer.safetensors";
constexpr char kBest[] = "best.safetensors";
constexpr char kOnRequestPayload[] = "tributary/ended-on-request";

absl::Status EndOnRequest(const std::string& why) {
  absl::Status ended = absl::AbortedError(why);
  ended.SetPayload(kOnRequestPayload, absl::Cord());
  return ended;
}

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

bool EndedOnRequest(const absl::Status& status) {
  return status.GetPayload(kOnRequestPayload).has_value();
}

Checkpointing::Checkpointing(const CheckpointOptions& options,
                             ProcessGroup* group, DistContext* context,
                             const Clock* clock)
    : options_(options),
      group_(group),
      context_(context),
      clock_(*clock),
      written_at_(clock->Now()) {}

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

// Runs on rank 0.
absl::Status Checkpointing::CheckRows() const {
  bool has_rows = false;
  for (const CheckpointFile& file : found_->manifest.files) {
    has_rows |= file.name == kTensorsFile;
  }
  if (has_rows == (context_ != nullptr)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      found_->path,
      has_rows ? " has rows of servers (--sparse-embedding)"
               : " has no rows of servers",
      ", and this run ", has_rows ? "has none" : "has (--sparse-embedding)",
      "; allowed: --resume with the options of the run that wrote it"));
}

absl::Status Checkpointing::Find() {
  const bool rank_0 = group_->rank() == 0;
  RETURN_IF_ERROR(
      AgreeOnRank0(*group_, rank_0 ? CheckFolder() : absl::OkStatus()));
  if (options_.resume.empty()) return absl::OkStatus();
  absl::Status status;
  if (rank_0) {
    absl::StatusOr<Checkpoint> found = FindOne(options_.resume);
    status = found.status();
    if (found.ok()) found_ = *std::move(found);
    if (status.ok()) status = CheckRows();
  }
  RETURN_IF_ERROR(AgreeOnRank0(*group_, status));
  if (context_ == nullptr) return absl::OkStatus();
  const absl::Status restored =
      context_->RestoreFrom(rank_0 ? found_->path : "");
  RETURN_IF_ERROR(AgreeOnRank0(*group_, restored));
  return restored;
}

absl::StatusOr<std::optional<RunState>> Checkpointing::Resume(
    Learner* learner) {
  if (options_.resume.empty()) return std::nullopt;
  const bool rank_0 = group_->rank() == 0;
  RETURN_IF_ERROR(
      AgreeOnRank0(*group_, rank_0 ? Read(learner) : absl::OkStatus()));
  ASSIGN_OR_RETURN(
      const std::string text,
      group_->BroadcastText(rank_0 ? FormatManifest(found_->manifest) : ""));
  RETURN_IF_ERROR(learner->BroadcastState());
  ASSIGN_OR_RETURN(const CheckpointManifest parsed, ParseManifest(text));
  ASSIGN_OR_RETURN(RunState state, FromManifest(parsed));
  if (state.has_best_parameters) {
    RETURN_IF_ERROR(learner->BroadcastSavedParameters());
  }
  return state;
}

// Runs on rank 0.
absl::Status Checkpointing::Read(Learner* learner) const {
  RETURN_IF_ERROR(FromManifest(found_->manifest).status());
  RETURN_IF_ERROR(learner->ReadModel(found_->PathOf(kModel)));
  RETURN_IF_ERROR(learner->ReadOptimizer(found_->PathOf(kOptimizer)));
  for (const CheckpointFile& file : found_->manifest.files) {
    if (file.name != kBest) continue;
    RETURN_IF_ERROR(learner->ReadSavedParameters(found_->PathOf(kBest)));
  }
  return absl::OkStatus();
}

RoundNews Checkpointing::News() const {
  RoundNews news;
  if (!enabled()) return news;
  // Clocks of ranks differ: rank 0's decides. Servers tell each rank by itself
  // that they want to end.
  news.due = group_->rank() == 0 && options_.every > absl::ZeroDuration() &&
             clock_.Now() - written_at_ >= options_.every;
  news.draining = context_ != nullptr && context_->server_draining();
  return news;
}

absl::Status Checkpointing::AfterStep(uint64_t step, const RoundNews& all,
                                      const Learner& learner,
                                      StateOfRun state) {
  if (!enabled()) return absl::OkStatus();
  const bool by_steps =
      options_.every_steps > 0 && step % options_.every_steps == 0;
  if (!by_steps && !all.due && !all.draining) return absl::OkStatus();
  RETURN_IF_ERROR(Keep(step, learner, state));
  if (!all.draining) return absl::OkStatus();
  return EndOnRequest(absl::StrCat(
      "a server that holds rows wants to end; the run goes on from its "
      "checkpoint of step ",
      step, " in ", options_.folder, " on other servers, by --resume"));
}

absl::Status Checkpointing::Keep(uint64_t step, const Learner& learner,
                                 StateOfRun state) {
  if (!enabled() || step == kept_step_) return absl::OkStatus();
  ASSIGN_OR_RETURN(const RunState now, state());
  RETURN_IF_ERROR(Write(now, learner));
  written_at_ = clock_.Now();
  kept_step_ = step;
  return absl::OkStatus();
}

absl::Status Checkpointing::Stopped() const {
  return EndOnRequest(
      kept_step_ == 0 || !enabled()
          ? "interrupted"
          : absl::StrCat("interrupted; the run goes on from its checkpoint of "
                         "step ",
                         kept_step_, " in ", options_.folder, ", by --resume"));
}

absl::Status Checkpointing::Write(const RunState& state,
                                  const Learner& learner) const {
  const bool rank_0 = group_->rank() == 0;
  std::optional<CheckpointWriter> writer;  // on rank 0
  RETURN_IF_ERROR(
      AgreeOnRank0(*group_, rank_0 ? WriteOnRank0(state, learner, writer)
                                   : absl::OkStatus()));
  if (context_ != nullptr) {
    RETURN_IF_ERROR(
        WriteTensorSnapshot(*context_, [&writer](const std::string& name) {
          return writer->PathFor(name);  // called on rank 0 alone
        }));
  }
  return AgreeOnRank0(*group_,
                      rank_0 ? Commit(state, *writer) : absl::OkStatus());
}

absl::Status Checkpointing::WriteOnRank0(
    const RunState& state, const Learner& learner,
    std::optional<CheckpointWriter>& writer) const {
  // Those that are there stay the newest ones.
  RETURN_IF_ERROR(learner.CheckFinite());
  ASSIGN_OR_RETURN(CheckpointWriter created,
                   CheckpointWriter::Create(options_.folder, state.step));
  writer.emplace(std::move(created));
  ASSIGN_OR_RETURN(const std::string model, writer->PathFor(kModel));
  RETURN_IF_ERROR(learner.WriteModel(model));
  ASSIGN_OR_RETURN(const std::string optimizer, writer->PathFor(kOptimizer));
  RETURN_IF_ERROR(learner.WriteOptimizer(optimizer));
  if (!state.has_best_parameters) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string best, writer->PathFor(kBest));
  return learner.WriteSavedParameters(best);
}

// Runs on rank 0.
absl::Status Checkpointing::Commit(const RunState& state,
                                   CheckpointWriter& writer) const {
  CheckpointManifest manifest = ToManifest(state);
  manifest.created_by = "tributary-train";
  manifest.options = options_.command_line;
  manifest.attempt = options_.attempt;
  return writer.Commit(std::move(manifest), options_.keep);
}

}  // namespace tributary
