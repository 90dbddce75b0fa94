#include "sampler_server/engine/batch_task.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/stop_check.h"
#include "common/text/status.h"
#include "partition/schema/feature_columns.h"
#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/batch/batch_writer.h"
#include "sampler_server/engine/batch/compact_edges.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/ids/resolve_ids.h"
#include "sampler_server/engine/ids/tree_ids.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/engine/steps/degree_step.h"
#include "sampler_server/engine/steps/gather_step.h"

namespace tributary {
namespace {

// Returns the bytes of an edge in the batch, without edge_attr: edge_index and
// e_id.
uint64_t BatchBytesPerEdge(const SamplingPlan& plan) {
  return kEdgeIndexBytes + (plan.omit_edge_ids ? 0 : kEdgeIdBytes);
}
// Memory that does not grow with the batch: headers, blocks of numbers, entries
// of each hop and type.
constexpr uint64_t kFixedBytes = 64 << 10;
// Memory of an input beside the batch: its id, number, and slots of a table.
constexpr uint64_t kBytesPerInput = 64;
// Part of kFixedBytes: memory that BatchState does not count.
constexpr uint64_t kUncountedBytes = 44 << 10;
// Memory of the layout's entries for in_degree and out_degree of an edge type,
// which BatchState does not count either.
constexpr uint64_t kBytesPerDegrees = 1024;
// A waiting step reports the deadline in more detail than the task: it ends
// first.
constexpr absl::Duration kDeadlineGrace = absl::Milliseconds(20);

uint64_t DegreeLayoutBytes(const SamplingPlan& plan) {
  return plan.collect_degrees ? plan.edge_types.size() * kBytesPerDegrees : 0;
}

// Returns the credit to ask for if a batch fits and its working memory does
// not.
uint64_t MoreThan(uint64_t max_bytes) {
  return max_bytes > UINT64_MAX / 2 ? UINT64_MAX
                                    : max_bytes + max_bytes / 8 + 1;
}

absl::Status WithBatch(const BatchKey& key, const absl::Status& why) {
  return absl::Status(why.code(),
                      absl::StrCat(key.ToString(), ": ", why.message()));
}

// Implements TaskControl for its steps, which keep it alive; drops them when
// the task ends. Runs on its strand, except for OnCancel's callback.
class BatchTask final : public TaskControl,
                        public std::enable_shared_from_this<BatchTask> {
 public:
  BatchTask(const BatchEnvironment& environment, BatchRequest request,
            std::shared_ptr<BatchSink> sink)
      : environment_(environment),
        request_(std::move(request)),
        sink_(std::move(sink)),
        strand_(
            std::make_shared<Strand>(environment.executor, environment.cpu)),
        stop_(request_.cancel, request_.deadline,
              &environment.executor->clock()) {}

  void Start() {
    strand_->Post([self = shared_from_this()] { self->Begin(); });
    request_.cancel.OnCancel([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      self->strand_->Post([self] { (void)self->ContinueOrEnd(); });
    });
  }

  bool ContinueOrEnd() override {
    if (ended_) return false;
    if (request_.cancel.cancelled()) {
      End();
      return false;
    }
    if (strand_->Now() < request_.deadline) return true;
    Fail(absl::DeadlineExceededError(
        absl::StrCat("past its deadline while ", StageName())));
    return false;
  }

  void SetStage(BatchStage stage) override {
    if (stage_ == stage) return;
    stage_ = stage;
    sink_->StageChanged(stage);
  }

  StepLimits Limits() const override {
    return {EdgeAllowance(), WorkingBytes(), request_.max_bytes};
  }

 private:
  using Program = std::shared_ptr<BatchProgram>;

  const GraphSchema& schema() const { return environment_.graph->schema(); }
  const SamplingPlan& plan() const { return *request_.plan; }
  void Begin();
  absl::Status CheckInputs() const;
  absl::Status CheckTreesFit(size_t inputs) const;
  absl::Status NumberInputs();
  uint64_t EdgeAllowance() const;
  uint64_t WorkingBytes() const;
  size_t BatchBytes() const;
  void OnSampled(absl::StatusOr<BatchProgram::Outcome> outcome,
                 Program program);
  void BeginGather(const Program& program);
  size_t FindLeftOutRows();
  void FindCompactEdgesBeside(size_t gaps);
  LeftOut MarkLeftOutRows();
  void WriteDegrees(const Program& program);
  void FinishBatch(BatchProgram& program);
  void Fail(const absl::Status& why);
  template <typename Report>
  void EndWith(Report report);
  void End();
  StepContext Context();
  const char* StageName() const;

  const BatchEnvironment environment_;
  BatchRequest request_;
  std::shared_ptr<BatchSink> sink_;
  const std::shared_ptr<Strand> strand_;

  StopCheck stop_;                // of long loops
  const CancelToken peer_calls_;  // cancelled whenever the task ends
  bool ended_ = false;
  BatchStage stage_ = BatchStage::kGathering;  // the first one is reported
  TimerId timer_ = 0;
  BatchState state_;
  std::unique_ptr<BatchWriter> writer_;
  absl::Span<uint8_t> room_;
};

void BatchTask::Begin() {
  if (!ContinueOrEnd()) return;
  SetStage(BatchStage::kSampling);
  // The timer also keeps the task alive if a peer drops its callback.
  timer_ = strand_->PostAt(
      request_.deadline + kDeadlineGrace,
      [self = shared_from_this()] { (void)self->ContinueOrEnd(); });
  absl::Status status = environment_.graph->damage();
  if (!status.ok()) return Fail(status);
  status = CheckInputs();
  if (!status.ok()) return Fail(status);
  status = NumberInputs();
  if (!status.ok()) return ContinueOrEnd() ? Fail(status) : void();
  const Program program = plan().kind->NewProgram(Context());
  // The program's context holds the task; only its own steps hold the program.
  program->Start([self = shared_from_this(),
                  program = std::weak_ptr(program)](auto outcome) {
    self->OnSampled(std::move(outcome), program.lock());
  });
}

absl::Status BatchTask::CheckInputs() const {
  const size_t n = request_.input_number.size();
  const bool links = plan().takes_links();
  if (request_.original_id.size() != (links ? 0 : n)) {
    return absl::InvalidArgumentError(absl::StrCat(n, " input numbers for ",
                                                   request_.original_id.size(),
                                                   " original ids"));
  }
  if (request_.links.edge_id.size() != (links && plan().edge_ids ? n : 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        n, " input numbers for ", request_.links.edge_id.size(), " edge ids"));
  }
  if (request_.links.negative.size() != n * plan().negatives) {
    return absl::InvalidArgumentError(
        absl::StrCat(n, " links with ", request_.links.negative.size(),
                     " negatives; allowed: ", plan().negatives, " for each"));
  }
  if (request_.links.source.size() != (links ? n : 0) ||
      request_.links.destination.size() != (links ? n : 0) ||
      request_.links.label.size() !=
          (links ? n * LabelBytes(plan().label) : 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        n, " input numbers for ", request_.links.source.size(), " links with ",
        request_.links.label.size(), " bytes of labels"));
  }
  const bool timed = plan().input_time == InputTimeMode::kGiven;
  if (request_.input_time.size() != (timed ? n : 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        request_.input_time.size(), " input times; allowed: ", timed ? n : 0));
  }
  if (n == 0 || n > plan().batch_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        n, " inputs; allowed: 1 to the batch size, ", plan().batch_size));
  }
  for (int64_t number : request_.input_number) {
    if (static_cast<uint64_t>(number) < plan().input_count) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "input number ", number, "; allowed: 0 to ", plan().input_count - 1));
  }
  return absl::OkStatus();
}

absl::Status BatchTask::CheckTreesFit(size_t inputs) const {
  for (const NodeTypeSchema& type : schema().node_types) {
    const auto num_nodes = static_cast<uint64_t>(type.num_nodes);
    if (!plan().disjoint || TreeIds::Fit(num_nodes, inputs)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        inputs, " disjoint trees of the ", num_nodes, " nodes of type ",
        type.name, " cannot be numbered; lower batch_size"));
  }
  return absl::OkStatus();
}

absl::Status BatchTask::NumberInputs() {
  RETURN_IF_ERROR(CheckTreesFit(request_.input_number.size()));
  state_ = BatchState(schema(), plan(), request_.input_number.size());
  state_.tree_time = request_.input_time;
  if (plan().takes_links()) return absl::OkStatus();  // numbered by the program
  ASSIGN_OR_RETURN(std::vector<uint64_t> internal,
                   ResolveIds(*environment_.graph, plan().input_type,
                              request_.original_id, &stop_));
  NodeTypeState& inputs = state_.nodes[plan().input_type];
  state_.seed_index.resize(internal.size());
  const TreeIds ids(
      static_cast<uint64_t>(schema().node_types[plan().input_type].num_nodes));
  for (uint32_t tree = 0; tree < state_.trees; ++tree) {
    internal[tree] = ids.Id(tree, internal[tree]);
  }
  inputs.numbering.Number(internal, state_.seed_index.data());
  state_.unique_inputs = inputs.numbering.size();
  return absl::OkStatus();
}

StepContext BatchTask::Context() {
  StepContext context;
  context.graph = environment_.graph;
  context.remote = environment_.remote;
  context.rows = environment_.rows;
  context.hot = environment_.hot;
  context.metrics = environment_.metrics;
  context.trainer_rows = request_.trainer_rows.get();
  context.plan = &plan();
  context.key = request_.key;
  context.input_number = request_.input_number;
  context.links = &request_.links;
  context.state = &state_;
  context.control = shared_from_this();
  context.strand = strand_;
  context.deadline = request_.deadline;
  context.cancel = peer_calls_;
  context.calls = environment_.calls;
  context.stop = &stop_;
  return context;
}

size_t BatchTask::BatchBytes() const {
  return BatchWriter(schema(), plan(), request_.key, state_).total_bytes();
}

// Returns the most edges that the next step may find. A batch that fits never
// reaches it. One that does exceeds 2 x max_bytes, so that each Needs is twice
// the credit that it answers, or exact, and the tries converge.
uint64_t BatchTask::EdgeAllowance() const {
  // The batch will hold other edges than are drawn: only memory limits these.
  if (plan().subgraph.type != SubgraphType::kDirectional) {
    return WorkingBytes() / BatchBytesPerEdge(plan());
  }
  const uint64_t most = std::min(request_.max_bytes, UINT64_MAX / 2) * 2;
  const uint64_t found = BatchBytes();
  return (most > found ? (most - found) / BatchBytesPerEdge(plan()) : 0) + 2;
}

uint64_t BatchTask::WorkingBytes() const {
  const uint64_t all = request_.reserved_bytes != 0
                           ? request_.reserved_bytes
                           : TaskBytes(schema(), request_);
  return all - std::min(kUncountedBytes + DegreeLayoutBytes(plan()), all / 8);
}

void BatchTask::OnSampled(absl::StatusOr<BatchProgram::Outcome> outcome,
                          Program program) {
  if (!ContinueOrEnd()) return;
  if (!outcome.ok()) return Fail(outcome.status());
  if (*outcome == BatchProgram::Outcome::kTooLarge) {
    const size_t bytes =
        std::max<uint64_t>(BatchBytes(), MoreThan(request_.max_bytes));
    return EndWith([bytes](BatchSink& sink) { sink.Needs(bytes); });
  }
  strand_->Post([self = shared_from_this(), program = std::move(program)] {
    self->BeginGather(program);
  });
}

void BatchTask::BeginGather(const Program& program) {
  if (!ContinueOrEnd()) return;
  for (NodeTypeState& type : state_.nodes) type.numbering.ShrinkToIds();
  const size_t gaps = FindLeftOutRows();
  if (request_.compact) FindCompactEdgesBeside(gaps);
  if (stop_.stopped()) {    // what was found may be incomplete
    (void)ContinueOrEnd();  // ends
    return;
  }
  writer_ =
      std::make_unique<BatchWriter>(schema(), plan(), request_.key, state_);
  const size_t bytes = writer_->total_bytes();
  if (bytes > request_.max_bytes) {
    return EndWith([bytes](BatchSink& sink) { sink.Needs(bytes); });
  }
  SetStage(BatchStage::kGathering);
  room_ = sink_->AllocateRoom(writer_->room_bytes());
  if (!writer_->Write(request_.input_number, room_, &stop_)) {
    (void)ContinueOrEnd();  // ends
    return;
  }
  state_.DropWritten();
  auto step = std::make_shared<GatherStep>(Context(), writer_.get(), room_);
  step->Start(sink_, [self = shared_from_this(), program](absl::Status status) {
    if (!self->ContinueOrEnd()) return;
    if (!status.ok()) return self->Fail(status);
    self->WriteDegrees(program);
  });
}

// Returns the most gaps that these rows make.
size_t BatchTask::FindLeftOutRows() {
  if (request_.trainer_rows == nullptr) return 0;
  // Of three columns, each cut to cache lines: fewer may leave nothing out, and
  // a batch that lacks nothing has no ranks either.
  constexpr size_t kGapsOfType = 3, kLeastBytes = kGapsOfType * 64;
  const TrainerRows& rows = *request_.trainer_rows;
  size_t gaps = 0;
  for (const int type : plan().node_types) {
    const HotList::Nodes* list = rows.list->nodes(type);
    if (list == nullptr || gaps + kGapsOfType > kMaxGaps ||
        !MayLeaveOutRows(schema().node_types[type], plan().collect,
                         plan().feature_dtype)) {
      continue;
    }
    LeftOutNodes& left_out = state_.nodes[type].left_out;
    // The credit may say any number, and a damaged file have any rank.
    const auto num_rows = static_cast<uint32_t>(
        std::min<uint64_t>(rows.num_rows[type], list->order.size()));
    left_out =
        FindLeftOut(list->rank, num_rows, state_.nodes[type].numbering.ids(),
                    plan().disjoint, &stop_);
    const size_t row_bytes = CollectedRowBytes(
        schema().node_types[type], plan().collect, plan().feature_dtype);
    if (left_out.size() * row_bytes < kLeastBytes) left_out = {};
    gaps += left_out.empty() ? 0 : kGapsOfType;
  }
  return gaps;
}

void BatchTask::FindCompactEdgesBeside(size_t gaps) {
  for (size_t i = 0; i < plan().edge_types.size(); ++i) {
    if (plan().edge_types[i].shares_tensors_of >= 0) continue;
    gaps += kGapsOfEdgeType;
    if (gaps > kMaxGaps || stop_.stopped()) return;
    state_.edges[i].compact = FindCompactEdges(plan(), state_, i, &stop_);
  }
}

// Until here, the room has the original ids of all nodes: later steps read
// them.
LeftOut BatchTask::MarkLeftOutRows() {
  LeftOut left_out{writer_->gaps(), 0, writer_->compact_bytes()};
  for (size_t i = 0; i < plan().node_types.size(); ++i) {
    const int type = plan().node_types[i];
    const LeftOutNodes& nodes = state_.nodes[type].left_out;
    if (nodes.empty()) continue;
    const absl::Span<uint8_t> n_id = writer_->node_rows(i, room_).n_id;
    MarkRanks(nodes, {reinterpret_cast<int64_t*>(n_id.data()),
                      n_id.size() / sizeof(int64_t)});
    left_out.crcs +=
        SumCrcs(nodes, request_.trainer_rows->list->nodes(type)->crc);
  }
  return left_out;
}

void BatchTask::WriteDegrees(const Program& program) {
  if (!plan().collect_degrees) return FinishBatch(*program);
  auto step = std::make_shared<DegreeStep>(Context(), writer_.get(), room_);
  step->Start([self = shared_from_this(), program](absl::Status status) {
    if (!status.ok()) return self->Fail(status);
    self->FinishBatch(*program);
  });
}

void BatchTask::FinishBatch(BatchProgram& program) {
  const absl::Status status = program.Finish(*writer_, room_);
  if (!status.ok()) return Fail(status);
  const size_t bytes = writer_->total_bytes();
  EndWith([bytes, left_out = MarkLeftOutRows()](BatchSink& sink) mutable {
    sink.Ready(bytes, std::move(left_out));
  });
}

void BatchTask::Fail(const absl::Status& why) {
  const absl::Status named = WithBatch(request_.key, why);
  EndWith([&named](BatchSink& sink) { sink.Failed(named); });
}

template <typename Report>
void BatchTask::EndWith(Report report) {
  const std::shared_ptr<BatchSink> sink = sink_;
  // Read after everything else that the batch was made of.
  absl::Status damage = environment_.graph->damage();
  if (request_.trainer_rows != nullptr) {
    damage.Update(request_.trainer_rows->list->damage());
  }
  End();
  if (damage.ok()) return report(*sink);
  sink->Failed(WithBatch(request_.key, damage));
}

// Frees memory now, since a peer's late reply may keep the task alive for a
// while, and cancels calls whose replies nobody needs any more.
void BatchTask::End() {
  ended_ = true;
  peer_calls_.Cancel();
  if (timer_ != 0) strand_->CancelTimer(timer_);
  writer_.reset();
  state_ = BatchState();
  sink_.reset();
}

const char* BatchTask::StageName() const {
  switch (stage_) {
    case BatchStage::kSampling:
      return "sampling";
    case BatchStage::kWaitingForPeer:
      return "waiting for a peer";
    case BatchStage::kWaitingForDisk:
      return "waiting for a disk";
    case BatchStage::kGathering:
      return "gathering";
  }
  return "sampling";
}

}  // namespace

uint64_t TaskBytes(const GraphSchema& schema, const BatchRequest& request) {
  constexpr uint64_t kMost = UINT64_MAX / 8;
  const uint64_t batch = std::min(request.max_bytes, kMost);
  uint64_t bytes = 2 * batch + kFixedBytes + request.plan->task_bytes +
                   request.input_number.size() *
                       (kBytesPerInput + request.plan->task_bytes_per_input) +
                   DegreeLayoutBytes(*request.plan);
  // The sampled edges are held until the mirrored ones are made.
  const bool mirrors =
      request.plan->subgraph.type == SubgraphType::kBidirectional;
  if (mirrors) bytes += batch / 2;
  // A batch of fewer bytes for the same work.
  if (request.plan->omit_edge_ids) bytes += mirrors ? 2 * batch : batch / 2;
  for (const PlannedEdgeType& type : request.plan->edge_types) {
    if (!NeedsPositions(schema, *request.plan, type)) continue;
    return bytes + batch / 2;
  }
  return bytes;
}

void StartBatchTask(const BatchEnvironment& environment, BatchRequest request,
                    std::shared_ptr<BatchSink> sink) {
  std::make_shared<BatchTask>(environment, std::move(request), std::move(sink))
      ->Start();
}

}  // namespace tributary
