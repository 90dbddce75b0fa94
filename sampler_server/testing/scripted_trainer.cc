#include "sampler_server/testing/scripted_trainer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/batch/batch_view.h"
#include "common/random/hop_key.h"
#include "common/random/permutation.h"
#include "common/session/kinds/neighbor_spec.h"

namespace tributary {
namespace {

template <typename Proto>
Proto Parse(IncomingMessage& message) {
  Proto proto;
  proto.ParseFromArray(message.header().data(),
                       static_cast<int>(message.header().size()));
  return proto;
}

std::string DigestOfRoom(absl::Span<const uint8_t> room) {
  auto view = BatchView::Parse(room);
  return view.ok() ? ToHex(view->Digest()) : view.status().ToString();
}

}  // namespace

TrainerSession MakeSession(const GraphSchema& schema, SpecOptions options,
                           std::vector<int64_t> inputs,
                           std::vector<int64_t> input_time) {
  SpecGraph graph{schema.name, schema.content_digest, schema.layout_digest};
  for (const auto& t : schema.node_types) graph.node_types.push_back(t.name);
  for (const auto& t : schema.edge_types) graph.edge_types.push_back(t.name());
  options.input_count = inputs.size();
  options.inputs_sha256 = InputsSha256(inputs, input_time);
  auto spec = BuildNeighborSpec(graph, options);
  if (!spec.ok()) {
    std::fprintf(stderr, "%s\n", spec.status().ToString().c_str());
    std::abort();
  }
  return {*spec, SessionIdentity(*spec), std::move(inputs), options,
          std::move(input_time)};
}

std::shared_ptr<ScriptedTrainer> ScriptedTrainer::Connect(
    Transport* transport, const Address& address) {
  auto trainer = std::make_shared<ScriptedTrainer>();
  trainer->stream_ =
      transport->Connect(address, StreamMethod::kBatches, trainer);
  return trainer;
}

void ScriptedTrainer::Open(const TrainerSession& session,
                           const std::string& client) {
  v1::OpenSession open;
  open.set_spec(session.spec);
  open.set_wire_version(kWireVersion);
  open.set_client(client);
  Send(MessageKind::kOpenSession, open.SerializeAsString());
}

v1::Credit ScriptedTrainer::MakeCredit(const TrainerSession& session,
                                       uint64_t index, uint64_t max_bytes,
                                       uint64_t timeout_ms) {
  const uint64_t n = session.inputs.size();
  const Permutation order =
      session.options.shuffle == ShuffleMode::kNone
          ? Permutation::Identity(n)
          : Permutation::Keyed(n, MakeOrderKey(session.options.random_seed, 0));
  v1::Credit credit;
  credit.set_grant(index);
  credit.set_session(
      std::string(session.identity.begin(), session.identity.end()));
  credit.set_index(index);
  credit.set_max_bytes(max_bytes);
  credit.set_timeout_ms(timeout_ms);
  const uint64_t b = session.options.batch_size;
  for (uint64_t i = index * b; i < std::min(n, (index + 1) * b); ++i) {
    credit.add_input_number(order[i]);
    credit.add_original_id(session.inputs[order[i]]);
    if (!session.input_time.empty()) {
      credit.add_input_time(session.input_time[order[i]]);
    }
  }
  return credit;
}

void ScriptedTrainer::Ask(const TrainerSession& session, uint64_t index,
                          uint64_t max_bytes, uint64_t timeout_ms) {
  Send(MakeCredit(session, index, max_bytes, timeout_ms));
}

void ScriptedTrainer::Send(const v1::Credit& credit,
                           std::shared_ptr<SharedRoom> room,
                           std::vector<uint8_t> payload) {
  const size_t room_bytes =
      std::min<uint64_t>(credit.max_bytes(), size_t{1} << 24);
  {
    MutexLock lock(mutex_);
    rooms_[credit.grant()] =
        std::make_unique<Room>(room_bytes, credit.compact());
  }
  OutgoingMessage message;
  message.kind = MessageKind::kCredit;
  message.header = credit.SerializeAsString();
  message.room = std::move(room);
  const auto held =
      std::make_shared<const std::vector<uint8_t>>(std::move(payload));
  message.payload = *held;
  message.payload_owner = held;
  stream_->Send(std::move(message)).IgnoreError();
}

void ScriptedTrainer::Send(MessageKind kind, std::string header) {
  OutgoingMessage message;
  message.kind = kind;
  message.header = std::move(header);
  stream_->Send(std::move(message)).IgnoreError();
}

void ScriptedTrainer::SendRaw(OutgoingMessage message) {
  stream_->Send(std::move(message)).IgnoreError();
}

void ScriptedTrainer::Cancel(uint64_t grant) {
  v1::Cancel cancel;
  cancel.set_grant(grant);
  Send(MessageKind::kCancel, cancel.SerializeAsString());
}

size_t ScriptedTrainer::answers() const {
  MutexLock lock(mutex_);
  return answers_.size();
}

bool ScriptedTrainer::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

absl::Status ScriptedTrainer::why_closed() const {
  MutexLock lock(mutex_);
  return why_closed_;
}

bool ScriptedTrainer::AwaitAnswers(size_t count, std::chrono::seconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mutex_);
  while (answers_.size() < count && !closed_) {
    if (!changed_.WaitUntil(mutex_, deadline)) break;
  }
  return answers_.size() >= count;
}

std::string ScriptedTrainer::answer(uint64_t grant) const {
  MutexLock lock(mutex_);
  auto it = answers_.find(grant);
  return it == answers_.end() ? "" : it->second;
}

std::vector<v1::Stage> ScriptedTrainer::stages(uint64_t grant) const {
  MutexLock lock(mutex_);
  auto it = stages_.find(grant);
  return it == stages_.end() ? std::vector<v1::Stage>() : it->second;
}

int ScriptedTrainer::progress_count(uint64_t grant) const {
  MutexLock lock(mutex_);
  auto it = progress_counts_.find(grant);
  return it == progress_counts_.end() ? 0 : it->second;
}

void ScriptedTrainer::Answer(uint64_t grant, const std::string& text) {
  MutexLock lock(mutex_);
  std::string& answer = answers_[grant];
  absl::StrAppend(&answer, answer.empty() ? "" : "; ", text);
  changed_.NotifyAll();
}

void ScriptedTrainer::OnMessage(IncomingMessage& message) {
  switch (message.kind()) {
    case MessageKind::kFrame:
      return OnFrame(message);
    case MessageKind::kReady: {
      const auto ready = Parse<v1::Ready>(message);
      return Answer(ready.grant(), absl::StrCat("filled ", ready.total()));
    }
    case MessageKind::kNeeds: {
      const auto needs = Parse<v1::Needs>(message);
      return Answer(needs.grant(), absl::StrCat("needs ", needs.bytes()));
    }
    case MessageKind::kBatchError: {
      const auto error = Parse<v1::BatchError>(message);
      const auto code = static_cast<absl::StatusCode>(error.code());
      return Answer(
          error.grant(),
          absl::StrCat("error ", absl::StatusCodeToString(code), " ",
                       error.message(), error.retryable() ? " retry" : ""));
    }
    case MessageKind::kUnknownSession:
      return Answer(Parse<v1::UnknownSession>(message).grant(), "unknown");
    case MessageKind::kReturned:
      return Answer(Parse<v1::Returned>(message).grant(), "returned");
    case MessageKind::kProgress:
      return OnProgress(Parse<v1::Progress>(message));
    default:
      return Answer(0, "message of another kind");
  }
}

void ScriptedTrainer::OnProgress(const v1::Progress& progress) {
  MutexLock lock(mutex_);
  for (int i = 0; i < progress.grant_size(); ++i) {
    ++progress_counts_[progress.grant(i)];
    auto& stages = stages_[progress.grant(i)];
    if (stages.empty() || stages.back() != progress.stage(i)) {
      stages.push_back(progress.stage(i));
    }
  }
}

void ScriptedTrainer::OnFrame(IncomingMessage& message) {
  const auto frame = Parse<v1::Frame>(message);
  Room* room = nullptr;
  {
    MutexLock lock(mutex_);
    auto it = rooms_.find(frame.grant());
    if (it != rooms_.end()) room = it->second.get();
  }
  if (room == nullptr) return Answer(frame.grant(), "a frame unasked for");
  FrameAssembler& frames = room->frames;
  const absl::Status added = frames.Add(
      {frame.offset(), frame.total(), frame.left_out_bytes()}, message);
  if (!added.ok()) return stream_->Close(added);
  if (!frames.complete()) return;
  if (frame.left_out_bytes() > 0) {
    return Answer(frame.grant(),
                  absl::StrCat("compact ", frame.left_out_bytes()));
  }
  Answer(frame.grant(),
         absl::StrCat("ready ",
                      DigestOfRoom(room->slot.span().first(frames.total()))));
}

void ScriptedTrainer::OnClosed(const absl::Status& why) {
  MutexLock lock(mutex_);
  closed_ = true;
  why_closed_ = why;
  changed_.NotifyAll();
}

}  // namespace tributary
