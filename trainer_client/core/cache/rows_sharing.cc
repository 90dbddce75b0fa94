#include "trainer_client/core/cache/rows_sharing.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"

namespace tributary {
namespace {

constexpr absl::Duration kRetry = absl::Milliseconds(200);
constexpr absl::Duration kHelloTimeout = absl::Seconds(5);
constexpr size_t kMostFollowers = 1024;

}  // namespace

void RowsSharing::Join(std::optional<double> share, OnJoined on_joined) {
  if (joined_.has_value()) return on_joined(joined_);
  callers_.push_back(std::move(on_joined));
  if (share.has_value() && !share_.has_value()) {
    share_ = share;
    candidate_ = true;
  }
  Attempt();
}

void RowsSharing::Attempt() {
  if (leads_ || alone_ || leader_.has_value()) return;
  if (candidate_ && share_.has_value() && Bind()) return;
  if (alone_ || Connect()) return;
  share_.has_value() ? AttemptLater(kRetry) : Answer(std::nullopt);
}

void RowsSharing::AttemptLater(absl::Duration pause) {
  meeting_->PostAfter(pause, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Attempt();
  });
}

void RowsSharing::Answer(const std::optional<Joined>& joined) {
  joined_ = joined;
  for (const OnJoined& call : std::exchange(callers_, {})) call(joined);
}

void RowsSharing::GoAlone(absl::string_view why) {
  alone_ = true;
  Log(LogLevel::kInfo,
      absl::StrCat("trainer_cache: rows are not shared with other processes: ",
                   why));
  Answer(Joined{false, share_.value_or(0)});
}

bool RowsSharing::Bind() {
  const absl::Status bound = meeting_->Bind();
  if (!bound.ok()) {
    if (!absl::IsAlreadyExists(bound)) GoAlone(bound.message());
    return false;
  }
  leads_ = true;
  Answer(Joined{true, *share_});
  return true;
}

void RowsSharing::OnPeer(Peer peer) {
  RowsMessage hello;
  hello.share = *share_;
  if (followers_.size() >= kMostFollowers ||
      meeting_->Send(peer, hello) != RowsMeeting::Sent::kWhole ||
      !meeting_->Watch(peer)) {
    return meeting_->Close(peer);
  }
  followers_[peer] = 0;
  SendPieces(peer);
}

void RowsSharing::OnReadable(Peer peer) {
  leader_ == peer ? OnLeader() : OnFollower(peer);
}

void RowsSharing::SendPieces(Peer follower) {
  const auto found = followers_.find(follower);
  if (found == followers_.end()) return;
  uint64_t& next = found->second;
  for (const Piece& piece : pieces_) {
    if (piece.sequence < next) continue;
    RowsMessage message;
    message.kind = RowsMessage::kPiece;
    message.node_type = static_cast<uint32_t>(piece.node_type);
    message.first = piece.first;
    message.num_rows = piece.num_rows;
    message.sequence = piece.sequence;
    switch (meeting_->Send(follower, message, &piece.memory)) {
      case RowsMeeting::Sent::kWhole:
        next = piece.sequence + 1;
        break;
      case RowsMeeting::Sent::kFull:
        return meeting_->WantWritable(follower, true);
      case RowsMeeting::Sent::kBroken:
        return Close(follower);
    }
  }
  meeting_->WantWritable(follower, false);
}

void RowsSharing::OnFollower(Peer follower) {
  const RowsMeeting::Received received = meeting_->Receive(follower);
  if (received.state == RowsMeeting::Received::State::kNothing) return;
  const auto found = followers_.find(follower);
  if (found == followers_.end()) return;
  if (received.state != RowsMeeting::Received::State::kMessage ||
      received.message.kind != RowsMessage::kDrop) {
    return Close(follower);
  }
  const auto piece =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& candidate) {
        return candidate.sequence == received.message.sequence;
      });
  // Else it was replaced meanwhile.
  if (piece != pieces_.end()) {
    const int type = piece->node_type;
    const uint32_t first = piece->first;
    Truncate(type, first);
    if (auto rows = rows_.lock()) rows->Drop(type, first);
  }
  found->second = 0;
  SendPieces(follower);
}

void RowsSharing::Close(Peer follower) {
  meeting_->Close(follower);
  followers_.erase(follower);
}

bool RowsSharing::Connect() {
  const absl::StatusOr<Peer> peer = meeting_->Connect();
  if (absl::IsPermissionDenied(peer.status())) {
    GoAlone(peer.status().message());
    return true;
  }
  if (!peer.ok()) return false;
  if (!meeting_->Watch(*peer)) {
    meeting_->Close(*peer);
    return false;
  }
  leader_ = *peer;
  greeted_ = false;
  ExpectHello();
  return true;
}

void RowsSharing::ExpectHello() {
  meeting_->PostAfter(kHelloTimeout,
                      [weak = weak_from_this(), leader = ++leaders_] {
                        const auto self = weak.lock();
                        if (self == nullptr || self->leaders_ != leader ||
                            self->greeted_ || !self->leader_.has_value()) {
                          return;
                        }
                        self->LoseLeader();
                        self->GoAlone("the process that fetches is silent");
                      });
}

void RowsSharing::LoseLeader() {
  meeting_->Close(*leader_);
  leader_.reset();
}

void RowsSharing::OnLeader() {
  using State = RowsMeeting::Received::State;
  // Until the rows are known, pieces stay in the connection.
  while (leader_.has_value() && (!greeted_ || !types_.empty())) {
    RowsMeeting::Received received = meeting_->Receive(*leader_);
    switch (received.state) {
      case State::kNothing:
        return;
      case State::kClosed:
        LoseLeader();
        return AttemptLater(kRetry);
      case State::kForeign:
        LoseLeader();
        return GoAlone("the process that fetches is of another version");
      case State::kMessage:
        received.message.kind == RowsMessage::kHello
            ? TakeHello(received.message)
            : TakePiece(received.message, std::move(received.memory));
    }
  }
  if (leader_.has_value()) meeting_->Unwatch(*leader_);
}

void RowsSharing::TakeHello(const RowsMessage& hello) {
  greeted_ = true;
  if (!joined_.has_value()) share_ = hello.share;
  if (*share_ != hello.share) {
    LoseLeader();
    return GoAlone("the process that fetches holds another share");
  }
  Answer(Joined{true, *share_});
}

bool RowsSharing::IsPiece(const RowsMessage& m, size_t bytes) const {
  if (m.node_type >= types_.size() || m.first > UINT32_MAX) return false;
  const HeldRows::Type& type = types_[m.node_type];
  if (m.num_rows == 0 || m.first % type.rows_per_piece != 0 ||
      m.first >= type.most_rows) {
    return false;
  }
  const uint64_t rows =
      std::min<uint64_t>(type.rows_per_piece, type.most_rows - m.first);
  return m.num_rows == rows && bytes >= rows * type.form.record();
}

void RowsSharing::TakePiece(const RowsMessage& message,
                            absl::StatusOr<FrozenMemory> memory) {
  const auto rows = rows_.lock();
  if (rows == nullptr) return;
  if (!memory.ok() || !IsPiece(message, memory->bytes.size())) {
    LoseLeader();
    return GoAlone("the process that fetches sends other rows");
  }
  const auto type = static_cast<int>(message.node_type);
  const auto first = static_cast<uint32_t>(message.first);
  if (rows->view()->types[type].num_rows != first) return;  // is there already
  Truncate(type, first);
  pieces_.push_back({message.sequence, type, first, message.num_rows, *memory});
  next_sequence_ = std::max(next_sequence_, message.sequence + 1);
  rows->AddPiece(type, first, {memory->bytes.data(), memory->owner},
                 message.num_rows);
}

void RowsSharing::Attach(std::weak_ptr<HeldRows> rows,
                         std::vector<HeldRows::Type> types) {
  if (!types_.empty()) return;
  rows_ = std::move(rows);
  types_ = std::move(types);
  if (!leader_.has_value()) return;
  meeting_->Unwatch(*leader_);
  if (!meeting_->Watch(*leader_)) {
    LoseLeader();
    return AttemptLater(kRetry);
  }
  OnLeader();
}

void RowsSharing::Resign() {
  candidate_ = false;
  if (!leads_.exchange(false)) return;
  meeting_->Unbind();
  while (!followers_.empty()) Close(followers_.begin()->first);
  AttemptLater(5 * kRetry);
}

void RowsSharing::Offer(int node_type, uint32_t first, uint32_t num_rows,
                        FrozenMemory memory) {
  Truncate(node_type, first);
  pieces_.push_back(
      {next_sequence_++, node_type, first, num_rows, std::move(memory)});
  std::vector<Peer> followers;
  for (const auto& [follower, next] : followers_) followers.push_back(follower);
  for (const Peer follower : followers) SendPieces(follower);
}

void RowsSharing::Drop(int node_type, uint32_t num_rows) {
  const auto piece =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& candidate) {
        return candidate.node_type == node_type && candidate.first >= num_rows;
      });
  if (piece == pieces_.end()) return;
  RowsMessage message;
  message.kind = RowsMessage::kDrop;
  message.sequence = piece->sequence;
  Truncate(node_type, num_rows);
  if (!leader_.has_value() ||
      meeting_->Send(*leader_, message) == RowsMeeting::Sent::kWhole) {
    return;
  }
  LoseLeader();  // it sends everything to whoever comes anew
  AttemptLater(kRetry);
}

void RowsSharing::Truncate(int node_type, uint32_t num_rows) {
  std::erase_if(pieces_, [&](const Piece& piece) {
    return piece.node_type == node_type && piece.first >= num_rows;
  });
}

}  // namespace tributary
