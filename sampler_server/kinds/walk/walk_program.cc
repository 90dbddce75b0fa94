#include "sampler_server/kinds/walk/walk_program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/random/hop_key.h"
#include "sampler_server/engine/batch/batch_writer.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/kinds/walk/walk_questions.h"

namespace tributary {
namespace {

// Places in BatchState::tensors.
constexpr size_t kWalks = 0, kWalkIndex = 1;
constexpr uint64_t kTensorBytes = sizeof(int64_t) + sizeof(int32_t);
// A rejected node is drawn again; the last try is always accepted.
constexpr uint32_t kMaxTries = 65536;
constexpr uint32_t kFirstTries = 4, kMostTries = 64;

}  // namespace

WalkProgram::WalkProgram(StepContext context)
    : context_(std::move(context)),
      plan_(WalkPlan::Of(*context_.plan)),
      key_(MakeHopKey({.random_seed = context_.plan->random_seed,
                       .epoch = context_.key.epoch,
                       .batch = context_.key.index,
                       .purpose = Purpose::kWalks})),
      num_walks_(context_.state->seed_index.size() * plan_.walks_per_input) {}

// Memory that numbering may take, with the ids and numbers of a step.
bool WalkProgram::HasRoom() const {
  const StepLimits limits = context_.control->Limits();
  const uint64_t entries = num_walks_ * (uint64_t{plan_.length} + 1);
  return entries <= limits.max_bytes / kTensorBytes &&
         entries * sizeof(int32_t) + context_.state->bytes() +
                 num_walks_ * plan_.bytes_per_walk() <=
             limits.working_bytes;
}

int WalkProgram::TypeAt(uint32_t column) const {
  return column == 0 ? context_.plan->input_type
                     : plan_.step(column - 1).src_type;
}

absl::Span<int32_t> WalkProgram::WalkIndex() const {
  std::vector<uint8_t>& bytes = context_.state->tensors[kWalkIndex].bytes;
  return absl::MakeSpan(reinterpret_cast<int32_t*>(bytes.data()),
                        bytes.size() / sizeof(int32_t));
}

void WalkProgram::Start(Done done) {
  done_ = std::move(done);
  BatchState& state = *context_.state;
  const Shape shape{static_cast<int64_t>(num_walks_), plan_.length + 1};
  state.tensors.push_back({"walks", DType::kInt64, shape, {}});
  state.tensors.push_back({"walk_index", DType::kInt32, shape, {}});
  if (!HasRoom()) return End(Outcome::kTooLarge);
  const size_t columns = plan_.length + 1;
  state.tensors[kWalkIndex].bytes.assign(num_walks_ * columns * sizeof(int32_t),
                                         0xFF);  // -1
  const auto& ids = state.nodes[context_.plan->input_type].numbering.ids();
  const absl::Span<int32_t> index = WalkIndex();
  current_.reserve(num_walks_);
  for (const uint32_t input : state.seed_index) {
    for (uint32_t k = 0; k < plan_.walks_per_input; ++k) {
      index[current_.size() * columns] = static_cast<int32_t>(input);
      current_.push_back(ids[input]);
    }
  }
  if (plan_.restart > 0 && !plan_.restart_ends) start_ = current_;
  if (plan_.second_order()) previous_.assign(num_walks_, kNoNode);
  BeginStep();
}

bool WalkProgram::Restarts(uint32_t walk) const {
  return plan_.restart > 0 &&
         WalkWords(key_, step_, walk).word[2] < plan_.restart;
}

void WalkProgram::BeginStep() {
  if (!context_.control->ContinueOrEnd()) return;
  context_.control->SetStage(BatchStage::kSampling);
  next_.assign(num_walks_, kNoNode);
  pending_.clear();
  for (uint32_t walk = 0; walk < num_walks_; ++walk) {
    if (context_.EndsAfter(1)) return;
    if (current_[walk] == kNoNode) continue;
    if (!Restarts(walk)) {
      pending_.push_back(walk);
    } else if (!plan_.restart_ends) {
      next_[walk] = start_[walk];
      // A walk that restarts has no previous node.
      if (plan_.second_order()) current_[walk] = kNoNode;
    }
  }
  first_try_ = 0;
  BeginRound();
}

// The fewer walks are left, the more tries each makes, which saves rounds: each
// round waits for peers.
void WalkProgram::BeginRound() {
  if (pending_.empty()) return EndStep();
  tries_ = 1;
  if (plan_.second_order()) {
    tries_ = kFirstTries;
    while (tries_ < kMostTries &&
           2 * size_t{tries_} * pending_.size() <= kFirstTries * num_walks_) {
      tries_ *= 2;
    }
    tries_ = std::min(tries_, kMaxTries - first_try_);
  }
  nodes_.clear();
  for (const uint32_t walk : pending_) nodes_.push_back(current_[walk]);
  drawn_.resize(pending_.size() * tries_);
  WalkQuestions::Draw draw;
  draw.type = plan_.step(step_);
  draw.key = key_;
  draw.step = step_;
  draw.first_try = first_try_;
  draw.tries = tries_;
  draw.nodes = nodes_;
  draw.walks = pending_;
  draw.neighbors = absl::MakeSpan(drawn_);
  // The question keeps this alive, never the reverse: the task may end
  // meanwhile.
  WalkQuestions(context_).AskDraw(
      draw, [self = shared_from_this()](absl::Status status) {
        self->OnDrawn(std::move(status));
      });
}

void WalkProgram::OnDrawn(absl::Status status) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return End(std::move(status));
  if (plan_.second_order()) return DecideTries();
  for (size_t i = 0; i < pending_.size(); ++i) next_[pending_[i]] = drawn_[i];
  EndStep();
}

WalkProgram::Verdict WalkProgram::DecideTry(uint32_t walk, uint32_t tried,
                                            uint64_t drawn) const {
  // A dead end, the first step, or the last try.
  if (drawn == kNoNode || previous_[walk] == kNoNode ||
      tried == kMaxTries - 1) {
    return Verdict::kTaken;
  }
  const uint64_t word = WalkWords(key_, step_, walk, tried).word[3];
  if (drawn == previous_[walk]) {
    return word < plan_.back ? Verdict::kTaken : Verdict::kRefused;
  }
  const bool if_near = word < plan_.near, if_far = word < plan_.far;
  if (if_near == if_far) return if_near ? Verdict::kTaken : Verdict::kRefused;
  return if_near ? Verdict::kTakenIfNear : Verdict::kTakenIfFar;
}

// Asks whether drawn nodes are neighbours of the previous one only if the
// verdict depends on it.
void WalkProgram::DecideTries() {
  verdicts_.assign(drawn_.size(), Verdict::kRefused);
  undecided_.clear();
  undecided_previous_.clear();
  undecided_drawn_.clear();
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (context_.EndsAfter(tries_)) return;
    for (uint32_t k = 0; k < tries_; ++k) {
      const size_t at = i * tries_ + k;
      verdicts_[at] = DecideTry(pending_[i], first_try_ + k, drawn_[at]);
      if (verdicts_[at] == Verdict::kTaken) break;
      if (verdicts_[at] == Verdict::kRefused) continue;
      undecided_.push_back(static_cast<uint32_t>(at));
      undecided_previous_.push_back(previous_[pending_[i]]);
      undecided_drawn_.push_back(drawn_[at]);
    }
  }
  near_.assign(undecided_.size(), 0);
  if (undecided_.empty()) return TakeAccepted();
  WalkQuestions::Have have;
  have.type = plan_.step(step_);
  have.nodes = undecided_previous_;
  have.ids = undecided_drawn_;
  have.answers = absl::MakeSpan(near_);
  WalkQuestions(context_).AskHave(
      have, [self = shared_from_this()](absl::Status status) {
        self->OnNeighbors(std::move(status));
      });
}

void WalkProgram::OnNeighbors(absl::Status status) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return End(std::move(status));
  for (size_t i = 0; i < undecided_.size(); ++i) {
    Verdict& verdict = verdicts_[undecided_[i]];
    const bool wants_near = verdict == Verdict::kTakenIfNear;
    verdict =
        wants_near == (near_[i] != 0) ? Verdict::kTaken : Verdict::kRefused;
  }
  TakeAccepted();
}

// Takes each walk's first accepted try; walks without one go into another
// round.
void WalkProgram::TakeAccepted() {
  size_t left = 0;
  for (size_t i = 0; i < pending_.size(); ++i) {
    const auto begin = verdicts_.begin() + i * tries_;
    const auto taken = std::find(begin, begin + tries_, Verdict::kTaken);
    if (taken == begin + tries_) {
      pending_[left++] = pending_[i];
    } else {
      next_[pending_[i]] = drawn_[taken - verdicts_.begin()];
    }
  }
  pending_.resize(left);
  first_try_ += tries_;
  if (pending_.empty()) return EndStep();
  // In a turn of its own: thousands of rounds must not hold the thread.
  context_.strand->Post([self = shared_from_this()] {
    if (self->context_.control->ContinueOrEnd()) self->BeginRound();
  });
}

void WalkProgram::EndStep() {
  context_.control->SetStage(BatchStage::kSampling);
  if (!NumberStep()) {
    return context_.control->ContinueOrEnd() ? End(Outcome::kTooLarge) : void();
  }
  if (plan_.second_order()) previous_.swap(current_);
  current_.swap(next_);
  if (++step_ == plan_.length) return End(Outcome::kSampled);
  context_.strand->Post([self = shared_from_this()] { self->BeginStep(); });
}

// Returns false if working memory does not suffice.
bool WalkProgram::NumberStep() {
  pending_.clear();
  nodes_.clear();
  for (uint32_t walk = 0; walk < num_walks_; ++walk) {
    if (next_[walk] == kNoNode) continue;
    pending_.push_back(walk);
    nodes_.push_back(next_[walk]);
  }
  LocalNumbering& numbering =
      context_.state->nodes[TypeAt(step_ + 1)].numbering;
  const uint64_t held = context_.state->bytes() - numbering.bytes() +
                        num_walks_ * plan_.bytes_per_walk();
  const uint64_t working = context_.control->Limits().working_bytes;
  std::vector<uint32_t> numbers(nodes_.size());
  if (held > working || !numbering.Number(nodes_, numbers.data(),
                                          working - held, context_.stop)) {
    return false;
  }
  const absl::Span<int32_t> index = WalkIndex();
  const size_t columns = plan_.length + 1;
  for (size_t i = 0; i < pending_.size(); ++i) {
    index[pending_[i] * columns + step_ + 1] = static_cast<int32_t>(numbers[i]);
  }
  return true;
}

void WalkProgram::End(absl::StatusOr<Outcome> outcome) {
  for (auto* ids : {&start_, &previous_, &current_, &next_, &nodes_, &drawn_,
                    &undecided_previous_, &undecided_drawn_}) {
    FreeMemory(*ids);
  }
  FreeMemory(pending_);
  FreeMemory(undecided_);
  FreeMemory(verdicts_);
  FreeMemory(near_);
  std::exchange(done_, nullptr)(std::move(outcome));
}

// Writes the original ids of the nodes visited: n_id by local number.
absl::Status WalkProgram::Finish(const BatchWriter& writer,
                                 absl::Span<uint8_t> room) {
  std::vector<const int64_t*> n_id(context_.graph->schema().node_types.size());
  for (size_t i = 0; i < context_.plan->node_types.size(); ++i) {
    n_id[context_.plan->node_types[i]] =
        reinterpret_cast<const int64_t*>(writer.node_rows(i, room).n_id.data());
  }
  const auto* index = reinterpret_cast<const int32_t*>(
      writer.kind_tensor(kWalkIndex, room).data());
  auto* walks =
      reinterpret_cast<int64_t*>(writer.kind_tensor(kWalks, room).data());
  std::vector<const int64_t*> ids_at(plan_.length + 1);
  for (uint32_t c = 0; c <= plan_.length; ++c) ids_at[c] = n_id[TypeAt(c)];
  for (size_t walk = 0; walk < num_walks_; ++walk) {
    for (const int64_t* ids : ids_at) {
      *walks++ = *index < 0 ? -1 : ids[*index];
      ++index;
    }
  }
  return absl::OkStatus();
}

}  // namespace tributary
