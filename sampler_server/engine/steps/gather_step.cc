#include "sampler_server/engine/steps/gather_step.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "sampler_server/engine/batch/partition_error.h"
#include "sampler_server/engine/gather/hot_split.h"
#include "sampler_server/engine/ids/frontier.h"

namespace tributary {
namespace {

// Of a column: copied in a millisecond or less.
constexpr size_t kBytesAtOnce = 1 << 20;

// The requests to one owner that are under way, and the bytes of one with its
// reply. Together they take no more than the 8 MiB of docs/bounds.md, of which
// the reply with one wide row may be half.
constexpr int kRequestsAtOnce = 3;
constexpr size_t kRequestBytes = size_t{2} << 20;

template <typename T>
absl::Span<const uint8_t> AsBytes(const T& values) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                             values.size() * sizeof(values[0]));
}

absl::Status CheckRows(absl::Span<const uint64_t> rows, uint64_t num_rows,
                       uint32_t partition, const char* column) {
  uint64_t largest = 0;
  for (uint64_t row : rows) largest = std::max(largest, row);
  if (rows.empty() || largest < num_rows) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(column, " of partition ", partition, " has ", num_rows,
                   " rows, row ", largest, " is wanted: verify the graph"));
}

}  // namespace

void GatherStep::Start(const std::shared_ptr<const void>& owner, Done done) {
  done_ = std::move(done);
  for (size_t i = 0; i < context_.plan->node_types.size(); ++i) AddNodeJobs(i);
  for (size_t i = 0; i < context_.plan->edge_types.size(); ++i) AddEdgeJobs(i);
  const auto self = shared_from_this();
  std::vector<std::shared_ptr<const Job>> here;
  std::vector<Job> hot;
  for (Job& job : std::exchange(jobs_, {})) {
    if (IsHere(job)) {
      here.push_back(std::make_shared<const Job>(std::move(job)));
      continue;
    }
    Job cached = TakeHot(job);
    if (cached.num_rows > 0) hot.push_back(std::move(cached));
    if (job.num_rows > 0) GatherThere(std::move(job));
    if (done_ == nullptr) return;
  }
  for (std::shared_ptr<const Job>& job : here) {
    const absl::Status status = GatherHere(std::move(job), owner);
    if (!status.ok()) return Finish(status);
    if (!context_.control->ContinueOrEnd()) return;
  }
  for (const Job& job : std::exchange(hot, {})) {
    const absl::Status status = GatherHot(job);
    if (!status.ok()) return Finish(status);
    if (!context_.control->ContinueOrEnd()) return;
  }
  FinishWhenAllIsThere();
}

void GatherStep::AddNodeJobs(size_t index) {
  const int type = context_.plan->node_types[index];
  const NodeTypeSchema& schema = context_.graph->schema().node_types[type];
  const BatchWriter::NodeRows rows = writer_->node_rows(index, room_);
  if (context_.plan->disjoint) {
    context_.state->nodes[type].numbering.ReduceIds(
        static_cast<uint64_t>(schema.num_nodes));
  }
  const LeftOutNodes& left_out = context_.state->nodes[type].left_out;
  const auto& ids = context_.state->nodes[type].numbering.ids();
  NodesByPartition parted =
      left_out.empty()
          ? GroupByPartition(schema, ids)
          : GroupByPartition(schema, WithoutLeftOut(ids, left_out));
  context_.state->nodes[type].numbering.DropIds();
  const bool in_order = parted.groups.size() == 1;
  for (PartitionNodes& group : parted.groups) {
    Job& job = jobs_.emplace_back();
    job.type = type;
    job.partition = group.partition;
    job.rows = std::move(group.rows);
    job.num_rows = job.rows.size();
    if (!in_order) job.to = std::move(group.index);
    job.orig_id = {rows.n_id.subspan(left_out.size() * sizeof(int64_t)),
                   RowForm::Copied(sizeof(int64_t))};
    if (CollectsX(schema, *context_.plan)) {
      job.x = FeatureColumn(rows.x, rows.x_scale, *schema.x);
    }
    if (CollectsY(schema, *context_.plan)) {
      job.y = {rows.y, RowForm::Copied(schema.y->row_bytes())};
    }
    if (CollectsTime(schema, *context_.plan)) {
      job.time = {rows.time, RowForm::Copied(sizeof(int64_t))};
    }
  }
}

void GatherStep::AddEdgeJobs(size_t index) {
  const int type = context_.plan->edge_types[index].edge_type;
  const EdgeTypeSchema& schema = context_.graph->schema().edge_types[type];
  const PlannedEdgeType& planned = context_.plan->edge_types[index];
  const GraphSchema& graph = context_.graph->schema();
  if (!NeedsPositions(graph, *context_.plan, planned)) return;
  std::vector<SampledHop>& hops = context_.state->edges[index].hops;
  std::map<uint32_t, Job> by_partition;
  for (const SampledHop& hop : hops) {
    for (uint32_t owner : hop.edge_owners) ++by_partition[owner].num_rows;
    for (size_t node = 0; node < hop.owners.size(); ++node) {
      by_partition[hop.owners[node]].num_rows += hop.counts[node];
    }
  }
  for (auto& [partition, job] : by_partition) {
    job.rows.reserve(job.num_rows);
    job.to.reserve(job.num_rows);
  }
  const std::vector<uint64_t> first =
      FirstEdges(*context_.plan, *context_.state, index);
  for (size_t h = 0; h < hops.size(); ++h) {
    SampledHop& hop = hops[h];
    auto edge = static_cast<uint32_t>(first[h]);
    size_t at = 0;
    for (uint32_t owner : hop.edge_owners) {
      by_partition[owner].rows.push_back(hop.positions[at++]);
      by_partition[owner].to.push_back(edge++);
    }
    for (size_t node = 0; node < hop.owners.size(); ++node) {
      Job& job = by_partition[hop.owners[node]];
      for (uint32_t j = 0; j < hop.counts[node]; ++j) {
        job.rows.push_back(hop.positions[at++]);
        job.to.push_back(edge++);
      }
    }
    hop = SampledHop();
  }
  for (auto& [partition, job] : by_partition) {
    job.table = RemoteGather::Table::kEdges;
    job.type = type;
    job.partition = partition;
    const BatchWriter::EdgeRows rows = writer_->edge_rows(index, room_);
    if (CollectsEdgeAttr(graph, *context_.plan, planned)) {
      job.edge_attr = FeatureColumn(rows.edge_attr, rows.edge_attr_scale,
                                    *schema.edge_attr);
    }
    if (CollectsWeight(graph, *context_.plan, planned)) {
      job.weight = {rows.weight,
                    RowForm::Copied(DTypeSize(schema.weight_dtype))};
    }
    if (job.num_rows > 0) jobs_.push_back(std::move(job));
  }
}

GatherStep::Column GatherStep::FeatureColumn(absl::Span<uint8_t> out,
                                             absl::Span<uint8_t> scales,
                                             const ColumnSchema& stored) const {
  return {out, RowForm::Of(stored, context_.plan->feature_dtype), scales};
}

bool GatherStep::IsHere(const Job& job) const {
  if (job.table == RemoteGather::Table::kNodes) {
    return context_.graph->nodes(job.type, job.partition) != nullptr;
  }
  return context_.graph->edges(job.type, job.partition) != nullptr;
}

GatherStep::Job GatherStep::TakeHot(Job& job) const {
  Job hot;
  // The cache has no times: rows with them come from their owner, whole.
  if (context_.hot == nullptr || job.table != RemoteGather::Table::kNodes ||
      job.time.wanted()) {
    return hot;
  }
  const HotNodes* cache = context_.hot->nodes(job.type);
  if (cache == nullptr) return hot;
  const NodeTypeSchema& schema = context_.graph->schema().node_types[job.type];
  PlacedRows rows{std::move(job.rows), std::move(job.to)};
  PlacedRows found = TakeHotRows(
      *cache, static_cast<uint64_t>(schema.base[job.partition]), rows);
  job.rows = std::move(rows.rows);
  job.to = std::move(rows.to);
  job.num_rows = job.rows.size();
  hot = {job.table, job.type, job.partition};
  hot.num_rows = found.rows.size();
  hot.rows = std::move(found.rows);
  hot.to = std::move(found.to);
  hot.orig_id = job.orig_id;
  hot.x = job.x;
  hot.y = job.y;
  if (context_.metrics != nullptr) {
    context_.metrics->Hit(hot.num_rows, hot.num_rows * hot.row_bytes());
    context_.metrics->Miss(job.num_rows);
  }
  return hot;
}

absl::Status GatherStep::GatherHot(const Job& job) const {
  const HotNodes& nodes = *context_.hot->nodes(job.type);
  RETURN_IF_ERROR(GatherColumn(job, job.x, nodes.x(), "x"));
  RETURN_IF_ERROR(GatherColumn(job, job.orig_id, nodes.orig_id(), "orig_id"));
  return GatherColumn(job, job.y, nodes.y(), "y");
}

// Starts reads of files first: the disk works while the rest is copied.
absl::Status GatherStep::GatherHere(std::shared_ptr<const Job> job,
                                    const std::shared_ptr<const void>& owner) {
  if (job->table == RemoteGather::Table::kEdges) {
    const EdgePartition& edges =
        *context_.graph->edges(job->type, job->partition);
    if (edges.edge_attr_file != nullptr) {
      RETURN_IF_ERROR(ReadColumn(job, job->edge_attr, *edges.edge_attr_file,
                                 "edge_attr", owner));
    } else {
      RETURN_IF_ERROR(
          GatherColumn(*job, job->edge_attr, edges.edge_attr, "edge_attr"));
    }
    return GatherColumn(*job, job->weight, edges.weight, "weight");
  }
  const NodePartition& nodes =
      *context_.graph->nodes(job->type, job->partition);
  if (nodes.x_file != nullptr) {
    RETURN_IF_ERROR(ReadColumn(job, job->x, *nodes.x_file, "x", owner));
  } else {
    RETURN_IF_ERROR(GatherColumn(*job, job->x, nodes.x, "x"));
  }
  RETURN_IF_ERROR(
      GatherColumn(*job, job->orig_id, AsBytes(nodes.orig_id), "orig_id"));
  RETURN_IF_ERROR(GatherColumn(*job, job->time, AsBytes(nodes.time), "time"));
  return GatherColumn(*job, job->y, nodes.y, "y");
}

absl::Status GatherStep::GatherColumn(const Job& job, const Column& column,
                                      absl::Span<const uint8_t> bytes,
                                      const char* name) const {
  if (!column.wanted()) return absl::OkStatus();
  const RowTable table{bytes, column.form.stored_bytes};
  RETURN_IF_ERROR(CheckRows(job.rows, table.num_rows(), job.partition, name));
  const size_t row_bytes = column.form.all_bytes();
  const size_t piece = std::max<size_t>(16, kBytesAtOnce / (row_bytes + 1));
  const absl::Span<const uint64_t> rows = job.rows;
  const absl::Span<const uint32_t> to = job.to;
  for (size_t from = 0; from < rows.size(); from += piece) {
    const size_t n = std::min(piece, rows.size() - from);
    if (ShouldStop(context_.stop, 4 * n + n * row_bytes / 16)) {
      return context_.stop->why();
    }
    // Without `to`, rows come one after the other.
    const size_t at = to.empty() ? from : 0;
    GatherRows(table, column.form, rows.subspan(from, n),
               to.empty() ? to : to.subspan(from, n),
               column.out.data() + at * column.form.row_bytes,
               column.scales.data() + at * column.form.scale_bytes());
  }
  return absl::OkStatus();
}

absl::Status GatherStep::ReadColumn(std::shared_ptr<const Job> job,
                                    const Column& column, const RowFile& file,
                                    const char* name,
                                    const std::shared_ptr<const void>& owner) {
  if (!column.wanted() || job->rows.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckRows(job->rows, file.num_rows(), job->partition, name));
  if (context_.rows == nullptr) {
    return absl::InternalError(
        absl::StrCat(file.path(), " is not mapped, and nobody reads it"));
  }
  RowRead read;
  read.file = &file;
  read.places = PlacesOf(column.form, job->rows, job->to, column.out.data(),
                         column.scales.data());
  read.hold = std::make_shared<
      std::pair<std::shared_ptr<const Job>, std::shared_ptr<const void>>>(
      std::move(job), owner);
  read.deadline = context_.deadline;
  read.cancel = context_.cancel;
  ++reading_;
  context_.rows->Read(
      std::move(read), context_.strand,
      [self = shared_from_this()](absl::Status status) {
        if (self->done_ == nullptr || !self->context_.control->ContinueOrEnd())
          return;
        --self->reading_;
        if (!status.ok()) return self->Finish(std::move(status));
        self->FinishWhenAllIsThere();
      });
  return absl::OkStatus();
}

void GatherStep::GatherThere(Job job) {
  if (context_.remote == nullptr) {
    return Finish(NoPeersError(job.partition));
  }
  if (context_.metrics != nullptr) {
    context_.metrics->Ask(job.table == RemoteGather::Table::kEdges,
                          job.num_rows, job.num_rows * job.row_bytes());
  }
  const auto there = std::make_shared<There>();
  there->job = std::move(job);
  AskMore(there);
}

// While one reply is put to its places, others are made and sent.
void GatherStep::AskMore(const std::shared_ptr<There>& there) {
  const Job& job = there->job;
  const size_t row_bytes = job.row_bytes();
  const size_t both_bytes = row_bytes + sizeof(job.rows[0]);  // with its number
  const size_t at_once = std::max<size_t>(1, kRequestBytes / both_bytes);
  const int most = both_bytes > kRequestBytes ? 1 : kRequestsAtOnce;
  while (there->next < job.num_rows && there->open < most) {
    const size_t from = there->next;
    const size_t n = std::min(at_once, job.num_rows - from);
    RemoteGather gather;
    gather.table = job.table;
    gather.type = static_cast<uint32_t>(job.type);
    gather.partition = job.partition;
    gather.orig_id = job.orig_id.wanted();
    gather.x = job.x.wanted();
    gather.y = job.y.wanted();
    gather.time = job.time.wanted();
    gather.edge_attr = job.edge_attr.wanted();
    gather.weight = job.weight.wanted();
    if (job.x.form.convert != nullptr ||
        job.edge_attr.form.convert != nullptr) {
      gather.feature_dtype = context_.plan->feature_dtype;
    }
    gather.rows.assign(&job.rows[from], &job.rows[from] + n);
    there->next += n;
    ++there->open;
    ++in_flight_;
    context_.remote->Gather(
        std::move(gather), context_.LimitsFor(n * row_bytes), context_.strand,
        [self = shared_from_this(), there, from,
         n](absl::StatusOr<GatheredRows> rows) {
          if (self->done_ == nullptr ||
              !self->context_.control->ContinueOrEnd()) {
            return;
          }
          --self->in_flight_;
          --there->open;
          if (!rows.ok()) return self->Finish(rows.status());
          self->AskMore(there);
          const absl::Status status = self->Scatter(there->job, from, n, *rows);
          if (!status.ok()) return self->Finish(status);
          self->FinishWhenAllIsThere();
        });
  }
}

absl::Status GatherStep::Scatter(const Job& job, size_t from, size_t num_rows,
                                 const GatheredRows& rows) const {
  std::vector<uint32_t> in_order;
  if (job.to.empty()) {
    in_order.resize(num_rows);
    std::iota(in_order.begin(), in_order.end(), static_cast<uint32_t>(from));
  }
  const absl::Span<const uint32_t> to =
      job.to.empty() ? absl::MakeConstSpan(in_order)
                     : absl::MakeConstSpan(job.to).subspan(from, num_rows);
  const auto put = [&](absl::Span<const uint8_t> bytes, size_t row_bytes,
                       absl::Span<uint8_t> out) -> absl::Status {
    if (bytes.size() != row_bytes * num_rows) {
      return absl::DataLossError(
          absl::StrCat("gather reply of partition ", job.partition, " has ",
                       bytes.size(), " bytes of a column; ", num_rows,
                       " rows of ", row_bytes, " were asked for"));
    }
    ScatterRows({bytes, row_bytes}, to, out.data());
    return absl::OkStatus();
  };
  const auto put_rows = [&](const Column& column,
                            absl::Span<const uint8_t> bytes) {
    return put(bytes, column.form.row_bytes, column.out);
  };
  const auto put_scales = [&](const Column& column,
                              absl::Span<const uint8_t> bytes) {
    return put(bytes, column.form.scale_bytes(), column.scales);
  };
  RETURN_IF_ERROR(put_rows(job.orig_id, rows.orig_id));
  RETURN_IF_ERROR(put_rows(job.x, rows.x));
  RETURN_IF_ERROR(put_scales(job.x, rows.x_scale));
  RETURN_IF_ERROR(put_rows(job.y, rows.y));
  RETURN_IF_ERROR(put_rows(job.time, rows.time));
  RETURN_IF_ERROR(put_rows(job.edge_attr, rows.edge_attr));
  RETURN_IF_ERROR(put_scales(job.edge_attr, rows.edge_attr_scale));
  return put_rows(job.weight, rows.weight);
}

void GatherStep::PutLeftOutIds() const {
  for (size_t i = 0; i < context_.plan->node_types.size(); ++i) {
    const int type = context_.plan->node_types[i];
    const LeftOutNodes& left_out = context_.state->nodes[type].left_out;
    if (left_out.empty()) continue;
    const absl::Span<uint8_t> n_id = writer_->node_rows(i, room_).n_id;
    SpreadIds(left_out, context_.trainer_rows->list->nodes(type)->order,
              {reinterpret_cast<int64_t*>(n_id.data()),
               n_id.size() / sizeof(int64_t)});
  }
}

absl::Status GatherStep::CheckOriginalIds() const {
  for (size_t i = 0; i < context_.plan->node_types.size(); ++i) {
    const NodeTypeSchema& type =
        context_.graph->schema().node_types[context_.plan->node_types[i]];
    const absl::Span<uint8_t> bytes = writer_->node_rows(i, room_).n_id;
    const auto* ids = reinterpret_cast<const uint64_t*>(bytes.data());
    uint64_t largest = 0;  // a negative id is a very large one
    for (size_t j = 0; j < bytes.size() / sizeof(uint64_t); ++j) {
      largest = std::max(largest, ids[j]);
    }
    if (bytes.empty() || largest < static_cast<uint64_t>(type.num_nodes)) {
      continue;
    }
    return absl::DataLossError(
        absl::StrCat("orig_id of node type ", type.name, " holds ",
                     static_cast<int64_t>(largest), " of ", type.num_nodes,
                     " nodes: verify the graph"));
  }
  return absl::OkStatus();
}

void GatherStep::FinishWhenAllIsThere() {
  if (in_flight_ == 0 && reading_ == 0) {
    PutLeftOutIds();
    return Finish(CheckOriginalIds());
  }
  context_.control->SetStage(reading_ > 0 ? BatchStage::kWaitingForDisk
                                          : BatchStage::kWaitingForPeer);
}

void GatherStep::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done != nullptr) done(std::move(status));
}

}  // namespace tributary
