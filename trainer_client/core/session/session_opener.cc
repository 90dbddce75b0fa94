#include "trainer_client/core/session/session_opener.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/graph_name.h"
#include "common/text/status.h"
#include "trainer_client/core/session/input_list.h"
#include "trainer_client/core/session/link_request.h"

namespace tributary {
namespace {

constexpr absl::Duration kPageTimeout = absl::Seconds(10);
constexpr absl::Duration kPause = absl::Milliseconds(100);

}  // namespace

SessionOpener::SessionOpener(NeighborLoaderOptions options,
                             std::shared_ptr<Strand> strand)
    : options_(std::move(options)),
      strand_(std::move(strand)),
      ids_(NumLists()) {}

void SessionOpener::Open(std::shared_ptr<ServerFleet> fleet,
                         absl::Duration timeout, Opened opened) {
  fleet_ = std::move(fleet);
  opened_ = std::move(opened);
  deadline_ = strand_->PostAfter(timeout, [weak = weak_from_this(), timeout] {
    auto self = weak.lock();
    if (self == nullptr || !self->opened_) return;
    self->Finish(absl::UnavailableError(absl::StrCat(
        "no server answered within rpc_timeout = ",
        absl::FormatDuration(timeout), "; servers: ", self->fleet_->ToString(),
        self->trouble_.ok()
            ? ""
            : absl::StrCat("; last trouble: ", self->trouble_.ToString()))));
  });
  fleet_->SetEvents(weak_from_this());
  fleet_->Start();
}

absl::Status SessionOpener::OnDescribed(ServerLink&,
                                        const ServerDescription& description) {
  if (graph_.has_value()) return graph_->Check(description);
  ASSIGN_OR_RETURN(AcceptedGraph graph, AcceptedGraph::From(description));
  const GraphSchema& schema = graph.schema;
  if (!fleet_->graph().Matches(schema.name, schema.content_digest)) {
    // Of a server that knows no names and has this graph alone.
    return absl::NotFoundError(absl::StrCat(
        "graph '", fleet_->graph().ToString(), "'; this server has ",
        VersionedName(schema.name, schema.content_digest)));
  }
  fleet_->PinGraph(schema.content_digest);
  graph_ = std::move(graph);
  return absl::OkStatus();
}

void SessionOpener::OnServerUp(ServerLink&) {
  if (!opened_) return;
  auto types = InputTypesOf(options_, graph_->schema);
  if (!types.ok()) return Finish(types.status());
  input_types_ = *std::move(types);
  ReadLists();
}

// From the first that is a split and not read yet.
void SessionOpener::ReadLists() {
  while (list_ < NumLists() && Split().empty()) ++list_;
  if (list_ < NumLists()) return AskForPage();
  Finish(TakeNodes());
}

// Links are in the options or were read.
absl::Status SessionOpener::TakeNodes() {
  if (options_.link.has_value() || !options_.input_split.empty()) {
    return absl::OkStatus();
  }
  const GraphSchema& schema = graph_->schema;
  const int type = schema.FindNodeType(input_types_[0]);
  ASSIGN_OR_RETURN(ids_[0], InputIdsOf(options_, schema.node_types[type]));
  return absl::OkStatus();
}

void SessionOpener::OnServerDown(ServerLink&, std::vector<OpenGrant>) {
  if (!opened_) return;
  if (!input_types_.empty()) return AskForPage();
  if (absl::Status why = fleet_->RefusedByAll(); !why.ok()) {
    Finish(std::move(why));
  }
}

size_t SessionOpener::NumLists() const {
  return options_.link.has_value() ? options_.link->lists.size() : 1;
}

const std::string& SessionOpener::Split() const {
  return options_.link.has_value() ? options_.link->lists[list_].split
                                   : options_.input_split;
}

void SessionOpener::AskForPage() {
  ServerLink* link = fleet_->AnyUp();
  if (asking_ || link == nullptr || link->control() == nullptr) return;
  asking_ = true;
  const bool links = options_.link.has_value();
  link->control()->GetInputIds(
      {.node_type = links ? "" : options_.input_type,
       .edge_type = links ? input_types_[list_] : "",
       .split = Split(),
       .offset = ids_[list_].size(),
       .content_digest = graph_->schema.content_digest},
      kPageTimeout,
      [weak = weak_from_this(),
       request = ++request_](absl::StatusOr<InputPage> page) {
        if (auto self = weak.lock()) self->OnPage(request, std::move(page));
      });
}

void SessionOpener::OnPage(uint64_t request, absl::StatusOr<InputPage> page) {
  if (!opened_ || request != request_) return;
  asking_ = false;
  absl::Status status = page.ok() ? TakePage(*std::move(page)) : page.status();
  if (IsFinal(status)) return Finish(std::move(status));
  if (!status.ok()) {
    trouble_ = std::move(status);
    return AskLater();
  }
  if (ids_[list_].size() < *total_) return AskForPage();
  total_.reset();
  ++list_;
  ReadLists();
}

absl::Status SessionOpener::TakePage(InputPage page) {
  std::vector<int64_t>& ids = ids_[list_];
  if (!total_.has_value()) total_ = page.total;
  if (page.total != *total_ || ids.size() + page.ids.size() > *total_) {
    return absl::DataLossError(absl::StrCat(
        "split ", Split(), " has ", *total_, " ids, a page at ", ids.size(),
        " brought ", page.ids.size(), " of ", page.total));
  }
  if (page.total == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("split ", Split(), " is empty"));
  }
  if (page.ids.empty()) {
    return absl::DataLossError(
        absl::StrCat("an empty page at ", ids.size(), " of ", *total_, " ids"));
  }
  ids.insert(ids.end(), page.ids.begin(), page.ids.end());
  return absl::OkStatus();
}

void SessionOpener::AskLater() {
  strand_->PostAfter(kPause, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self != nullptr && self->opened_) self->AskForPage();
  });
}

absl::StatusOr<LoaderSession> SessionOpener::MakeSession(
    const std::shared_ptr<const AcceptedGraph>& graph) {
  if (!options_.link.has_value()) {
    return MakeNeighborSession(options_, graph, std::move(ids_[0]));
  }
  NeighborLoaderOptions options = options_;
  for (size_t i = 0; i < ids_.size(); ++i) {
    LinkList& list = options.link->lists[i];
    if (list.split.empty()) continue;
    ASSIGN_OR_RETURN(list.links, LinksOfSplit(list.split, ids_[i]));
  }
  return MakeNeighborSession(options, graph, {});
}

void SessionOpener::Finish(absl::Status status) {
  strand_->CancelTimer(deadline_);
  Opened opened = std::exchange(opened_, nullptr);
  if (!status.ok()) return opened(std::move(status));
  auto graph = std::make_shared<const AcceptedGraph>(*std::move(graph_));
  graph_ = *graph;  // servers may still be described to this
  absl::StatusOr<LoaderSession> session = MakeSession(graph);
  if (!session.ok()) return opened(session.status());
  opened(OpenedSession{graph->schema, *std::move(session)});
}

}  // namespace tributary
