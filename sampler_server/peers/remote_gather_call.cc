#include "sampler_server/peers/remote_gather_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/text/status.h"
#include "partition/schema/feature_columns.h"
#include "sampler_server/peers/owner_call.h"

namespace tributary {
namespace {

constexpr size_t kMaxRowsPerCall = kMaxPayloadBytes / 4 / sizeof(uint64_t);

}  // namespace

RemoteGatherCall::RemoteGatherCall(std::shared_ptr<const GraphSchema> schema,
                                   std::shared_ptr<PeerDirectory> directory,
                                   RemoteGather gather,
                                   const RemotePartitions::Limits& limits,
                                   std::shared_ptr<Strand> strand, Done done)
    : schema_(std::move(schema)),
      directory_(std::move(directory)),
      gather_(std::move(gather)),
      limits_(limits),
      strand_(std::move(strand)),
      done_(std::move(done)) {}

void RemoteGatherCall::Start() {
  if (absl::Status s = PlanColumns(); !s.ok()) return done_(std::move(s));
  Next();
}

// Notes the columns that are asked for, in the order of the reply.
absl::Status RemoteGatherCall::PlanColumns() {
  if (gather_.table == RemoteGather::Table::kEdges) {
    const EdgeTypeSchema& type = schema_->edge_types[gather_.type];
    RETURN_IF_ERROR(AddFeatures(v1::COLUMN_EDGE_ATTR, gather_.edge_attr,
                                type.edge_attr, gather_.feature_dtype,
                                &GatheredRows::edge_attr,
                                &GatheredRows::edge_attr_scale));
    std::optional<ColumnSchema> weight;
    if (type.weighted) weight = ColumnSchema{type.weight_dtype, 0};
    return AddFeatures(v1::COLUMN_WEIGHT, gather_.weight, weight,
                       FeatureDType::kStored, &GatheredRows::weight, nullptr);
  }
  if (gather_.orig_id) {
    AddColumn(v1::COLUMN_ORIG_ID, sizeof(int64_t), &GatheredRows::orig_id);
  }
  const NodeTypeSchema& type = schema_->node_types[gather_.type];
  RETURN_IF_ERROR(AddFeatures(v1::COLUMN_X, gather_.x, type.x,
                              gather_.feature_dtype, &GatheredRows::x,
                              &GatheredRows::x_scale));
  RETURN_IF_ERROR(AddFeatures(v1::COLUMN_Y, gather_.y, type.y,
                              FeatureDType::kStored, &GatheredRows::y,
                              nullptr));
  if (gather_.time) {
    AddColumn(v1::COLUMN_TIME, sizeof(int64_t), &GatheredRows::time);
  }
  return absl::OkStatus();
}

absl::Status RemoteGatherCall::AddFeatures(
    v1::Column column, bool wanted, const std::optional<ColumnSchema>& stored,
    FeatureDType asked, GatheredRows::Bytes GatheredRows::*view,
    GatheredRows::Bytes GatheredRows::*scales) {
  if (!wanted) return absl::OkStatus();
  if (!stored) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph has no ", v1::Column_Name(column)));
  }
  AddColumn(column, InBatch(*stored, asked).row_bytes(), view);
  if (HasScale(*stored, asked)) {
    AddColumn(v1::COLUMN_UNSPECIFIED, sizeof(float), scales);
  }
  return absl::OkStatus();
}

void RemoteGatherCall::AddColumn(v1::Column column, size_t row_bytes,
                                 GatheredRows::Bytes GatheredRows::*view) {
  columns_.push_back({column, row_bytes, view});
  row_bytes_ += row_bytes;
}

// Asks for the next rows, or ends.
void RemoteGatherCall::Next() {
  const size_t left = gather_.rows.size() - next_;
  if (left == 0 || columns_.empty()) return Finish();
  asked_ = std::min({left, kMaxRowsPerCall,
                     std::max<size_t>(1, kMaxPayloadBytes / row_bytes_)});
  OwnerCallSpec spec;
  spec.partition = gather_.partition;
  spec.kind = MessageKind::kGatherRequest;
  spec.reply_kind = MessageKind::kGatherReply;
  spec.header = [self = shared_from_this()](uint64_t timeout_ms) {
    return self->EncodeHeader(timeout_ms);
  };
  spec.payload = {reinterpret_cast<const uint8_t*>(&gather_.rows[next_]),
                  asked_ * sizeof(uint64_t)};
  spec.payload_owner = shared_from_this();
  spec.max_reply_bytes = asked_ * row_bytes_;
  spec.limits = limits_;
  spec.strand = strand_;
  spec.accept = [self = shared_from_this()](CallReply reply) {
    return self->Accept(std::move(reply));
  };
  spec.done = [self = shared_from_this()](absl::Status status) {
    if (!status.ok()) return self->done_(std::move(status));
    self->Next();
  };
  StartOwnerCall(directory_, std::move(spec));
}

std::string RemoteGatherCall::EncodeHeader(uint64_t timeout_ms) const {
  v1::GatherRequest request;
  request.set_layout_digest(schema_->layout_digest.data(),
                            schema_->layout_digest.size());
  request.set_partition(gather_.partition);
  if (gather_.table == RemoteGather::Table::kNodes) {
    request.set_node_type(gather_.type);
  } else {
    request.set_edge_type(gather_.type);
  }
  for (const WantedColumn& column : columns_) {
    if (column.column == v1::COLUMN_UNSPECIFIED) continue;
    request.add_columns(column.column);
  }
  request.set_num_rows(asked_);
  request.set_max_reply_bytes(asked_ * row_bytes_);
  request.set_timeout_ms(timeout_ms);
  request.set_feature_dtype(static_cast<uint32_t>(gather_.feature_dtype));
  return request.SerializeAsString();
}

absl::Status RemoteGatherCall::Accept(CallReply reply) {
  ASSIGN_OR_RETURN(const auto header,
                   ParseReplyHeader<v1::GatherReply>(reply.kind, reply.header));
  const uint64_t n = header.rows();
  if (n == 0 || n > asked_ || reply.payload.size() != n * row_bytes_) {
    return absl::DataLossError(absl::StrCat(
        "reply of ", n, " rows in ", reply.payload.size(),
        " bytes to a request for ", asked_, " rows of ", row_bytes_, " bytes"));
  }
  if (gather_.orig_id) {  // the first column
    RETURN_IF_ERROR(
        CheckOriginalIds(reply.payload.span().first(n * sizeof(int64_t))));
  }
  TakeRows(std::move(reply), n);
  return absl::OkStatus();
}

absl::Status RemoteGatherCall::CheckOriginalIds(
    absl::Span<const uint8_t> ids) const {
  const int64_t num_nodes = schema_->node_types[gather_.type].num_nodes;
  for (size_t at = 0; at < ids.size(); at += sizeof(int64_t)) {
    int64_t id = 0;
    std::memcpy(&id, &ids[at], sizeof(id));
    if (id >= 0 && id < num_nodes) continue;
    return absl::DataLossError(absl::StrCat("reply with original id ", id,
                                            " of ", num_nodes, " nodes"));
  }
  return absl::OkStatus();
}

void RemoteGatherCall::TakeRows(CallReply reply, size_t n) {
  const size_t all = gather_.rows.size();
  if (n == all) {
    memory_ = std::move(reply.payload);
  } else {
    if (next_ == 0) memory_ = AlignedBuffer(all * row_bytes_);
    const uint8_t* from = reply.payload.data();
    uint8_t* to = memory_.data();
    for (const WantedColumn& column : columns_) {
      std::memcpy(to + next_ * column.row_bytes, from, n * column.row_bytes);
      from += n * column.row_bytes;
      to += all * column.row_bytes;
    }
  }
  next_ += n;
}

void RemoteGatherCall::Finish() {
  GatheredRows rows;
  rows.memory = std::move(memory_);
  absl::Span<const uint8_t> left = rows.memory.span();
  for (const WantedColumn& column : columns_) {
    const size_t bytes = gather_.rows.size() * column.row_bytes;
    rows.*column.view = left.first(bytes);
    left.remove_prefix(bytes);
  }
  done_(std::move(rows));
}

}  // namespace tributary
