#include "trainer_client/core/session/graph_opener.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/fleet/graph_name.h"
#include "common/text/status.h"
#include "trainer_client/core/fleet/refusals.h"

namespace tributary {
namespace {

// Of each of the calls that a long text takes.
constexpr absl::Duration kTextTimeout = absl::Seconds(5);
// After at most which another server is asked, too.
constexpr absl::Duration kTextPatience = absl::Seconds(10);
constexpr absl::Duration kPause = absl::Milliseconds(100);

}  // namespace

GraphOpener::GraphOpener(std::shared_ptr<ServerFleet> fleet,
                         std::shared_ptr<Strand> strand)
    : fleet_(std::move(fleet)), strand_(std::move(strand)) {}

void GraphOpener::Open(absl::Duration timeout, Opened opened) {
  opened_ = std::move(opened);
  text_patience_ = std::min(kTextPatience, timeout / 4);
  fleet_->SetEvents(weak_from_this());
  fleet_->Start();
}

absl::Status GraphOpener::OnDescribed(ServerLink& link,
                                      const ServerDescription& description) {
  if (graph_ != nullptr) return graph_->Check(description);
  if (content_.has_value() && *content_ != description.content_digest) {
    return AnotherGraph(description);
  }
  if (!fleet_->graph().Matches(description.graph_name,
                               description.content_digest)) {
    // Of a server that knows no names and has this graph alone.
    return absl::NotFoundError(absl::StrCat(
        "graph '", fleet_->graph().ToString(), "'; this server has ",
        VersionedName(description.graph_name, description.content_digest)));
  }
  votes_.Set(link.address(), description);
  return absl::OkStatus();
}

void GraphOpener::OnServerUp(ServerLink&) { Advance(); }

void GraphOpener::OnServerDown(ServerLink& link, std::vector<OpenGrant>) {
  if (!opened_) return;
  votes_.Erase(link.address());
  absl::Status why = fleet_->RefusedByAll();
  if (why.ok()) why = fleet_->RefusedByReachable();
  if (!why.ok()) return Answer(std::move(why));
  // Not inside the call that took it down.
  strand_->Post([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Advance();
  });
}

void GraphOpener::Advance() {
  if (!opened_) return;
  const absl::Status chosen = ChooseContent();
  if (!chosen.ok()) return Answer(chosen);
  if (content_.has_value()) ReadTexts();
}

absl::Status GraphOpener::ChooseContent() {
  if (content_.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(content_, votes_.Choose(fleet_->AllAnswered()));
  if (!content_.has_value()) return absl::OkStatus();
  fleet_->PinGraph(*content_);
  // Later: this may be inside an event of one of them.
  strand_->Post([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->DropOthers();
  });
  return absl::OkStatus();
}

void GraphOpener::DropOthers() {
  for (ServerLink* link : fleet_->Up()) {
    const ServerDescription& description = link->description();
    if (description.content_digest == *content_) continue;
    link->Disconnect(AnotherGraph(description));
  }
}

absl::Status GraphOpener::AnotherGraph(
    const ServerDescription& description) const {
  return absl::FailedPreconditionError(absl::StrCat(
      "it serves the graph ",
      VersionedName(description.graph_name, description.content_digest),
      ", the servers that were chosen one with content digest ",
      ToHex(*content_)));
}

ServerLink* GraphOpener::NextToAsk() const {
  for (ServerLink* link : fleet_->Up()) {
    if (link->description().content_digest == *content_ &&
        link->control() != nullptr && !asked_.contains(link->address())) {
      return link;
    }
  }
  return nullptr;
}

int GraphOpener::VoicesFor(const Read& read) const {
  int voices = 0;
  for (const ServerLink* link : fleet_->Up()) {
    const ServerDescription& told = link->description();
    voices += told.content_digest == *content_ &&
              (link->address() == read.server || told.text_digest == read.text);
  }
  const std::string text = ContentText(read.graph->schema);
  for (const Read& other : read_) {
    voices += other.server != read.server && other.text != read.text &&
              ContentText(other.graph->schema) == text;
  }
  return voices;
}

void GraphOpener::ReadTexts() {
  for (const Read& read : read_) {
    if (VoicesFor(read) > 1) return Answer(read.graph);
  }
  if (asking_ > 0) return;
  if (ServerLink* next = NextToAsk(); next != nullptr) return AskForText(*next);
  if (!fleet_->AllAnswered()) return;  // another one may come
  if (read_.size() == 1) return Answer(read_.front().graph);
  if (read_.size() > 1) {
    return Answer(absl::FailedPreconditionError(absl::StrCat(
        "the servers describe the graph with content digest ", ToHex(*content_),
        " differently, and no two the same: ",
        absl::StrJoin(read_, ", ", [](std::string* out, const Read& read) {
          absl::StrAppend(out, read.server.ToString());
        }))));
  }
  // None could be read: again, until the caller's deadline.
  strand_->PostAfter(kPause, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr || !self->opened_ || self->asking_ > 0) return;
    self->asked_.clear();
    if (!self->fleet_->Up().empty()) self->Advance();
  });
}

void GraphOpener::AskForText(ServerLink& link) {
  const Address server = link.address();
  asked_.insert(server);
  ++asking_;
  auto late = std::make_shared<bool>(false);
  link.control()->Describe({fleet_->graph(), content_}, kTextTimeout,
                           [weak = weak_from_this(), server,
                            late](absl::StatusOr<ServerDescription> told) {
                             auto self = weak.lock();
                             if (self == nullptr) return;
                             if (!std::exchange(*late, true)) --self->asking_;
                             self->OnText(server, std::move(told));
                           });
  strand_->PostAfter(text_patience_, [weak = weak_from_this(), late] {
    auto self = weak.lock();
    if (self == nullptr || std::exchange(*late, true)) return;
    --self->asking_;
    self->Advance();
  });
}

void GraphOpener::OnText(const Address& server,
                         absl::StatusOr<ServerDescription> told) {
  if (!opened_) return;
  auto graph = told.ok() ? AcceptedGraph::From(*told) : told.status();
  if (graph.ok() && graph->schema.content_digest != *content_) {
    graph = absl::DataLossError("it sends the text of another graph");
  }
  if (graph.ok()) {
    read_.push_back({server,
                     std::make_shared<const AcceptedGraph>(*std::move(graph)),
                     told->text_digest});
  } else {
    trouble_ = SaidBy(server, graph.status());
  }
  // Not inside the call: the answer may end the connection that made it.
  strand_->Post([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Advance();
  });
}

void GraphOpener::Answer(absl::StatusOr<Graph> result) {
  if (result.ok()) {
    graph_ = *result;
    fleet_->SetNumPartitions(graph_->schema.num_partitions);
  }
  read_.clear();
  std::exchange(opened_, nullptr)(std::move(result));
}

}  // namespace tributary
