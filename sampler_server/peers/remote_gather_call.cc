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

// Allocates the columns that are asked for, in the order of the reply.
absl::Status RemoteGatherCall::PlanColumns() {
  if (gather_.table == RemoteGather::Table::kEdges) {
    const EdgeTypeSchema& type = schema_->edge_types[gather_.type];
    RETURN_IF_ERROR(AddFeatures(v1::COLUMN_EDGE_ATTR, gather_.edge_attr,
                                type.edge_attr, gather_.feature_dtype,
                                &rows_.edge_attr, &rows_.edge_attr_scale));
    std::optional<ColumnSchema> weight;
    if (type.weighted) weight = ColumnSchema{type.weight_dtype, 0};
    return AddFeatures(v1::COLUMN_WEIGHT, gather_.weight, weight,
                       FeatureDType::kStored, &rows_.weight, nullptr);
  }
  if (gather_.orig_id) {
    rows_.orig_id.resize(gather_.rows.size());
    AddColumn(v1::COLUMN_ORIG_ID, sizeof(int64_t),
              reinterpret_cast<uint8_t*>(rows_.orig_id.data()));
  }
  const NodeTypeSchema& type = schema_->node_types[gather_.type];
  RETURN_IF_ERROR(AddFeatures(v1::COLUMN_X, gather_.x, type.x,
                              gather_.feature_dtype, &rows_.x, &rows_.x_scale));
  RETURN_IF_ERROR(AddFeatures(v1::COLUMN_Y, gather_.y, type.y,
                              FeatureDType::kStored, &rows_.y, nullptr));
  if (gather_.time) {
    rows_.time.resize(gather_.rows.size());
    AddColumn(v1::COLUMN_TIME, sizeof(int64_t),
              reinterpret_cast<uint8_t*>(rows_.time.data()));
  }
  return absl::OkStatus();
}

absl::Status RemoteGatherCall::AddFeatures(
    v1::Column column, bool wanted, const std::optional<ColumnSchema>& stored,
    FeatureDType asked, AlignedBuffer* to, AlignedBuffer* scales) {
  if (!wanted) return absl::OkStatus();
  if (!stored) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph has no ", v1::Column_Name(column)));
  }
  const size_t row_bytes = InBatch(*stored, asked).row_bytes();
  *to = AlignedBuffer(gather_.rows.size() * row_bytes);
  AddColumn(column, row_bytes, to->data());
  if (!HasScale(*stored, asked)) return absl::OkStatus();
  *scales = AlignedBuffer(gather_.rows.size() * sizeof(float));
  AddColumn(v1::COLUMN_UNSPECIFIED, sizeof(float), scales->data());
  return absl::OkStatus();
}

void RemoteGatherCall::AddColumn(v1::Column column, size_t row_bytes,
                                 uint8_t* to) {
  columns_.push_back({column, row_bytes, to});
  row_bytes_ += row_bytes;
}

// Asks for the next rows, or ends.
void RemoteGatherCall::Next() {
  const size_t left = gather_.rows.size() - next_;
  if (left == 0 || columns_.empty()) return done_(std::move(rows_));
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
    return self->Accept(reply);
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

absl::Status RemoteGatherCall::Accept(const CallReply& reply) {
  ASSIGN_OR_RETURN(const auto header,
                   ParseReplyHeader<v1::GatherReply>(reply.kind, reply.header));
  const uint64_t n = header.rows();
  if (n == 0 || n > asked_ || reply.payload.size() != n * row_bytes_) {
    return absl::DataLossError(absl::StrCat(
        "reply of ", n, " rows in ", reply.payload.size(),
        " bytes to a request for ", asked_, " rows of ", row_bytes_, " bytes"));
  }
  const uint8_t* from = reply.payload.data();
  for (const WantedColumn& column : columns_) {
    std::memcpy(column.to + next_ * column.row_bytes, from,
                n * column.row_bytes);
    from += n * column.row_bytes;
  }
  RETURN_IF_ERROR(CheckOriginalIds(next_ + n));
  next_ += n;
  return absl::OkStatus();
}

// Of rows [next_, end).
absl::Status RemoteGatherCall::CheckOriginalIds(size_t end) const {
  if (!gather_.orig_id) return absl::OkStatus();
  const int64_t num_nodes = schema_->node_types[gather_.type].num_nodes;
  for (size_t i = next_; i < end; ++i) {
    if (rows_.orig_id[i] >= 0 && rows_.orig_id[i] < num_nodes) continue;
    return absl::DataLossError(absl::StrCat("reply with original id ",
                                            rows_.orig_id[i], " of ", num_nodes,
                                            " nodes"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
