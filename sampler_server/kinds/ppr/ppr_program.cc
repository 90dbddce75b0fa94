#include "sampler_server/kinds/ppr/ppr_program.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "common/runtime/stoppable_sort.h"
#include "sampler_server/engine/batch/batch_writer.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/questions/adjacency_questions.h"
#include "sampler_server/engine/steps/node_column_step.h"

namespace tributary {
namespace {

// Places in BatchState::tensors.
constexpr size_t kId = 0, kIndex = 1, kWeight = 2;
constexpr uint64_t kTensorBytes =
    sizeof(int64_t) + sizeof(int32_t) + sizeof(float);
// Edges and nodes of a piece of a round: a millisecond or two.
constexpr uint64_t kWorkOfPiece = 128 << 10;
// Memory of each node asked about: in AskDegrees and AskNeighbors, ids,
// numbers.
constexpr uint64_t kBytesPerQuestion = 96;

}  // namespace

PprProgram::PprProgram(StepContext context)
    : context_(std::move(context)),
      plan_(PprPlan::Of(*context_.plan)),
      num_nodes_(
          static_cast<uint64_t>(context_.graph->schema()
                                    .node_types[context_.plan->input_type]
                                    .num_nodes)),
      wave_size_(context_.state->unique_inputs),
      seen_(std::in_place, num_nodes_) {}

template <typename T>
T* PprProgram::Tensor(size_t index) const {
  return reinterpret_cast<T*>(context_.state->tensors[index].bytes.data());
}

// Returns the memory of the tensors that are held until they are written.
bool PprProgram::HasRoom() const {
  const StepLimits limits = context_.control->Limits();
  const uint64_t entries =
      context_.state->seed_index.size() * uint64_t{plan_.top_k};
  return entries <= limits.max_bytes / kTensorBytes && Fits(entries * 8);
}

bool PprProgram::Fits(uint64_t bytes) const {
  return BytesHeld() + bytes <= context_.control->Limits().working_bytes;
}

uint64_t PprProgram::BytesHeld() const {
  return context_.state->bytes() + push_bytes_ + seen_->bytes() +
         HeldBytes(first_input_) + HeldBytes(active_) + HeldBytes(wanted_) +
         HeldBytes(nodes_) + HeldBytes(degrees_) + HeldBytes(neighbors_) +
         HeldBytes(original_);
}

void PprProgram::Start(Done done) {
  done_ = std::move(done);
  BatchState& state = *context_.state;
  const size_t inputs = state.seed_index.size();
  const Shape shape{static_cast<int64_t>(inputs), plan_.top_k};
  state.tensors.push_back({"ppr_id", DType::kInt64, shape, {}});
  state.tensors.push_back({"ppr_index", DType::kInt32, shape, {}});
  state.tensors.push_back({"ppr_weight", DType::kFloat32, shape, {}});
  if (!HasRoom()) return End(Outcome::kTooLarge);
  const size_t entries = inputs * plan_.top_k;
  state.tensors[kIndex].bytes.assign(entries * sizeof(int32_t), 0xFF);  // -1
  state.tensors[kWeight].bytes.assign(entries * sizeof(float), 0);
  first_input_.assign(state.unique_inputs, UINT32_MAX);
  for (size_t i = inputs; i-- > 0;) {
    first_input_[state.seed_index[i]] = static_cast<uint32_t>(i);
  }
  StartWave();
}

void PprProgram::StartWave() {
  if (!context_.control->ContinueOrEnd()) return;
  context_.control->SetStage(BatchStage::kSampling);
  const uint64_t left = context_.state->unique_inputs - wave_begin_;
  if (left == 0) {
    CopyRows();
    return End(Outcome::kSampled);
  }
  FreeMemory(pushes_);
  push_bytes_ = 0;
  seen_.emplace(num_nodes_);
  const size_t size = std::min<uint64_t>(left, wave_size_);
  const auto& ids =
      context_.state->nodes[context_.plan->input_type].numbering.ids();
  wanted_.resize(size);
  active_.resize(size);
  // The ids are unique: they get the numbers 0, 1, 2, ...
  const bool numbered =
      Fits(size * (sizeof(PushSums) + 1024)) &&
      seen_->Number(absl::MakeConstSpan(ids).subspan(wave_begin_, size),
                    wanted_.data(), context_.control->Limits().working_bytes,
                    context_.stop);
  if (!numbered) return GiveUpWave();
  pushes_.reserve(size);
  for (uint32_t i = 0; i < size; ++i) {
    pushes_.emplace_back(plan_.rule, i);
    push_bytes_ += pushes_.back().bytes();
    active_[i] = i;
  }
  AskDegrees();
}

void PprProgram::AskDegrees() {
  const size_t unknown = seen_->IdsWithoutDegree().size();
  if (!Fits(seen_->BytesToAdd(unknown, 0) - seen_->bytes() +
            unknown * kBytesPerQuestion)) {
    return GiveUpWave();
  }
  degrees_.assign(unknown, 0);
  tributary::AskDegrees(context_, plan_.edge_type, seen_->IdsWithoutDegree(),
                        absl::MakeSpan(degrees_), {},
                        [self = shared_from_this()](absl::Status status) {
                          self->OnDegrees(std::move(status));
                        });
}

void PprProgram::OnDegrees(absl::Status status) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return End(std::move(status));
  context_.control->SetStage(BatchStage::kSampling);
  seen_->AddDegrees(degrees_);
  FreeMemory(degrees_);
  wanted_.clear();
  next_ = still_active_ = 0;
  // Goes on when this call and the question's have freed their memory.
  Later(&PprProgram::Choose);
}

// Chooses the inputs that push in this round; the others are done.
void PprProgram::Choose() {
  if (!context_.control->ContinueOrEnd()) return;
  for (uint64_t work = 0; next_ < active_.size(); ++next_) {
    if (work > kWorkOfPiece) return Later(&PprProgram::Choose);
    PushSums& push = pushes_[active_[next_]];
    // At most the neighbours of all nodes seen are wanted.
    if (!Fits(push.BytesToChoose() - push.bytes() +
              seen_->size() * 3 * sizeof(uint32_t))) {
      return GiveUpWave();
    }
    push_bytes_ -= push.bytes();
    const bool pushes = push.Choose(*seen_, context_.stop);
    if (!WhyStopped(context_.stop).ok()) return Later(&PprProgram::Choose);
    if (pushes) {
      active_[still_active_++] = active_[next_];
      for (const PushSums::Pushing& from : push.pushing()) {
        if (seen_->WantNeighbors(from.number)) wanted_.push_back(from.number);
      }
    } else {
      push.KeepLargest(plan_.top_k);
    }
    work += push.bytes() / sizeof(uint64_t);
    push_bytes_ += push.bytes();
  }
  active_.resize(still_active_);
  if (active_.empty()) return EndWave();
  AskNeighbors();
}

void PprProgram::AskNeighbors() {
  uint64_t total = 0;
  for (const uint32_t number : wanted_) total += seen_->degree(number);
  if (!Fits(seen_->BytesToAdd(0, total) - seen_->bytes() +
            total * (sizeof(uint64_t) + sizeof(uint32_t)) +
            wanted_.size() * kBytesPerQuestion)) {
    return GiveUpWave();
  }
  FreeMemory(nodes_);
  FreeMemory(degrees_);
  nodes_.reserve(wanted_.size());
  degrees_.reserve(wanted_.size());
  for (const uint32_t number : wanted_) {
    nodes_.push_back(seen_->id(number));
    degrees_.push_back(seen_->degree(number));
  }
  neighbors_.assign(total, 0);
  tributary::AskNeighbors(context_, plan_.edge_type, nodes_, degrees_,
                          absl::MakeSpan(neighbors_), {},
                          [self = shared_from_this()](absl::Status status) {
                            self->OnNeighbors(std::move(status));
                          });
}

void PprProgram::OnNeighbors(absl::Status status) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return End(std::move(status));
  context_.control->SetStage(BatchStage::kSampling);
  FreeMemory(degrees_);
  FreeMemory(nodes_);
  const uint64_t working = context_.control->Limits().working_bytes;
  const uint64_t held = BytesHeld() - seen_->bytes() +
                        seen_->BytesToAdd(0, neighbors_.size()) +
                        neighbors_.size() * sizeof(uint32_t);
  std::vector<uint32_t> numbers(neighbors_.size());
  // `held` includes the memory that numbering holds now: a little stays unused.
  if (held > working || !seen_->Number(neighbors_, numbers.data(),
                                       working - held, context_.stop)) {
    return GiveUpWave();
  }
  FreeMemory(neighbors_);
  seen_->AddNeighbors(wanted_, numbers);
  next_ = 0;
  Later(&PprProgram::Push);
}

void PprProgram::Push() {
  if (!context_.control->ContinueOrEnd()) return;
  uint64_t work = 0;
  for (; next_ < active_.size(); ++next_) {
    if (work > kWorkOfPiece) return Later(&PprProgram::Push);
    PushSums& push = pushes_[active_[next_]];
    uint64_t edges = 0;
    for (const PushSums::Pushing& from : push.pushing()) {
      edges += seen_->degree(from.number);
    }
    push_bytes_ -= push.bytes();
    const uint64_t entries = std::min<uint64_t>(edges, seen_->size());
    const bool fits = Fits(push.BytesToPush(entries));
    if (fits) push.Push(*seen_, context_.stop);
    if (!WhyStopped(context_.stop).ok()) return Later(&PprProgram::Push);
    push_bytes_ += push.bytes();
    if (!fits) return GiveUpWave();
    work += edges;
  }
  Later(&PprProgram::AskDegrees);
}

// Ties are broken by original id: asks for those of all that may be in the k.
void PprProgram::EndWave() {
  FreeMemory(wanted_);
  size_t most = 0;
  for (PushSums& push : pushes_) most += push.largest().size();
  // Numbers; ids, here and in questions, and original ids.
  if (!Fits(most * 48)) return GiveUpWave();
  wanted_.reserve(most);
  for (PushSums& push : pushes_) {
    for (const PushSums::Scored& node : push.largest()) {
      wanted_.push_back(node.number);
    }
  }
  if (!StoppableSort(wanted_.data(), wanted_.data() + wanted_.size(),
                     std::less<>(), context_.stop)) {
    return Later(&PprProgram::EndWave);
  }
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  FreeMemory(nodes_);
  nodes_.reserve(wanted_.size());
  for (const uint32_t number : wanted_) nodes_.push_back(seen_->id(number));
  original_.assign(wanted_.size(), 0);
  std::make_shared<NodeColumnStep>(context_, context_.plan->input_type,
                                   NodeColumn::kOriginalId)
      ->Start(nodes_, absl::MakeSpan(original_),
              [self = shared_from_this()](absl::Status status) {
                self->OnOriginalIds(std::move(status));
              });
}

void PprProgram::OnOriginalIds(absl::Status status) {
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return End(std::move(status));
  context_.control->SetStage(BatchStage::kSampling);
  for (size_t place = 0; place < pushes_.size(); ++place) {
    if (context_.EndsAfter(plan_.top_k)) return;
    if (!PutRow(place)) return GiveUpWave();
  }
  wave_begin_ += pushes_.size();
  Later(&PprProgram::StartWave);
}

// Returns false if working memory does not suffice.
bool PprProgram::PutRow(size_t place) {
  auto& largest = pushes_[place].largest();
  const auto original = [this](uint32_t number) {
    const auto at = std::lower_bound(wanted_.begin(), wanted_.end(), number);
    return original_[at - wanted_.begin()];
  };
  const auto before = [&](const PushSums::Scored& a,
                          const PushSums::Scored& b) {
    if (a.score != b.score) return a.score > b.score;
    return original(a.number) < original(b.number);
  };
  const size_t k = std::min<size_t>(plan_.top_k, largest.size());
  std::partial_sort(largest.begin(), largest.begin() + k, largest.end(),
                    before);
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < k; ++i) ids.push_back(seen_->id(largest[i].number));
  LocalNumbering& numbering =
      context_.state->nodes[context_.plan->input_type].numbering;
  const uint64_t held = BytesHeld() - numbering.bytes() + k * 24;
  const uint64_t working = context_.control->Limits().working_bytes;
  std::vector<uint32_t> numbers(k);
  if (held > working ||
      !numbering.Number(ids, numbers.data(), working - held)) {
    return false;
  }
  const size_t row = size_t{first_input_[wave_begin_ + place]} * plan_.top_k;
  for (size_t i = 0; i < k; ++i) {
    Tensor<int32_t>(kIndex)[row + i] = static_cast<int32_t>(numbers[i]);
    Tensor<float>(kWeight)[row + i] = static_cast<float>(
        static_cast<double>(largest[i].score) / static_cast<double>(kPushMass));
  }
  return true;
}

// Inputs that repeat an earlier one get a copy of its row.
void PprProgram::CopyRows() {
  const std::vector<uint32_t>& inputs = context_.state->seed_index;
  const size_t k = plan_.top_k;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t from = first_input_[inputs[i]];
    if (from == i) continue;
    std::copy_n(Tensor<int32_t>(kIndex) + from * k, k,
                Tensor<int32_t>(kIndex) + i * k);
    std::copy_n(Tensor<float>(kWeight) + from * k, k,
                Tensor<float>(kWeight) + i * k);
  }
}

void PprProgram::GiveUpWave() {
  const size_t size = std::max(active_.size(), pushes_.size());
  for (auto* list : {&nodes_, &degrees_, &neighbors_}) FreeMemory(*list);
  if (size <= 1) return EndTooLarge();
  wave_size_ = size / 2;
  Later(&PprProgram::StartWave);
}

// One input alone exceeds working memory. How much it would take is not known,
// so that each try asks for twice the room of the last.
void PprProgram::EndTooLarge() {
  context_.state->nodes[context_.plan->input_type].unnumbered =
      context_.control->Limits().max_bytes / sizeof(int64_t);
  End(Outcome::kTooLarge);
}

void PprProgram::Later(Step step) {
  context_.strand->Post([self = shared_from_this(), step] {
    if (self->context_.control->ContinueOrEnd()) ((*self).*step)();
  });
}

void PprProgram::End(absl::StatusOr<Outcome> outcome) {
  FreeMemory(first_input_);
  FreeMemory(pushes_);
  seen_.emplace(num_nodes_);
  for (auto* list : {&active_, &wanted_}) FreeMemory(*list);
  for (auto* list : {&nodes_, &degrees_, &neighbors_}) FreeMemory(*list);
  FreeMemory(original_);
  std::exchange(done_, nullptr)(std::move(outcome));
}

// Writes the original ids of the nodes found: n_id by local number.
absl::Status PprProgram::Finish(const BatchWriter& writer,
                                absl::Span<uint8_t> room) {
  const auto& types = context_.plan->node_types;
  const size_t type =
      std::find(types.begin(), types.end(), context_.plan->input_type) -
      types.begin();
  const auto* n_id = reinterpret_cast<const int64_t*>(
      writer.node_rows(type, room).n_id.data());
  const absl::Span<uint8_t> index = writer.kind_tensor(kIndex, room);
  const auto* local = reinterpret_cast<const int32_t*>(index.data());
  auto* id = reinterpret_cast<int64_t*>(writer.kind_tensor(kId, room).data());
  std::transform(local, local + index.size() / sizeof(int32_t), id,
                 [n_id](int32_t number) {
                   return number < 0 ? int64_t{-1} : n_id[number];
                 });
  return absl::OkStatus();
}

}  // namespace tributary
