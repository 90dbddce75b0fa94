#include "trainer_client/tensors/row_read.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns the bytes of the bits that precede changed rows.
size_t ChangedBytes(size_t rows) { return AlignUp((rows + 7) / 8, 8); }

absl::Status WrongSize(size_t got, size_t wanted) {
  return absl::InternalError(
      absl::StrCat("a ReadRowsReply has ", got, " bytes instead of ", wanted));
}

}  // namespace

DistRowRead::DistRowRead(std::shared_ptr<TensorClient> client,
                         std::shared_ptr<const TensorInfo> tensor,
                         absl::Span<const int64_t> rows)
    : client_(std::move(client)), tensor_(std::move(tensor)) {
  const size_t bytes = tensor_->row_bytes() + sizeof(uint64_t);
  for (MemberPiece& piece : CutByMember(*tensor_, rows, bytes)) {
    auto payload = std::make_shared<std::vector<uint64_t>>();
    payload->reserve(piece.positions.size());
    for (const uint32_t position : piece.positions) {
      payload->push_back(static_cast<uint64_t>(rows[position]));
    }
    pieces_.push_back(
        {std::make_shared<const MemberPiece>(std::move(piece)), payload});
  }
}

DistRowRead::DistRowRead(const DistRowRead& earlier)
    : std::enable_shared_from_this<DistRowRead>(),
      client_(earlier.client_),
      tensor_(earlier.tensor_),
      pieces_(earlier.pieces_) {}

void DistRowRead::Start(absl::Span<uint8_t> out, uint64_t after_round,
                        Done done) {
  {
    MutexLock lock(mutex_);
    out_ = out;
  }
  if (pieces_.empty()) return done(0);
  done_ = std::move(done);
  missing_ = pieces_.size();
  for (size_t i = 0; i < pieces_.size(); ++i) {
    client_->Call(pieces_[i].rows->member, MakeCall(pieces_[i], after_round),
                  [self = shared_from_this(),
                   i](absl::StatusOr<CallReply> reply) mutable {
                    self->OnReply(i, std::move(reply));
                  });
  }
}

MemberCall DistRowRead::MakeCall(const Piece& piece,
                                 uint64_t after_round) const {
  const size_t rows = piece.payload->size();
  MemberCall call;
  call.kind = MessageKind::kReadRowsRequest;
  call.reply = MessageKind::kReadRowsReply;
  call.max_reply_bytes =
      rows * tensor_->row_bytes() + (piece.round > 0 ? ChangedBytes(rows) : 0);
  call.deadline = client_->Deadline();
  call.payload = absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(piece.payload->data()),
      rows * sizeof(uint64_t));
  call.payload_owner = piece.payload;
  v1::ReadRowsRequest request;
  *request.mutable_attempt() = client_->ref();
  request.set_name(tensor_->spec.name());
  request.set_num_rows(rows);
  request.set_after_round(after_round);
  request.set_changed_since(piece.round);
  request.set_max_reply_bytes(call.max_reply_bytes);
  request.set_timeout_ms(client_->ServerTimeoutMs());
  call.header = request.SerializeAsString();
  return call;
}

void DistRowRead::OnReply(size_t piece, absl::StatusOr<CallReply> reply) {
  --missing_;
  if (!done_) return;
  status_ = reply.ok() ? Take(pieces_[piece], *reply) : reply.status();
  if (status_.ok() && missing_ > 0) return;
  Abandon();
  auto done = std::exchange(done_, nullptr);
  if (!status_.ok()) return done(status_);
  done(0);
}

absl::Status DistRowRead::Take(Piece& piece, const CallReply& reply) {
  ASSIGN_OR_RETURN(const auto told, ParseReplyHeader<v1::ReadRowsReply>(
                                        reply.kind, reply.header));
  client_->NoteDraining(told.draining());
  RETURN_IF_ERROR(piece.round > 0 ? CopyChanged(piece, reply.payload.span())
                                  : Copy(piece, reply.payload.span()));
  piece.round = told.round();
  return absl::OkStatus();
}

absl::Status DistRowRead::Copy(const Piece& piece,
                               absl::Span<const uint8_t> payload) {
  const size_t row_bytes = tensor_->row_bytes();
  const std::vector<uint32_t>& positions = piece.rows->positions;
  if (payload.size() != positions.size() * row_bytes) {
    return WrongSize(payload.size(), positions.size() * row_bytes);
  }
  MutexLock lock(mutex_);
  if (out_.empty()) return absl::OkStatus();
  for (size_t i = 0, end = 0; i < positions.size(); i = end) {
    // Rows of one member are often neighbours in the list.
    for (end = i + 1;
         end < positions.size() && positions[end] == positions[end - 1] + 1;
         ++end) {
    }
    std::memcpy(out_.data() + positions[i] * row_bytes,
                payload.data() + i * row_bytes, (end - i) * row_bytes);
  }
  return absl::OkStatus();
}

absl::Status DistRowRead::CopyChanged(const Piece& piece,
                                      absl::Span<const uint8_t> payload) {
  const size_t row_bytes = tensor_->row_bytes();
  const std::vector<uint32_t>& positions = piece.rows->positions;
  size_t offset = ChangedBytes(positions.size());
  if (payload.size() < offset) return WrongSize(payload.size(), offset);
  MutexLock lock(mutex_);
  for (size_t i = 0; i < positions.size(); ++i) {
    if ((payload[i / 8] >> (i % 8) & 1) == 0) continue;
    if (payload.size() - offset < row_bytes) {
      return WrongSize(payload.size(), offset + row_bytes);
    }
    if (!out_.empty()) {
      std::memcpy(out_.data() + positions[i] * row_bytes,
                  payload.data() + offset, row_bytes);
    }
    offset += row_bytes;
  }
  if (offset != payload.size()) return WrongSize(payload.size(), offset);
  return absl::OkStatus();
}

void DistRowRead::Abandon() {
  MutexLock lock(mutex_);
  out_ = {};
}

}  // namespace tributary
