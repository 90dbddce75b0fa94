#include "trainer_client/core/session/split_reader.h"

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

constexpr absl::Duration kPageTimeout = absl::Seconds(10);
constexpr absl::Duration kPause = absl::Milliseconds(100);

// Whether the same server may answer otherwise later. What it says that it does
// not have, or sends wrong, it will not have later.
bool IsPassing(const absl::Status& status) {
  return !IsFinal(status) && !absl::IsFailedPrecondition(status) &&
         !absl::IsOutOfRange(status) && !absl::IsUnimplemented(status);
}

}  // namespace

SplitReader::SplitReader(std::shared_ptr<ServerFleet> fleet,
                         std::shared_ptr<Strand> strand,
                         const Sha256Digest& content, InputSource source,
                         SplitPages pages)
    : fleet_(std::move(fleet)),
      strand_(std::move(strand)),
      content_(content),
      source_(std::move(source)),
      pages_(std::move(pages)) {}

void SplitReader::Read(absl::Duration timeout, Done done) {
  done_ = std::move(done);
  page_timeout_ = std::min(kPageTimeout, timeout / 4);
  deadline_ = strand_->PostAfter(timeout, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr) return;
    self->Finish(self->trouble_.ok() ? absl::UnavailableError("no server is up")
                                     : self->trouble_);
  });
  Ask();
}

ServerLink* SplitReader::Choose() const {
  const std::vector<Address> refused = refusals_.servers();
  const std::vector<ServerLink*> up = fleet_->Up();
  ServerLink* best = nullptr;
  int fewest = 0;
  for (size_t i = 0; i < up.size(); ++i) {
    ServerLink* link = up[(asked_ + i) % up.size()];
    if (link->control() == nullptr ||
        std::count(refused.begin(), refused.end(), link->address()) > 0) {
      continue;
    }
    const auto found = faults_.find(link->address());
    const int faults = found == faults_.end() ? 0 : found->second;
    if (best == nullptr || faults < fewest) {
      best = link;
      fewest = faults;
    }
  }
  return best;
}

void SplitReader::Ask() {
  if (!done_) return;
  if (refusals_.Final(*fleet_)) return Finish(refusals_.Error());
  ServerLink* link = Choose();
  if (link == nullptr) return AskLater();
  ++asked_;
  link->control()->GetInputIds(
      {.node_type = source_.node_type,
       .edge_type = source_.edge_type,
       .split = source_.split,
       .offset = pages_.offset(),
       .content_digest = content_},
      page_timeout_,
      [weak = weak_from_this(),
       server = link->address()](absl::StatusOr<InputPage> page) {
        if (auto self = weak.lock()) self->OnPage(server, std::move(page));
      });
}

void SplitReader::AskLater() {
  strand_->PostAfter(kPause, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Ask();
  });
}

void SplitReader::OnPage(const Address& server,
                         absl::StatusOr<InputPage> page) {
  if (!done_) return;
  const bool sent = page.ok();
  const absl::Status status = sent ? pages_.Add(*page) : page.status();
  if (!status.ok() || pages_.latest_was_short()) ++faults_[server];
  if (status.ok()) {
    refusals_.Clear();
    trouble_ = absl::OkStatus();
    return pages_.complete() ? Finish(pages_.Take()) : Ask();
  }
  if (!sent && IsPassing(status)) {
    if (!refused()) trouble_ = SaidBy(server, status);
    return AskLater();
  }
  refusals_.Add(server, status);
  trouble_ = refusals_.Error();
  Ask();
}

void SplitReader::Finish(absl::StatusOr<std::vector<int64_t>> result) {
  if (!done_) return;
  strand_->CancelTimer(deadline_);
  std::exchange(done_, nullptr)(std::move(result));
}

}  // namespace tributary
