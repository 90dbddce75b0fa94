#include "trainer_client/core/testing/fake_sampler.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "channel/envelope.h"
#include "common/batch/batch_layout.h"

namespace tributary {
namespace {

constexpr size_t kFrameBytes = 1024;  // small, so that batches have several

OutgoingMessage Message(MessageKind kind, std::string header) {
  OutgoingMessage message;
  message.kind = kind;
  message.header = std::move(header);
  return message;
}

template <typename Header>
Header Parse(const IncomingMessage& message) {
  Header header;
  header.ParseFromArray(message.header().data(),
                        static_cast<int>(message.header().size()));
  return header;
}

// The server's end of one batch stream.
class BatchHandler final : public StreamHandler,
                           public std::enable_shared_from_this<BatchHandler> {
 public:
  BatchHandler(std::shared_ptr<FakeSampler::Settings> settings,
               std::shared_ptr<std::map<uint64_t, int>> credits,
               std::shared_ptr<std::vector<uint32_t>> wait_reports,
               std::shared_ptr<Stream> stream)
      : settings_(std::move(settings)),
        credits_(std::move(credits)),
        wait_reports_(std::move(wait_reports)),
        stream_(std::move(stream)) {}

  void OnMessage(IncomingMessage& message) override {
    if (message.kind() == MessageKind::kOpenSession &&
        !settings_->refuse_session.ok()) {
      stream_->Close(settings_->refuse_session);
    } else if (message.kind() == MessageKind::kOpenSession) {
      session_ = Sha256Of(Parse<v1::OpenSession>(message).spec());
      known_ = settings_->knows_sessions || opened_before_;
      opened_before_ = true;
    } else if (message.kind() == MessageKind::kCredit) {
      OnCredit(Parse<v1::Credit>(message), message.room());
    } else if (message.kind() == MessageKind::kCancel) {
      if (!settings_->answers_cancels) return;
      v1::Returned returned;
      returned.set_grant(Parse<v1::Cancel>(message).grant());
      pending_.erase(returned.grant());
      Send(Message(MessageKind::kReturned, returned.SerializeAsString()));
    } else if (message.kind() == MessageKind::kWaitReport) {
      wait_reports_->push_back(Parse<v1::WaitReport>(message).wait_permille());
    }
  }
  void OnClosed(const absl::Status&) override { stream_.reset(); }

 private:
  void Send(OutgoingMessage message) {
    if (stream_ != nullptr) stream_->Send(std::move(message)).IgnoreError();
  }

  void OnCredit(v1::Credit credit, std::shared_ptr<SharedRoom> shared) {
    ++(*credits_)[credit.index()];
    if (!known_) return Unknown(credit);
    const FakeAct act = settings_->act(credit);
    if (act.kind == FakeAct::Kind::kNothing) return;
    pending_.insert(credit.grant());
    if (!ticking_) Tick();
    if (act.kind == FakeAct::Kind::kSlow) return;
    settings_->executor->PostAfter(
        act.delay, [weak = weak_from_this(), credit = std::move(credit), act,
                    shared = std::move(shared)] {
          auto self = weak.lock();
          if (self == nullptr || !self->pending_.contains(credit.grant())) {
            return;
          }
          if (act.kind != FakeAct::Kind::kHalf) {
            self->pending_.erase(credit.grant());
          }
          self->Finish(credit, act, shared);
        });
  }

  void Unknown(const v1::Credit& credit) {
    v1::UnknownSession unknown;
    unknown.set_grant(credit.grant());
    unknown.set_session(credit.session());
    Send(Message(MessageKind::kUnknownSession, unknown.SerializeAsString()));
  }

  void Finish(const v1::Credit& credit, const FakeAct& act,
              const std::shared_ptr<SharedRoom>& shared) {
    switch (act.kind) {
      case FakeAct::Kind::kError:
        return Error(credit, act);
      case FakeAct::Kind::kUnknown:
        return Unknown(credit);
      case FakeAct::Kind::kClose:
        if (stream_ != nullptr) stream_->Close(act.error);
        return;
      case FakeAct::Kind::kReturn: {
        v1::Returned returned;
        returned.set_grant(credit.grant());
        return Send(
            Message(MessageKind::kReturned, returned.SerializeAsString()));
      }
      case FakeAct::Kind::kNeedsNothing:
        return Needs(credit, credit.max_bytes());
      case FakeAct::Kind::kNeeds:
        return Needs(credit, act.needs);
      default:
        return Serve(credit, act, shared);
    }
  }

  void Error(const v1::Credit& credit, const FakeAct& act) {
    v1::BatchError error;
    error.set_grant(credit.grant());
    error.set_code(static_cast<int>(act.error.code()));
    error.set_message(std::string(act.error.message()));
    error.set_retryable(act.retryable);
    error.set_retry_after_ms(act.retry_after_ms);
    Send(Message(MessageKind::kBatchError, error.SerializeAsString()));
  }

  void Needs(const v1::Credit& credit, uint64_t bytes) {
    v1::Needs needs;
    needs.set_grant(credit.grant());
    needs.set_bytes(bytes);
    Send(Message(MessageKind::kNeeds, needs.SerializeAsString()));
  }

  void Serve(const v1::Credit& credit, const FakeAct& act,
             const std::shared_ptr<SharedRoom>& shared) {
    BatchKey key{session_, credit.epoch(), credit.index()};
    if (act.kind == FakeAct::Kind::kWrongKey) ++key.index;
    auto room = std::make_shared<AlignedBuffer>(
        MakeFakeBatch(key, credit, settings_->filler(credit.index())));
    if (room->size() > credit.max_bytes()) {
      return Needs(credit, room->size());
    }
    if (shared != nullptr) {
      std::memcpy(shared->bytes().data(), room->data(), room->size());
      v1::Ready ready;
      ready.set_grant(credit.grant());
      ready.set_total(room->size());
      return Send(Message(MessageKind::kReady, ready.SerializeAsString()));
    }
    size_t end = room->size();
    if (act.kind == FakeAct::Kind::kHalf) end /= 2;
    for (size_t at = 0; at < end; at += kFrameBytes) {
      if (act.kind == FakeAct::Kind::kGap && at == kFrameBytes) continue;
      v1::Frame frame;
      frame.set_grant(credit.grant());
      frame.set_offset(at);
      frame.set_total(room->size());
      OutgoingMessage message =
          Message(MessageKind::kFrame, frame.SerializeAsString());
      message.payload =
          room->span().subspan(at, std::min(kFrameBytes, end - at));
      message.payload_owner = room;
      Send(std::move(message));
    }
  }

  void Tick() {
    ticking_ = !pending_.empty() && stream_ != nullptr;
    if (!ticking_) return;
    v1::Progress progress;
    for (uint64_t grant : pending_) {
      progress.add_grant(grant);
      progress.add_stage(v1::STAGE_SAMPLING);
    }
    Send(Message(MessageKind::kProgress, progress.SerializeAsString()));
    settings_->executor->PostAfter(absl::Milliseconds(100),
                                   [weak = weak_from_this()] {
                                     if (auto self = weak.lock()) self->Tick();
                                   });
  }

  const std::shared_ptr<FakeSampler::Settings> settings_;
  const std::shared_ptr<std::map<uint64_t, int>> credits_;
  const std::shared_ptr<std::vector<uint32_t>> wait_reports_;
  std::shared_ptr<Stream> stream_;
  Sha256Digest session_{};
  bool known_ = false;
  bool opened_before_ = false;
  bool ticking_ = false;
  std::set<uint64_t> pending_;
};

class ControlHandler final : public StreamHandler {
 public:
  ControlHandler(std::shared_ptr<FakeSampler::Settings> settings,
                 std::shared_ptr<Stream> stream)
      : settings_(std::move(settings)), stream_(std::move(stream)) {}

  void OnMessage(IncomingMessage& message) override {
    if (message.kind() == MessageKind::kDescribeRequest) {
      v1::DescribeReply reply;
      reply.set_wire_version(kWireVersion);
      reply.set_graph_json(settings_->graph_json);
      reply.set_incarnation(settings_->incarnation);
      reply.set_draining(settings_->draining);
      reply.set_budget_bytes(settings_->budget_bytes);
      reply.set_takes_wait_reports(settings_->takes_wait_reports);
      for (uint32_t p : settings_->partitions) reply.add_partitions(p);
      for (const auto& [address, partitions] : settings_->peers) {
        v1::PeerState& peer = *reply.add_peers();
        peer.set_address(address.ToString());
        peer.set_healthy(true);
        for (uint32_t p : partitions) peer.add_partitions(p);
      }
      if (settings_->change_description) settings_->change_description(&reply);
      Reply(message, MessageKind::kDescribeReply, reply.SerializeAsString());
    } else if (message.kind() == MessageKind::kGetInputIdsRequest) {
      Page(message, Parse<v1::GetInputIdsRequest>(message));
    }
  }
  void OnClosed(const absl::Status&) override { stream_.reset(); }

 private:
  void Reply(const IncomingMessage& to, MessageKind kind, std::string header,
             std::shared_ptr<std::vector<int64_t>> ids = nullptr) {
    OutgoingMessage reply = Message(kind, std::move(header));
    reply.call_id = to.call_id();
    if (ids != nullptr) {
      reply.payload = absl::MakeConstSpan(
          reinterpret_cast<const uint8_t*>(ids->data()), ids->size() * 8);
      reply.payload_owner = std::move(ids);
    }
    if (stream_ != nullptr) stream_->Send(std::move(reply)).IgnoreError();
  }

  void Page(const IncomingMessage& to, const v1::GetInputIdsRequest& request) {
    absl::Status refused = settings_->refuse_pages;
    if (request.split() != "train") {
      refused.Update(absl::NotFoundError("no split " + request.split()));
    }
    if (!refused.ok()) {
      v1::CallError error;
      error.set_code(static_cast<int>(refused.code()));
      error.set_message(std::string(refused.message()));
      return Reply(to, MessageKind::kCallError, error.SerializeAsString());
    }
    const auto& all = settings_->split_ids;
    const size_t from = std::min<size_t>(request.offset(), all.size());
    const size_t end = std::min(all.size(), from + settings_->page_ids);
    v1::GetInputIdsReply reply;
    auto ids = std::make_shared<std::vector<int64_t>>(all.begin() + from,
                                                      all.begin() + end);
    reply.set_total(all.size());
    if (settings_->change_page) settings_->change_page(&reply, ids.get());
    reply.set_count(ids->size());
    Reply(to, MessageKind::kGetInputIdsReply, reply.SerializeAsString(),
          std::move(ids));
  }

  const std::shared_ptr<FakeSampler::Settings> settings_;
  std::shared_ptr<Stream> stream_;
};

}  // namespace

AlignedBuffer MakeFakeBatch(const BatchKey& key, const v1::Credit& credit,
                            uint64_t filler) {
  const int64_t n = credit.input_number_size();
  BatchLayout layout(key);
  const int ids = layout.Add("input_id", DType::kInt64, {n});
  const int nodes = layout.Add("n_id", DType::kInt64, {n});
  const int x = layout.Add("x", DType::kUint8, {static_cast<int64_t>(filler)});
  AlignedBuffer room(layout.Finish());
  layout.WriteHeader(room.span());
  if (n > 0) {
    std::memcpy(layout.Tensor(ids, room.span()).data(),
                credit.input_number().data(), n * sizeof(int64_t));
    std::memcpy(layout.Tensor(nodes, room.span()).data(),
                credit.original_id().data(), n * sizeof(int64_t));
  }
  const auto bytes = layout.Tensor(x, room.span());
  std::fill(bytes.begin(), bytes.end(), static_cast<uint8_t>(key.index * 7));
  return room;
}

FakeSampler::FakeSampler(Settings settings)
    : settings_(std::make_shared<Settings>(std::move(settings))),
      credits_(std::make_shared<std::map<uint64_t, int>>()),
      wait_reports_(std::make_shared<std::vector<uint32_t>>()) {}

std::shared_ptr<StreamHandler> FakeSampler::Accept(
    StreamMethod method, CallerPtr, std::shared_ptr<Stream> stream,
    absl::Status* why) {
  if (!settings_->refuse.ok()) {
    *why = settings_->refuse;
    return nullptr;
  }
  if (method == StreamMethod::kControl) {
    return std::make_shared<ControlHandler>(settings_, std::move(stream));
  }
  return std::make_shared<BatchHandler>(settings_, credits_, wait_reports_,
                                        std::move(stream));
}

int FakeSampler::num_credits() const {
  int n = 0;
  for (const auto& [index, count] : *credits_) n += count;
  return n;
}

}  // namespace tributary
