#include "trainer_client/core/session/session_opener.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/edge_type_pattern.h"

namespace tributary {
namespace {

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
  timeout_ = timeout;
  deadline_ = strand_->PostAfter(timeout, [weak = weak_from_this(), timeout] {
    auto self = weak.lock();
    if (self != nullptr && self->opened_) self->Finish(self->Late(timeout));
  });
  graph_opener_ = std::make_shared<GraphOpener>(fleet_, strand_);
  graph_opener_->Open(timeout, [weak = weak_from_this()](
                                   absl::StatusOr<GraphOpener::Graph> graph) {
    if (auto self = weak.lock()) self->OnGraph(std::move(graph));
  });
  if (wait_.enabled()) ReportWait(strand_->Now(), timeout);
}

absl::Status SessionOpener::Late(absl::Duration timeout) const {
  const absl::Status& trouble =
      reader_ != nullptr ? reader_->trouble() : graph_opener_->trouble();
  const std::string within =
      absl::StrCat("within rpc_timeout = ", absl::FormatDuration(timeout),
                   "; servers: ", fleet_->ToString());
  if (reader_ != nullptr && reader_->refused()) {
    return absl::Status(
        trouble.code(),
        absl::StrCat(trouble.message(), "; no other server could be asked ",
                     within));
  }
  return absl::UnavailableError(absl::StrCat(
      "no server answered ", within,
      trouble.ok() ? ""
                   : absl::StrCat("; last trouble: ", trouble.ToString())));
}

void SessionOpener::ReportWait(absl::Time since, absl::Duration timeout) {
  if (!opened_) return;
  wait_.Update(strand_->Now() - since, timeout,
               [this] { return fleet_->Missing(/*num_partitions=*/0); });
  strand_->PostAfter(kReportEvery, [weak = weak_from_this(), since, timeout] {
    if (auto self = weak.lock()) self->ReportWait(since, timeout);
  });
}

void SessionOpener::OnGraph(absl::StatusOr<GraphOpener::Graph> graph) {
  if (!opened_) return;
  if (!graph.ok()) return Finish(graph.status());
  graph_ = *std::move(graph);
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
  if (reading_ == sources_.size()) return Finish(absl::OkStatus());
  auto pages = SplitPages::Start(graph_->schema, sources_[reading_]);
  if (!pages.ok()) return Finish(pages.status());
  reader_ = std::make_shared<SplitReader>(
      fleet_, strand_, graph_->schema.content_digest, sources_[reading_],
      *std::move(pages));
  // This object's own deadline comes first.
  reader_->Read(timeout_, [weak = weak_from_this()](
                              absl::StatusOr<std::vector<int64_t>> values) {
    if (auto self = weak.lock()) self->OnSplit(std::move(values));
  });
}

void SessionOpener::OnSplit(absl::StatusOr<std::vector<int64_t>> values) {
  if (!opened_) return;
  if (!values.ok()) return Finish(values.status());
  splits_[reading_++] = *std::move(values);
  ReadNextSplit();
}

void SessionOpener::Finish(absl::Status status) {
  strand_->CancelTimer(deadline_);
  wait_.End();
  Opened opened = std::exchange(opened_, nullptr);
  if (!status.ok()) return opened(std::move(status));
  absl::StatusOr<LoaderSession> session =
      MakeSession(options_, graph_, std::move(splits_));
  if (!session.ok()) return opened(session.status());
  opened(OpenedSession{graph_->schema, *std::move(session)});
}

}  // namespace tributary
