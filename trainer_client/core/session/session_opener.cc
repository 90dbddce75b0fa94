#include "trainer_client/core/session/session_opener.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/graph_name.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/edge_type_pattern.h"

namespace tributary {
namespace {

constexpr absl::Duration kPageTimeout = absl::Seconds(10);
constexpr absl::Duration kPause = absl::Milliseconds(100);
constexpr absl::Duration kReportEvery = absl::Milliseconds(500);

}  // namespace

SessionOpener::SessionOpener(SessionOptions options,
                             std::shared_ptr<Strand> strand,
                             WaitObserver on_wait)
    : options_(std::move(options)),
      strand_(std::move(strand)),
      wait_(std::move(on_wait)) {}

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
        self->last_error_.ok()
            ? ""
            : absl::StrCat("; last trouble: ", self->last_error_.ToString()))));
  });
  fleet_->SetEvents(weak_from_this());
  fleet_->Start();
  if (wait_.enabled()) ReportWait(strand_->Now(), timeout);
}

void SessionOpener::ReportWait(absl::Time since, absl::Duration timeout) {
  if (!opened_) return;
  wait_.Update(strand_->Now() - since, timeout,
               [this] { return fleet_->Missing(/*num_partitions=*/0); });
  strand_->PostAfter(kReportEvery, [weak = weak_from_this(), since, timeout] {
    if (auto self = weak.lock()) self->ReportWait(since, timeout);
  });
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
  fleet_->SetNumPartitions(schema.num_partitions);
  graph_ = std::move(graph);
  return absl::OkStatus();
}

void SessionOpener::OnServerUp(ServerLink&) {
  if (!opened_) return;
  const absl::Status expanded = ExpandEdgeTypes(graph_->schema, &options_);
  if (!expanded.ok()) return Finish(expanded);
  auto sources = InputSourcesOf(options_, graph_->schema);
  if (!sources.ok()) return Finish(sources.status());
  sources_ = *std::move(sources);
  splits_.resize(sources_.size());
  ReadNextSplit();
}

void SessionOpener::ReadNextSplit() {
  while (reading_ < sources_.size() && sources_[reading_].split.empty()) {
    ++reading_;
  }
  if (reading_ < sources_.size()) return AskForPage();
  Finish(absl::OkStatus());
}

void SessionOpener::OnServerDown(ServerLink&, std::vector<OpenGrant>) {
  if (!opened_) return;
  if (!sources_.empty()) AskForPage();
  absl::Status why = fleet_->RefusedByAll();
  if (why.ok()) why = fleet_->DeniedByAll();
  if (!why.ok()) Finish(std::move(why));
}

void SessionOpener::AskForPage() {
  ServerLink* link = fleet_->AnyUp();
  if (asking_ || link == nullptr || link->control() == nullptr) return;
  asking_ = true;
  const InputSource& source = sources_[reading_];
  link->control()->GetInputIds(
      {.node_type = source.node_type,
       .edge_type = source.edge_type,
       .split = source.split,
       .offset = splits_[reading_].size(),
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
    last_error_ = std::move(status);
    return AskLater();
  }
  if (splits_[reading_].size() < *total_) return AskForPage();
  total_.reset();
  ++reading_;
  ReadNextSplit();
}

absl::Status SessionOpener::TakePage(InputPage page) {
  const std::string& split = sources_[reading_].split;
  std::vector<int64_t>& ids = splits_[reading_];
  if (!total_.has_value()) total_ = page.total;
  if (page.total != *total_ || ids.size() + page.ids.size() > *total_) {
    return absl::DataLossError(absl::StrCat(
        "split ", split, " has ", *total_, " ids, a page at ", ids.size(),
        " brought ", page.ids.size(), " of ", page.total));
  }
  if (page.total == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("split ", split, " is empty"));
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

void SessionOpener::Finish(absl::Status status) {
  strand_->CancelTimer(deadline_);
  wait_.End();
  Opened opened = std::exchange(opened_, nullptr);
  if (!status.ok()) return opened(std::move(status));
  auto graph = std::make_shared<const AcceptedGraph>(*std::move(graph_));
  graph_ = *graph;  // servers may still be described to this
  absl::StatusOr<LoaderSession> session =
      MakeSession(options_, graph, std::move(splits_));
  if (!session.ok()) return opened(session.status());
  opened(OpenedSession{graph->schema, *std::move(session)});
}

}  // namespace tributary
