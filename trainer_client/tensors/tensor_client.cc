#include "trainer_client/tensors/tensor_client.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr absl::Duration kRejoinPause = absl::Milliseconds(200);

std::string Bytes(uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// Whether the attempt that was joined may be one that has ended.
bool MayBeOlder(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) || absl::IsUnavailable(status) ||
         absl::IsNotFound(status) || absl::IsInvalidArgument(status);
}

}  // namespace

TensorClient::TensorClient(TensorClientOptions options)
    : options_(std::move(options)) {}

absl::StatusOr<std::shared_ptr<TensorClient>> TensorClient::Open(
    TensorClientOptions options) {
  const std::shared_ptr<TensorClient> client(
      new TensorClient(std::move(options)));
  const absl::Time deadline = client->Deadline();
  while (true) {
    RETURN_IF_ERROR(client->FindAttempt());
    absl::Status status = client->Connect();
    if (status.ok()) status = client->MeetFirst();
    if (status.ok()) return client;
    client->CloseLinks(absl::CancelledError("the attempt is joined again"));
    if (client->rank() == 0 || client->options_.attempt.attempt != 0 ||
        !MayBeOlder(status) || client->strand().Now() >= deadline) {
      return status;
    }
    client->Pause(kRejoinPause);
  }
}

absl::Status TensorClient::FindAttempt() {
  auto opener = std::make_shared<AttemptOpener>(options_.attempt);
  auto opened = Await<OpenedAttempt>([opener](Callback<OpenedAttempt> done) {
    opener->Open(std::move(done));
  });
  strand().Post([opener] { opener->Cancel(); });
  RETURN_IF_ERROR(opened.status());
  opened_ = *std::move(opened);
  meetings_ = 0;
  return absl::OkStatus();
}

absl::Status TensorClient::Connect() {
  std::vector<std::shared_ptr<MemberLink>> links;
  for (const RowMember& member : opened_.members) {
    MemberLinkOptions link;
    link.transport = options_.attempt.transport;
    link.strand = options_.attempt.strand;
    link.member = member;
    ASSIGN_OR_RETURN(link.address, ParseAddress(member.address));
    link.graph = {options_.attempt.graph, opened_.schema.content_digest};
    link.jitter_seed = options_.attempt.jitter_seed + links.size();
    link.on_lost = [weak = weak_from_this()](const absl::Status& why) {
      auto self = weak.lock();
      if (self == nullptr) return;
      for (const auto& other : self->links_) other->Close(why);
    };
    links.push_back(std::make_shared<MemberLink>(std::move(link)));
  }
  v1::JoinAttemptRequest request;
  *request.mutable_attempt() = opened_.ref;
  return Await<Nothing>([self = shared_from_this(), links = std::move(links),
                         header = request.SerializeAsString()](
                            Callback<Nothing> done) mutable {
           self->writes_.assign(links.size(), {});
           self->links_ = std::move(links);
           self->JoinAll(header, std::move(done));
         })
      .status();
}

void TensorClient::JoinAll(const std::string& request, Callback<Nothing> done) {
  struct Joining {
    size_t missing;
    absl::Status status;
    Callback<Nothing> done;
  };
  auto joining = std::make_shared<Joining>();
  joining->missing = links_.size();
  joining->done = std::move(done);
  for (const auto& link : links_) {
    link->KeepJoined(request, timeout(),
                     [joining](const absl::StatusOr<CallReply>& reply) {
                       joining->status.Update(reply.status());
                       if (--joining->missing > 0) return;
                       if (!joining->status.ok())
                         return joining->done(joining->status);
                       joining->done(Nothing());
                     });
  }
}

// The ranks bring their processes' numbers, so that a rank does not take the
// answer to an earlier process of its rank for its own.
absl::Status TensorClient::MeetFirst() {
  const std::string mine = Bytes(options_.attempt.client);
  ASSIGN_OR_RETURN(const auto values,
                   Meet(absl::StrCat("open ", options_.group_name), mine));
  if (values[rank()] == mine) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "another process was rank ", rank(), " of attempt ",
      opened_.ref.attempt(), ": start all ranks with a larger attempt"));
}

void TensorClient::Pause(absl::Duration time) {
  (void)Await<Nothing>(
      [self = shared_from_this(), time](Callback<Nothing> done) {
        self->strand().PostAfter(
            time, [done = std::move(done)]() mutable { done(Nothing()); });
      });
}

void TensorClient::CloseLinks(const absl::Status& why) {
  (void)Await<Nothing>(
      [self = shared_from_this(), why](Callback<Nothing> done) {
        for (const auto& link : self->links_) link->Close(why);
        done(Nothing());
      });
}

void TensorClient::Close() {
  CloseLinks(absl::CancelledError("the context is closed"));
}

uint64_t TensorClient::ServerTimeoutMs() const {
  const absl::Duration margin = std::min(absl::Seconds(1), timeout() / 10);
  return static_cast<uint64_t>(
      std::max<int64_t>(1, absl::ToInt64Milliseconds(timeout() - margin)));
}

absl::StatusOr<std::vector<std::string>> TensorClient::Meet(
    const std::string& purpose, const std::string& value) {
  v1::MeetRequest request;
  *request.mutable_attempt() = opened_.ref;
  request.set_sequence(meetings_ + 1);
  request.set_purpose(purpose);
  request.set_value(value);
  request.set_timeout_ms(ServerTimeoutMs());
  const auto reply = Await<CallReply>(
      [self = shared_from_this(),
       header = request.SerializeAsString()](Callback<CallReply> done) {
        self->Call(0,
                   {.kind = MessageKind::kMeetRequest,
                    .reply = MessageKind::kMeetReply,
                    .header = header,
                    .deadline = self->Deadline(),
                    .waits_for_ranks = true},
                   std::move(done));
      });
  std::vector<std::string> values;
  RETURN_IF_ERROR(ParseMeeting(reply, &values));
  ++meetings_;
  return values;
}

absl::Status TensorClient::ParseMeeting(
    const absl::StatusOr<CallReply>& reply,
    std::vector<std::string>* values) const {
  RETURN_IF_ERROR(reply.status());
  ASSIGN_OR_RETURN(const auto told,
                   ParseReplyHeader<v1::MeetReply>(reply->kind, reply->header));
  if (static_cast<uint32_t>(told.values_size()) != world()) {
    return absl::InternalError(absl::StrCat("a meeting of ", world(),
                                            " ranks brought ",
                                            told.values_size(), " values"));
  }
  values->assign(told.values().begin(), told.values().end());
  return absl::OkStatus();
}

void TensorClient::Call(uint32_t member, MemberCall call,
                        MemberLink::Done done) {
  links_[member]->Call(std::move(call), std::move(done));
}

std::vector<absl::StatusOr<CallReply>> TensorClient::CallEach(
    std::vector<Request> requests) {
  using Replies = std::vector<absl::StatusOr<CallReply>>;
  const size_t count = requests.size();
  if (count == 0) return {};
  struct Collected {
    Replies replies;
    size_t missing;
    Callback<Replies> done;
  };
  auto replies = Await<Replies>([self = shared_from_this(), count,
                                 requests = std::move(requests)](
                                    Callback<Replies> done) mutable {
    auto all = std::make_shared<Collected>();
    all->missing = count;
    all->done = std::move(done);
    for (size_t i = 0; i < count; ++i) {
      all->replies.emplace_back(absl::UnknownError(""));
    }
    for (size_t i = 0; i < count; ++i) {
      const uint32_t member = requests[i].member;
      self->Call(member, std::move(requests[i].call),
                 [all, i, name = self->opened_.members[member].address](
                     absl::StatusOr<CallReply> reply) {
                   if (!reply.ok()) {
                     reply = absl::Status(
                         reply.status().code(),
                         absl::StrCat(name, ": ", reply.status().message()));
                   }
                   all->replies[i] = std::move(reply);
                   if (--all->missing == 0) all->done(std::move(all->replies));
                 });
    }
  });
  if (replies.ok()) return *std::move(replies);
  Replies failed;
  for (size_t i = 0; i < count; ++i) failed.emplace_back(replies.status());
  return failed;
}

absl::Status TensorClient::CallMembers(absl::Span<const uint32_t> members,
                                       MessageKind kind, MessageKind reply,
                                       const google::protobuf::Message& header,
                                       absl::Duration limit) {
  std::vector<Request> requests;
  for (const uint32_t member : members) {
    requests.push_back(
        {member,
         {.kind = kind,
          .reply = reply,
          .header = header.SerializeAsString(),
          .deadline = strand().Now() + std::min(limit, timeout()),
          .retry_when_full = false}});
  }
  absl::Status status;
  for (const auto& one : CallEach(std::move(requests))) {
    status.Update(one.status());
  }
  return status;
}

absl::Status TensorClient::CallAll(MessageKind kind, MessageKind reply,
                                   const google::protobuf::Message& header,
                                   absl::Duration limit) {
  std::vector<uint32_t> all(members().size());
  std::iota(all.begin(), all.end(), uint32_t{0});
  return CallMembers(all, kind, reply, header, limit);
}

uint64_t TensorClient::BeginWrite(uint32_t member) {
  Writes& writes = writes_[member];
  writes.open.insert(writes.next);
  return writes.next++;
}

uint64_t TensorClient::OldestWrite(uint32_t member) const {
  const Writes& writes = writes_[member];
  return writes.open.empty() ? writes.next : *writes.open.begin();
}

void TensorClient::EndWrite(uint32_t member, uint64_t sequence) {
  writes_[member].open.erase(sequence);
}

std::shared_ptr<const TensorInfo> TensorClient::Find(
    const std::string& name) const {
  MutexLock lock(mutex_);
  const auto it = tensors_.find(name);
  return it == tensors_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<const TensorInfo>> TensorClient::Tensors() const {
  std::vector<std::shared_ptr<const TensorInfo>> tensors;
  MutexLock lock(mutex_);
  for (const auto& [name, tensor] : tensors_) tensors.push_back(tensor);
  return tensors;
}

void TensorClient::Put(std::shared_ptr<const TensorInfo> tensor) {
  MutexLock lock(mutex_);
  tensors_[tensor->spec.name()] = std::move(tensor);
}

void TensorClient::Erase(const std::string& name) {
  MutexLock lock(mutex_);
  tensors_.erase(name);
}

std::shared_ptr<TensorRestorer> TensorClient::restorer() const {
  MutexLock lock(mutex_);
  return restorer_;
}

void TensorClient::set_restorer(std::shared_ptr<TensorRestorer> restorer) {
  MutexLock lock(mutex_);
  restorer_ = std::move(restorer);
}

}  // namespace tributary
