#include "tests/sim/protocol_watch.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "channel/message.h"
#include "channel/planned_end.h"

namespace tributary {
namespace {

// The time in which a message sent before a cancel arrived may still come; far
// longer than it takes.
constexpr absl::Duration kUnderWay = absl::Milliseconds(5);

template <typename Header>
Header Parse(const OutgoingMessage& message) {
  Header header;
  (void)header.ParseFromString(message.header);
  return header;
}

}  // namespace

ProtocolWatch::ProtocolWatch(SimWorld* world) : world_(world) {}

void ProtocolWatch::Fail(const SimLinkInfo& link, absl::string_view invariant,
                         const std::string& what) {
  world_->verdict().Fail(
      invariant, absl::StrCat("stream ", link.id, " from node ", link.client,
                              " to ", link.address.host,
                              link.is_double ? " (a double)" : "", ": ", what));
}

void ProtocolWatch::OnConnect(const SimLinkInfo& link) {
  if (link.method != StreamMethod::kBatches || link.server < 0 ||
      world_->antagonists().Has(link.client) ||
      world_->LiesToTrainers(link.server)) {
    return;
  }
  links_[link.id].info = link;
  if (link.is_double) return;
  const bool first =
      seen_batches_.emplace(link.client, link.address.host).second;
  if (!first) ++world_->coverage().reconnects;
}

void ProtocolWatch::OnSend(const SimLinkInfo& link, SimSide from,
                           const OutgoingMessage& message) {
  if (world_->antagonists().Has(link.client)) return;
  if (link.method == StreamMethod::kLeaf) {
    return from == SimSide::kClient ? LeafCallSent(link, message)
                                    : LeafReplySent(link, message);
  }
  const auto it = links_.find(link.id);
  if (it == links_.end()) return;
  from == SimSide::kClient ? FromTrainer(it->second, message)
                           : FromServer(it->second, message);
}

void ProtocolWatch::FromTrainer(BatchLink& link,
                                const OutgoingMessage& message) {
  if (message.kind == MessageKind::kCredit) {
    const auto credit = Parse<v1::Credit>(message);
    if (credit.grant() <= link.last_grant) {
      return Fail(link.info, "a grant's number is used again",
                  absl::StrCat(credit.grant()));
    }
    link.last_grant = credit.grant();
    Grant& grant = link.grants[credit.grant()];
    grant.index = credit.index();
    grant.max_bytes = credit.max_bytes();
    grant.may_lack = credit.has_held() || credit.compact();
  } else if (message.kind == MessageKind::kCancel) {
    ++world_->coverage().cancels;
    const auto it = link.grants.find(Parse<v1::Cancel>(message).grant());
    if (it == link.grants.end()) {
      return Fail(link.info, "a cancel without a credit", "");
    }
    it->second.cancel_sent = true;
  } else if (message.kind == MessageKind::kWaitReport) {
    ++world_->coverage().wait_reports;
  }
}

// Returns the grant if the server may answer it now; otherwise reports and
// returns null.
ProtocolWatch::Grant* ProtocolWatch::Answer(BatchLink& link, uint64_t number) {
  const auto it = link.grants.find(number);
  if (it == link.grants.end() || it->second.arrived > now()) {
    Fail(link.info, "an answer without a credit", absl::StrCat(number));
    return nullptr;
  }
  Grant& grant = it->second;
  if (grant.answered || grant.returned) {
    Fail(link.info, "a second answer",
         absl::StrCat("grant ", number, ", batch ", grant.index));
    return nullptr;
  }
  const absl::Time cancelled =
      std::max(grant.cancel_arrived, world_->awake_since(link.info.server));
  if (grant.cancel_arrived < absl::InfiniteFuture() &&
      now() - cancelled > kUnderWay) {
    Fail(link.info, "work goes on after a cancel",
         absl::StrCat("grant ", number, ", batch ", grant.index));
  }
  grant.last_sign = now();
  return &grant;
}

void ProtocolWatch::FromServer(BatchLink& link,
                               const OutgoingMessage& message) {
  uint64_t number = 0;
  switch (message.kind) {
    case MessageKind::kFrame:
      return OnFrame(link, Parse<v1::Frame>(message), message.payload.size());
    case MessageKind::kReturned:
      return OnReturned(link, Parse<v1::Returned>(message).grant());
    case MessageKind::kProgress:
      return OnProgress(link, Parse<v1::Progress>(message));
    case MessageKind::kReady:
      number = Parse<v1::Ready>(message).grant();
      ++world_->coverage().ready_rooms;
      break;
    case MessageKind::kNeeds:
      number = Parse<v1::Needs>(message).grant();
      break;
    case MessageKind::kBatchError:
      number = Parse<v1::BatchError>(message).grant();
      OnBatchError(Parse<v1::BatchError>(message));
      break;
    case MessageKind::kUnknownSession:
      number = Parse<v1::UnknownSession>(message).grant();
      ++world_->coverage().unknown_sessions;
      break;
    default:
      return Fail(link.info, "a kind that servers do not send",
                  MessageKindName(message.kind));
  }
  if (Grant* grant = Answer(link, number)) grant->answered = true;
}

void ProtocolWatch::OnBatchError(const v1::BatchError& error) {
  SimCoverage& coverage = world_->coverage();
  coverage.retryable_errors += error.retryable() ? 1 : 0;
  coverage.queue_refusals +=
      absl::StrContains(error.message(), "wait here already") ? 1 : 0;
  coverage.draining_refusals +=
      absl::StrContains(error.message(), "draining") ? 1 : 0;
}

void ProtocolWatch::OnFrame(BatchLink& link, const v1::Frame& frame,
                            size_t bytes) {
  Grant* grant = Answer(link, frame.grant());
  if (grant == nullptr) return;
  const bool first = grant->sent == 0;
  const uint64_t end = grant->sent + grant->skipped;
  const uint64_t gap = frame.offset() - end;
  if (frame.offset() < end || bytes == 0 || frame.total() > grant->max_bytes ||
      (!first && (frame.total() != grant->total ||
                  frame.left_out_bytes() != grant->left_out)) ||
      grant->skipped + gap > frame.left_out_bytes() ||
      (frame.left_out_bytes() > 0 && !grant->may_lack) ||
      grant->sent + bytes > frame.total() - frame.left_out_bytes()) {
    return Fail(link.info, "frames do not follow each other",
                absl::StrCat("grant ", frame.grant(), " of ", grant->max_bytes,
                             " bytes: offset ", frame.offset(), " + ", bytes,
                             " of ", frame.total(), " after ", grant->sent,
                             " of ", grant->total));
  }
  grant->total = frame.total();
  grant->left_out = frame.left_out_bytes();
  grant->skipped += gap;
  grant->sent += bytes;
  grant->answered = grant->sent + grant->left_out == grant->total;
  if (grant->answered && !first) ++world_->coverage().many_frames;
}

void ProtocolWatch::OnReturned(BatchLink& link, uint64_t number) {
  ++world_->coverage().returned;
  const auto it = link.grants.find(number);
  if (it == link.grants.end() || it->second.cancel_arrived > now() ||
      it->second.returned) {
    return Fail(link.info, "returned what was not cancelled",
                absl::StrCat("grant ", number));
  }
  it->second.returned = true;
}

void ProtocolWatch::OnProgress(BatchLink& link, const v1::Progress& progress) {
  for (uint64_t number : progress.grant()) {
    const auto it = link.grants.find(number);
    if (it == link.grants.end() || it->second.returned) {
      return Fail(link.info, "progress of what is over",
                  absl::StrCat("grant ", number));
    }
    it->second.last_sign = now();
  }
}

void ProtocolWatch::OnArrival(const SimLinkInfo& link, SimSide to,
                              const OutgoingMessage& message) {
  if (world_->antagonists().Has(link.client)) return;
  if (link.method == StreamMethod::kLeaf && to == SimSide::kServer) {
    return LeafCallArrived(link, message);
  }
  const auto it = links_.find(link.id);
  if (it == links_.end()) return;
  to == SimSide::kServer ? ToServer(it->second, message)
                         : ToTrainer(it->second, message);
}

void ProtocolWatch::ToServer(BatchLink& link, const OutgoingMessage& message) {
  if (message.kind == MessageKind::kCredit) {
    link.grants[Parse<v1::Credit>(message).grant()].arrived = now();
  } else if (message.kind == MessageKind::kCancel) {
    link.grants[Parse<v1::Cancel>(message).grant()].cancel_arrived = now();
  }
}

void ProtocolWatch::ToTrainer(BatchLink& link, const OutgoingMessage& message) {
  uint64_t number = 0;
  switch (message.kind) {
    case MessageKind::kFrame: {
      const auto frame = Parse<v1::Frame>(message);
      number = frame.grant();
      uint64_t& arrived = link.grants[number].arrived_bytes;
      arrived += message.payload.size();
      if (arrived + frame.left_out_bytes() < frame.total()) return;
      break;
    }
    case MessageKind::kReady:
      number = Parse<v1::Ready>(message).grant();
      break;
    case MessageKind::kNeeds:
      number = Parse<v1::Needs>(message).grant();
      break;
    case MessageKind::kBatchError:
      number = Parse<v1::BatchError>(message).grant();
      break;
    case MessageKind::kUnknownSession:
      number = Parse<v1::UnknownSession>(message).grant();
      break;
    case MessageKind::kReturned:
      number = Parse<v1::Returned>(message).grant();
      break;
    default:
      return;
  }
  link.grants[number].ended = true;
}

void ProtocolWatch::LeafCallSent(const SimLinkInfo& link,
                                 const OutgoingMessage& message) {
  LeafCall call;
  if (message.kind == MessageKind::kSampleHopRequest) {
    call.hop = Parse<v1::SampleHopRequest>(message);
    call.asked = call.hop.num_nodes();
  } else if (message.kind == MessageKind::kGatherRequest) {
    call.asked = Parse<v1::GatherRequest>(message).num_rows();
  }
  if (message.payload_owner == nullptr || link.is_double) return;
  call.payload = message.payload_owner.get();
  leaf_calls_[{link.id, message.call_id}] = call;
  auto& seen = leaf_payloads_[call.payload];
  if (seen.lock() == message.payload_owner) ++world_->coverage().leaf_retries;
  seen = message.payload_owner;
}

void ProtocolWatch::LeafReplySent(const SimLinkInfo& link,
                                  const OutgoingMessage& message) {
  const auto it = leaf_calls_.find({link.id, message.call_id});
  if (it == leaf_calls_.end()) return;
  const LeafCall call = it->second;
  leaf_calls_.erase(it);
  if (message.kind == MessageKind::kCallError) {
    ++world_->coverage().leaf_errors;
    return;
  }
  leaf_payloads_.erase(call.payload);
  bool cut = false;
  if (message.kind == MessageKind::kSampleHopReply) {
    const auto reply = Parse<v1::SampleHopReply>(message);
    cut = reply.nodes() < call.asked || reply.last_is_partial();
    CheckHopReply(link, call.hop, reply);
  } else if (message.kind == MessageKind::kGatherReply) {
    cut = Parse<v1::GatherReply>(message).rows() < call.asked;
  }
  world_->coverage().leaf_cuts += cut ? 1 : 0;
}

// A reply uses what its request allows.
void ProtocolWatch::CheckHopReply(const SimLinkInfo& link,
                                  const v1::SampleHopRequest& asked,
                                  const v1::SampleHopReply& reply) {
  const bool narrow = reply.narrow_neighbors() || reply.narrow_edge_ids() ||
                      reply.narrow_positions();
  if ((reply.edge_ids_omitted() && !asked.omit_edge_ids()) ||
      (narrow && !asked.takes_narrow())) {
    Fail(link, "replies in a form that was not asked for",
         reply.ShortDebugString());
  }
  world_->coverage().narrow_replies += narrow ? 1 : 0;
  world_->coverage().omitting_replies += reply.edge_ids_omitted() ? 1 : 0;
}

void ProtocolWatch::LeafCallArrived(const SimLinkInfo& link,
                                    const OutgoingMessage& message) {
  uint32_t partition = 0;
  if (message.kind == MessageKind::kSampleHopRequest) {
    partition = Parse<v1::SampleHopRequest>(message).partition();
  } else if (message.kind == MessageKind::kGatherRequest) {
    partition = Parse<v1::GatherRequest>(message).partition();
  } else if (message.kind == MessageKind::kQuestionRequest) {
    partition = Parse<v1::QuestionRequest>(message).partition();
  } else {
    return;
  }
  ++world_->coverage().leaf_calls;
  const int server = world_->ServerOf(link.server);
  if (server < 0) {
    return Fail(link, "a leaf call to a stranger", link.address.host);
  }
  const auto owned = PartitionsOfServer(world_->schedule(), server);
  if (std::find(owned.begin(), owned.end(), partition) == owned.end()) {
    Fail(link, "asked who does not own it",
         absl::StrCat("partition ", partition));
  }
}

// An end may close a stream because the other is silent, drains (PlannedEnd) or
// is not needed any more.
// But as long as no message was corrupted anywhere (a corrupted stream takes
// others of its server with it), no end may find the other's messages wrong.
void ProtocolWatch::OnClose(const SimLinkInfo& link, SimSide side,
                            const absl::Status& why) {
  if (world_->fleet().network.counts().corrupted > 0 || why.ok() ||
      world_->antagonists().Has(link.client) || world_->IsLiar(link.server) ||
      world_->LiesToTrainers(link.server) || absl::IsUnavailable(why) ||
      absl::IsCancelled(why) || IsPlannedEnd(why) ||
      absl::IsDeadlineExceeded(why) || absl::IsResourceExhausted(why)) {
    return;
  }
  Fail(link, "finds fault with what the other said",
       absl::StrCat(side == SimSide::kClient ? "the client: " : "the server: ",
                    why.ToString()));
}

void ProtocolWatch::OnClosed(const SimLinkInfo& link, SimSide side) {
  const auto it = links_.find(link.id);
  if (it == links_.end()) return;
  (side == SimSide::kClient ? it->second.client_closed
                            : it->second.server_closed) = true;
  // A link may open and close between two patrols.
  if (side == SimSide::kServer) no_links_since_.erase(link.server);
  if (link.is_double) it->second.client_closed = true;
  if (it->second.client_closed && it->second.server_closed) links_.erase(it);
}

size_t ProtocolWatch::open_batch_links() const {
  return static_cast<size_t>(
      std::count_if(links_.begin(), links_.end(),
                    [](const auto& l) { return !l.second.server_closed; }));
}

std::string ProtocolWatch::OpenBatchLinks() const {
  std::string text;
  for (const auto& [id, link] : links_) {
    if (link.server_closed) continue;
    absl::StrAppend(&text, "stream ", id, " from node ", link.info.client,
                    " to ", link.info.address.host,
                    link.info.is_double ? " (a double)" : "",
                    link.client_closed ? " (closed at the trainer)" : "",
                    " with ", link.grants.size(), " credits; ");
  }
  return text;
}

}  // namespace tributary
