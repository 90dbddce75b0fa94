#include "trainer_client/tensors/attempt_opener.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/text/status.h"
#include "trainer_client/core/session/graph_votes.h"

namespace tributary {
namespace {

constexpr absl::Duration kLongestSettling = absl::Seconds(3);
constexpr absl::Duration kLongestCall = absl::Seconds(5);
constexpr BackoffOptions kBackoff{absl::Milliseconds(50), absl::Seconds(1)};

// Whether asking the same server again would bring the same answer.
bool IsRefusal(const absl::Status& status) {
  return IsFinal(status) || absl::IsFailedPrecondition(status) ||
         absl::IsPermissionDenied(status) || absl::IsUnimplemented(status) ||
         absl::IsUnauthenticated(status);
}

absl::Status Named(const std::string& address, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(address, ": ", status.message()));
}

}  // namespace

AttemptOpener::AttemptOpener(AttemptOpenerOptions options)
    : options_(std::move(options)), backoff_(kBackoff, options_.jitter_seed) {}

AttemptOpener::~AttemptOpener() = default;

void AttemptOpener::Open(Opened opened) {
  opened_ = std::move(opened);
  const absl::Time now = options_.strand->Now();
  deadline_ = now + options_.timeout;
  settled_ = now + std::min(kLongestSettling, options_.timeout / 4);
  result_.ref.set_job(options_.job);
  result_.ref.set_attempt(options_.attempt);
  result_.ref.set_rank(options_.rank);
  result_.ref.set_client(options_.client);
  timer_ = options_.strand->PostAt(deadline_, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr) return;
    self->Finish(absl::DeadlineExceededError(absl::StrCat(
        self->result_.ref.content_digest().empty() ? "no server answered"
        : self->options_.rank == 0
            ? "the servers did not open the run"
            : "rank 0 has not opened the run on any of the servers",
        " within ", absl::FormatDuration(self->options_.timeout),
        self->Troubles())));
  });
  discovery_ = std::make_shared<Discovery>(options_.source, options_.strand,
                                           options_.resolver);
  discovery_->Start([weak = weak_from_this()](const ServerListing& listing) {
    if (auto self = weak.lock()) self->OnListing(listing);
  });
}

void AttemptOpener::Cancel() {
  Finish(absl::CancelledError("the context is closed"));
}

std::string AttemptOpener::Troubles() const {
  std::string text;
  for (const Server& server : servers_) {
    if (server.trouble.ok()) continue;
    absl::StrAppend(&text, "; ", server.address.ToString(), ": ",
                    server.trouble.message());
  }
  if (!last_trouble_.ok())
    absl::StrAppend(&text, "; ", last_trouble_.message());
  return text;
}

absl::Duration AttemptOpener::CallTimeout() const {
  return std::clamp((deadline_ - options_.strand->Now()) / 2,
                    absl::Milliseconds(10), kLongestCall);
}

// Servers that a later listing adds are asked in the next round of questions.
void AttemptOpener::OnListing(const ServerListing& listing) {
  if (!opened_) return;
  const bool first = servers_.empty();
  for (const Address& address : listing.addresses) {
    const bool known =
        std::any_of(servers_.begin(), servers_.end(),
                    [&](const Server& s) { return s.address == address; });
    if (!known) servers_.push_back({.address = address});
  }
  last_trouble_ = servers_.empty() && listing.problem.ok()
                      ? absl::NotFoundError("the list of servers is empty")
                      : listing.problem;
  if (!first || servers_.empty()) return;
  // Not inside the callback of Discovery, which ends when this finishes.
  options_.strand->Post([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Describe();
  });
}

void AttemptOpener::Describe() {
  if (!opened_) return;
  std::vector<size_t> asked;
  for (size_t i = 0; i < servers_.size(); ++i) {
    if (!servers_[i].description.has_value()) asked.push_back(i);
  }
  if (asked.empty()) return Decide();
  pending_ = asked.size();
  for (const size_t i : asked) {
    auto control = std::make_shared<ControlCalls>(
        options_.transport, servers_[i].address, options_.strand);
    control->Describe({.name = options_.graph, .text = false}, CallTimeout(),
                      [weak = weak_from_this(), control,
                       i](absl::StatusOr<ServerDescription> answer) {
                        if (auto self = weak.lock())
                          self->OnDescribed(i, std::move(answer));
                      });
  }
}

void AttemptOpener::OnDescribed(size_t server,
                                absl::StatusOr<ServerDescription> answer) {
  if (!opened_) return;
  Server& asked = servers_[server];
  if (answer.ok()) {
    asked.trouble = absl::OkStatus();
    options_.transport->NoteTakesTcp(asked.address, answer->incarnation,
                                     answer->takes_tcp);
    asked.description = *std::move(answer);
  } else {
    asked.trouble = answer.status();
  }
  if (--pending_ == 0) Decide();
}

// The servers say which version of the graph it is, not the first alone.
absl::Status AttemptOpener::ChooseContent() {
  GraphVotes votes;
  for (const Server& server : servers_) {
    if (server.description.has_value() && HasGraph(*server.description)) {
      votes.Set(server.address, *server.description);
    }
  }
  ASSIGN_OR_RETURN(content_, votes.Choose(/*all_heard=*/true));
  return absl::OkStatus();
}

bool AttemptOpener::HasGraph(const ServerDescription& description) const {
  return options_.graph.Matches(description.graph_name,
                                description.content_digest);
}

absl::Status AttemptOpener::Accept(Server& server,
                                   const ServerDescription& description) {
  const std::string& name = description.graph_name;
  const Sha256Digest& content = description.content_digest;
  if (!HasGraph(description)) {
    return absl::NotFoundError(
        absl::StrCat("graph '", options_.graph.ToString(),
                     "'; this server has ", VersionedName(name, content)));
  }
  if (*content_ != content) {
    return absl::FailedPreconditionError(
        absl::StrCat("has ", VersionedName(name, content), "; this run is on ",
                     VersionedName(name, *content_)));
  }
  server.usable = !description.draining;
  if (!server.usable) return absl::UnavailableError("is draining");
  return absl::OkStatus();
}

void AttemptOpener::Decide() {
  std::sort(servers_.begin(), servers_.end(),
            [](const Server& a, const Server& b) {
              return a.address.ToString() < b.address.ToString();
            });
  if (!content_.has_value()) {
    const absl::Status chosen = ChooseContent();
    if (!chosen.ok()) return Finish(chosen);
  }
  bool all_known = true;
  bool any = false;
  for (Server& server : servers_) {
    if (server.description.has_value() && !server.usable) {
      server.trouble = Accept(server, *server.description);
      if (absl::IsUnavailable(server.trouble)) server.description.reset();
    }
    any |= server.usable;
    all_known &= server.usable || IsRefusal(server.trouble);
  }
  if (!any) return AllRefuse() ? Finish(servers_[0].trouble) : DescribeLater();
  if (!schema_.has_value()) {
    const auto first = std::find_if(servers_.begin(), servers_.end(),
                                    [](const Server& s) { return s.usable; });
    return ReadGraph(static_cast<size_t>(first - servers_.begin()));
  }
  result_.ref.set_content_digest(content_->data(), content_->size());
  if (options_.rank != 0) return JoinAny();
  if (!all_known && options_.strand->Now() < settled_) return DescribeLater();
  OpenOnAll();
}

void AttemptOpener::ReadGraph(size_t server) {
  auto control = std::make_shared<ControlCalls>(
      options_.transport, servers_[server].address, options_.strand);
  control->Describe({.name = options_.graph, .content = content_},
                    CallTimeout(),
                    [weak = weak_from_this(), control,
                     server](absl::StatusOr<ServerDescription> answer) {
                      if (auto self = weak.lock()) {
                        self->OnGraphRead(server, std::move(answer));
                      }
                    });
}

void AttemptOpener::OnGraphRead(size_t server,
                                absl::StatusOr<ServerDescription> answer) {
  if (!opened_) return;
  auto schema =
      answer.ok() ? GraphSchema::FromJson(answer->graph_json) : answer.status();
  if (schema.ok() && schema->content_digest == *content_) {
    schema_ = *std::move(schema);
    return Decide();
  }
  Server& asked = servers_[server];
  asked.trouble = schema.ok() ? absl::DataLossError("describes another graph")
                              : schema.status();
  asked.description.reset();
  asked.usable = false;
  DescribeLater();
}

bool AttemptOpener::AllRefuse() const {
  return std::all_of(servers_.begin(), servers_.end(),
                     [](const Server& s) { return IsRefusal(s.trouble); });
}

void AttemptOpener::DescribeLater() {
  options_.strand->PostAfter(backoff_.Next(), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Describe();
  });
}

void AttemptOpener::OpenOnAll() {
  if (options_.attempt == 0) {
    result_.ref.set_attempt(
        static_cast<uint64_t>(absl::ToUnixMicros(absl::Now())));
  }
  v1::OpenAttemptRequest request;
  *request.mutable_attempt() = result_.ref;
  request.set_world(options_.world);
  for (const Server& server : servers_) {
    if (!server.usable) continue;
    result_.members.push_back(
        {server.address.ToString(), server.description->incarnation});
    v1::TensorMember* member = request.add_members();
    member->set_address(result_.members.back().address);
    member->set_incarnation(result_.members.back().incarnation);
  }
  pending_ = result_.members.size();
  for (const Server& server : servers_) {
    if (!server.usable) continue;
    const RowMember& member = result_.members[links_.size()];
    request.set_member(static_cast<uint32_t>(links_.size()));
    links_.push_back(std::make_shared<MemberLink>(MemberLinkOptions{
        .transport = options_.transport,
        .strand = options_.strand,
        .member = member,
        .address = server.address,
        .graph = {options_.graph, *content_},
        .jitter_seed = options_.jitter_seed + links_.size()}));
    links_.back()->Call({.kind = MessageKind::kOpenAttemptRequest,
                         .reply = MessageKind::kOpenAttemptReply,
                         .header = request.SerializeAsString(),
                         .deadline = deadline_ - options_.timeout / 20},
                        [weak = weak_from_this(), address = member.address](
                            const absl::StatusOr<CallReply>& reply) {
                          if (auto self = weak.lock()) {
                            self->OnOpenedOn(address, reply.status());
                          }
                        });
  }
}

void AttemptOpener::OnOpenedOn(const std::string& address,
                               const absl::Status& status) {
  if (!opened_) return;
  if (!status.ok()) return Finish(Named(address, status));
  if (--pending_ == 0) Finish(absl::OkStatus());
}

void AttemptOpener::JoinAny() {
  v1::JoinAttemptRequest request;
  *request.mutable_attempt() = result_.ref;
  request.mutable_attempt()->set_attempt(options_.attempt);
  pending_ = 0;
  join_refusals_.Clear();
  for (const Server& server : servers_) pending_ += server.usable ? 1 : 0;
  joining_ = pending_;
  for (size_t i = 0; i < servers_.size(); ++i) {
    Server& server = servers_[i];
    if (!server.usable) continue;
    if (server.data == nullptr || !server.data->open()) {
      server.data = std::make_shared<CallClient>(
          options_.transport, server.address, StreamMethod::kData,
          options_.strand->executor());
    }
    server.data->Call(
        {.kind = MessageKind::kJoinAttemptRequest,
         .header = request.SerializeAsString()},
        options_.strand->Now() + CallTimeout(), 0,
        [strand = options_.strand, weak = weak_from_this(),
         i](absl::StatusOr<CallReply> reply) {
          strand->Post([weak, i, reply = std::move(reply)]() mutable {
            if (auto self = weak.lock()) {
              self->OnJoinReply(i, std::move(reply));
            }
          });
        });
  }
}

void AttemptOpener::OnJoinReply(size_t server,
                                absl::StatusOr<CallReply> reply) {
  if (!opened_) return;
  const std::string address = servers_[server].address.ToString();
  absl::Status status = reply.status();
  if (status.ok()) {
    const auto joined =
        ParseReplyHeader<v1::JoinAttemptReply>(reply->kind, reply->header);
    status = joined.ok() ? TakeJoined(*joined) : joined.status();
    if (status.ok()) return Finish(status);
  }
  if (absl::IsPermissionDenied(status) || absl::IsUnimplemented(status) ||
      absl::IsUnauthenticated(status) || absl::IsInvalidArgument(status)) {
    join_refusals_.Add(servers_[server].address, status);
  }
  if (!absl::IsNotFound(status)) last_trouble_ = Named(address, status);
  if (--pending_ > 0) return;
  // Another server may know of the run what this one refuses to say.
  if (join_refusals_.servers().size() == joining_) {
    return Finish(join_refusals_.Error());
  }
  DescribeLater();
}

absl::Status AttemptOpener::TakeJoined(const v1::JoinAttemptReply& reply) {
  if (reply.world() != options_.world) {
    return absl::InvalidArgumentError(absl::StrCat(
        "world_size: rank 0 has opened a run of ", reply.world(),
        " ranks; rank ", options_.rank, " has world_size ", options_.world));
  }
  std::vector<RowMember> members;
  for (const v1::TensorMember& member : reply.members()) {
    RETURN_IF_ERROR(ParseAddress(member.address()).status());
    members.push_back({member.address(), member.incarnation()});
  }
  ASSIGN_OR_RETURN(const RowPlacement placement,
                   RowPlacement::Create(std::move(members)));
  result_.members = placement.members();
  result_.ref.set_attempt(reply.attempt());
  return absl::OkStatus();
}

void AttemptOpener::Finish(absl::Status status) {
  if (!opened_) return;
  options_.strand->CancelTimer(timer_);
  discovery_->Stop();
  for (const auto& link : links_) {
    link->Close(absl::CancelledError("the attempt is open"));
  }
  Opened opened = std::exchange(opened_, nullptr);
  servers_.clear();
  if (!status.ok()) return opened(std::move(status));
  result_.schema = *std::move(schema_);
  opened(std::move(result_));
}

}  // namespace tributary
