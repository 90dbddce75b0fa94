#include "trainer_client/tensors/row_write.h"

#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns the places of each row's last occurrence, ascending; empty if all
// rows are distinct.
std::vector<uint32_t> LastOccurrences(absl::Span<const int64_t> rows) {
  absl::flat_hash_set<int64_t> seen;
  seen.reserve(rows.size());
  std::vector<uint32_t> last;
  for (size_t i = rows.size(); i-- > 0;) {
    if (seen.insert(rows[i]).second) last.push_back(static_cast<uint32_t>(i));
  }
  if (last.size() == rows.size()) return {};
  return {last.rbegin(), last.rend()};
}

}  // namespace

RowWrite::RowWrite(std::shared_ptr<TensorClient> client,
                   std::shared_ptr<const TensorInfo> tensor, Kind kind,
                   absl::Span<const int64_t> rows,
                   const std::vector<Column>& columns)
    : client_(std::move(client)), tensor_(std::move(tensor)), kind_(kind) {
  std::vector<uint32_t> last;
  if (kind == Kind::kSet || kind == Kind::kAdd) last = LastOccurrences(rows);
  in_order_ = kind == Kind::kAdd && !last.empty();
  std::vector<int64_t> kept;
  if (kind == Kind::kSet && !last.empty()) {
    for (const uint32_t place : last) kept.push_back(rows[place]);
    rows = kept;
  } else {
    last.clear();
  }
  const auto place = [&last](uint32_t i) { return last.empty() ? i : last[i]; };
  size_t bytes_per_row = sizeof(uint64_t);
  for (const Column& column : columns) bytes_per_row += column.row_bytes;
  for (const MemberPiece& cut : CutByMember(*tensor_, rows, bytes_per_row)) {
    auto payload = std::make_shared<std::vector<uint8_t>>(cut.positions.size() *
                                                          bytes_per_row);
    uint8_t* to = payload->data();
    for (const uint32_t i : cut.positions) {
      std::memcpy(to, &rows[i], sizeof(int64_t));
      to += sizeof(int64_t);
    }
    for (const Column& column : columns) {
      for (const uint32_t i : cut.positions) {
        std::memcpy(to, column.data + place(i) * column.row_bytes,
                    column.row_bytes);
        to += column.row_bytes;
      }
    }
    pieces_[cut.member].push_back(
        {cut.member, cut.positions.size(), std::move(payload)});
    ++missing_;
  }
}

void RowWrite::Start(Done done) {
  if (missing_ == 0) return done(0);
  done_ = std::move(done);
  for (auto& [member, pieces] : pieces_) {
    while (!pieces.empty()) {
      const Piece piece = std::move(pieces.front());
      pieces.pop_front();
      Send(piece);
      if (in_order_) break;
    }
  }
}

void RowWrite::Send(const Piece& piece) {
  const uint64_t sequence = client_->BeginWrite(piece.member);
  client_->Call(piece.member, MakeCall(piece, sequence),
                [self = shared_from_this(), member = piece.member,
                 sequence](const absl::StatusOr<CallReply>& reply) {
                  self->OnReply(member, sequence, reply);
                });
}

MemberCall RowWrite::MakeCall(const Piece& piece, uint64_t sequence) const {
  MemberCall call;
  call.payload = *piece.payload;
  call.payload_owner = piece.payload;
  call.deadline = client_->Deadline();
  const auto fill = [&](auto request) {
    *request.mutable_attempt() = client_->ref();
    request.set_name(tensor_->spec.name());
    request.set_num_rows(piece.num_rows);
    request.set_sequence(sequence);
    request.set_oldest_open(client_->OldestWrite(piece.member));
    request.set_timeout_ms(client_->ServerTimeoutMs());
    return request;
  };
  if (kind_ == Kind::kSet || kind_ == Kind::kAdd) {
    auto request = fill(v1::WriteRowsRequest());
    request.set_op(kind_ == Kind::kAdd ? v1::WRITE_ADD : v1::WRITE_SET);
    call.kind = MessageKind::kWriteRowsRequest;
    call.reply = MessageKind::kWriteRowsReply;
    call.header = request.SerializeAsString();
  } else {
    auto request = fill(v1::ImportRowsRequest());
    request.set_with_state(kind_ == Kind::kImportWithState);
    call.kind = MessageKind::kImportRowsRequest;
    call.reply = MessageKind::kImportRowsReply;
    call.header = request.SerializeAsString();
  }
  return call;
}

void RowWrite::OnReply(uint32_t member, uint64_t sequence,
                       const absl::StatusOr<CallReply>& reply) {
  client_->EndWrite(member, sequence);
  --missing_;
  if (!done_) return;
  if (!reply.ok()) return std::exchange(done_, nullptr)(reply.status());
  if (reply->kind == MessageKind::kWriteRowsReply) {
    const auto told =
        ParseReplyHeader<v1::WriteRowsReply>(reply->kind, reply->header);
    if (told.ok()) client_->NoteDraining(told->draining());
  }
  if (missing_ == 0) return std::exchange(done_, nullptr)(0);
  std::deque<Piece>& waiting = pieces_[member];
  if (waiting.empty()) return;
  const Piece piece = std::move(waiting.front());
  waiting.pop_front();
  Send(piece);
}

}  // namespace tributary
