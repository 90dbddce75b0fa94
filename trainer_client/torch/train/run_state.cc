#include "trainer_client/torch/train/run_state.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The numbers of a state by name, to be stored to the bit.
using Numbers = std::map<std::string, double>;

constexpr const char* kBestValid = "best/valid";
constexpr const char* kBestEpoch = "best/epoch";
constexpr const char* kStoppingBest = "stopping/best";
constexpr const char* kStoppingCount = "stopping/without_improvement";

std::string OfRank(size_t rank, const char* name) {
  return absl::StrCat("rank", rank, "/", name);
}

absl::StatusOr<double> Find(const Numbers& numbers, const std::string& name) {
  const auto it = numbers.find(name);
  if (it != numbers.end()) return it->second;
  return absl::DataLossError(
      absl::StrCat("damaged: the manifest has no number \"", name, "\""));
}

std::optional<double> FindIfAny(const Numbers& numbers,
                                const std::string& name) {
  const auto it = numbers.find(name);
  if (it == numbers.end()) return std::nullopt;
  return it->second;
}

absl::StatusOr<Tally> ReadTally(const Numbers& numbers, size_t rank) {
  Tally tally;
  ASSIGN_OR_RETURN(tally.loss, Find(numbers, OfRank(rank, "loss")));
  ASSIGN_OR_RETURN(tally.correct, Find(numbers, OfRank(rank, "correct")));
  ASSIGN_OR_RETURN(tally.labelled, Find(numbers, OfRank(rank, "labelled")));
  ASSIGN_OR_RETURN(tally.inputs, Find(numbers, OfRank(rank, "inputs")));
  tally.exhausted = FindIfAny(numbers, OfRank(rank, "exhausted")).value_or(0);
  return tally;
}

}  // namespace

Tally RunState::TallyOf(int rank, int world) const {
  if (static_cast<size_t>(world) == tallies.size()) return tallies[rank];
  Tally all;
  if (rank != 0) return all;
  for (const Tally& tally : tallies) all.Add(tally);
  return all;
}

CheckpointManifest ToManifest(const RunState& state) {
  CheckpointManifest manifest;
  manifest.step = state.step;
  manifest.epoch = state.epoch;
  manifest.cursor = state.cursor;
  manifest.world_size = state.tallies.size();
  Numbers& numbers = manifest.epoch_sums;
  for (size_t rank = 0; rank < state.tallies.size(); ++rank) {
    const Tally& tally = state.tallies[rank];
    numbers[OfRank(rank, "loss")] = tally.loss;
    numbers[OfRank(rank, "correct")] = tally.correct;
    numbers[OfRank(rank, "labelled")] = tally.labelled;
    numbers[OfRank(rank, "inputs")] = tally.inputs;
    // Few runs have any.
    if (tally.exhausted > 0) {
      numbers[OfRank(rank, "exhausted")] = tally.exhausted;
    }
  }
  if (state.best_valid) {
    numbers[kBestValid] = *state.best_valid;
    numbers[kBestEpoch] = static_cast<double>(state.best_epoch);
  }
  if (state.stopping.best) numbers[kStoppingBest] = *state.stopping.best;
  numbers[kStoppingCount] =
      static_cast<double>(state.stopping.without_improvement);
  return manifest;
}

absl::StatusOr<RunState> FromManifest(const CheckpointManifest& manifest) {
  RunState state;
  state.step = manifest.step;
  state.epoch = manifest.epoch;
  state.cursor = manifest.cursor;
  const Numbers& numbers = manifest.epoch_sums;
  for (size_t rank = 0; rank < manifest.world_size; ++rank) {
    ASSIGN_OR_RETURN(const Tally tally, ReadTally(numbers, rank));
    state.tallies.push_back(tally);
  }
  state.best_valid = FindIfAny(numbers, kBestValid);
  if (state.best_valid) {
    ASSIGN_OR_RETURN(const double epoch, Find(numbers, kBestEpoch));
    state.best_epoch = static_cast<uint64_t>(epoch);
  }
  state.stopping.best = FindIfAny(numbers, kStoppingBest);
  ASSIGN_OR_RETURN(const double count, Find(numbers, kStoppingCount));
  state.stopping.without_improvement = static_cast<uint64_t>(count);
  for (const CheckpointFile& file : manifest.files) {
    if (file.name == "best.safetensors") state.has_best_parameters = true;
  }
  return state;
}

}  // namespace tributary
