#include "sampler_server/kinds/link/negative_search.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/text/status.h"
#include "sampler_server/engine/ids/resolve_ids.h"
#include "sampler_server/engine/questions/have_edges.h"
#include "sampler_server/engine/steps/node_column_step.h"

namespace tributary {
namespace {

constexpr uint32_t kCandidates = 64;
// Most candidates of a round, for each negative of the search.
constexpr uint64_t kMostPerNegative = 4;

}  // namespace

NegativeSearch::NegativeSearch(StepContext context, const NegativeDraw& draw,
                               const LinkPart& part)
    : context_(std::move(context)),
      plan_(LinkPlan::Of(*context_.plan)),
      draw_(draw),
      part_(part),
      type_(*part.type) {}

void NegativeSearch::Start(uint64_t from, uint64_t to, Done done) {
  done_ = std::move(done);
  from_ = from;
  pending_.resize(to - from);
  std::iota(pending_.begin(), pending_.end(), from);
  found_.destinations.resize(to - from);
  if (plan_.mode == NegativeMode::kBinary) found_.sources.resize(to - from);
  BeginRound();
}

void NegativeSearch::BeginRound() {
  context_.control->SetStage(BatchStage::kSampling);
  if (first_try_ > 0) {
    const uint64_t most = kMostPerNegative * found_.destinations.size();
    tries_ = static_cast<uint32_t>(std::clamp<uint64_t>(
        most / pending_.size(), 1, kCandidates - first_try_));
  }
  const absl::Status status = DrawCandidates();
  if (!context_.control->ContinueOrEnd()) return;
  if (!status.ok()) return Finish(status);
  is_late_.assign(destinations_.size(), 0);
  is_edge_.assign(destinations_.size(), 0);
  AskSourceTimes();
}

absl::Status NegativeSearch::DrawCandidates() {
  const bool both = plan_.mode == NegativeMode::kBinary;
  std::vector<int64_t> sources, destinations;
  sources_.clear();
  for (const uint64_t negative : pending_) {
    for (uint32_t k = 0; k < tries_; ++k) {
      if (ShouldStop(context_.stop, draw_.work())) return context_.stop->why();
      const NegativeDraw::Ends ends =
          draw_.Draw(first_try_ + k, static_cast<uint32_t>(negative));
      destinations.push_back(ends.destination);
      if (both) {
        sources.push_back(ends.source);
      } else {
        sources_.push_back(part_.sources[LinkOf(negative)]);
      }
    }
  }
  if (both) {
    ASSIGN_OR_RETURN(sources_, ResolveIds(*context_.graph, type_.src_type,
                                          sources, context_.stop));
  }
  ASSIGN_OR_RETURN(destinations_, ResolveIds(*context_.graph, type_.dst_type,
                                             destinations, context_.stop));
  return absl::OkStatus();
}

// ---- what is asked ----------------------------------------------------------

void NegativeSearch::AskSourceTimes() {
  if (!type_.source_in_time) return AskDestinationTimes();
  AskTimes(type_.src_type, sources_, &NegativeSearch::AskDestinationTimes);
}

void NegativeSearch::AskDestinationTimes() {
  if (!type_.destination_in_time) return AskEdges();
  AskTimes(type_.dst_type, destinations_, &NegativeSearch::AskEdges);
}

void NegativeSearch::AskTimes(int node_type, absl::Span<const uint64_t> ends,
                              Step next) {
  times_.assign(ends.size(), 0);
  std::make_shared<NodeColumnStep>(context_, node_type, NodeColumn::kTime)
      ->Start(ends, absl::MakeSpan(times_),
              [self = shared_from_this(), next](absl::Status status) {
                if (!self->context_.control->ContinueOrEnd()) return;
                if (status.ok()) self->DropLate();
                self->ContinueWith(std::move(status), next);
              });
}

// Marks candidates with an end that does not exist yet at their link's time.
void NegativeSearch::DropLate() {
  const bool strict = context_.plan->strict;
  const absl::Span<const int64_t> tree_time =
      part_.Of(context_.state->tree_time);
  for (size_t i = 0; i < times_.size(); ++i) {
    const int64_t bound = tree_time[LinkOf(pending_[i / tries_])];
    if (strict ? times_[i] >= bound : times_[i] > bound) is_late_[i] = 1;
  }
}

void NegativeSearch::AskEdges() {
  if (!plan_.strict) return EndRound();
  const HaveEdges asked{type_.edge_type, destinations_, sources_,
                        absl::MakeSpan(is_edge_)};
  AskHaveEdges(
      context_, asked, [self = shared_from_this()](absl::Status status) {
        if (!self->context_.control->ContinueOrEnd()) return;
        self->ContinueWith(std::move(status), &NegativeSearch::EndRound);
      });
}

// Goes on in a turn of its own: many steps must not hold the thread, and the
// call before has freed its memory by then.
void NegativeSearch::ContinueWith(absl::Status status, Step next) {
  if (!status.ok()) return Finish(std::move(status));
  context_.strand->Post([self = shared_from_this(), next] {
    if (self->context_.control->ContinueOrEnd()) (self.get()->*next)();
  });
}

// ---- what is taken ----------------------------------------------------------

void NegativeSearch::EndRound() {
  absl::Status status = TakeValid();
  if (!status.ok() || pending_.empty()) return Finish(std::move(status));
  BeginRound();
}

absl::Status NegativeSearch::TakeValid() {
  first_try_ += tries_;
  size_t left = 0;
  for (size_t i = 0; i < pending_.size(); ++i) {
    const size_t begin = i * tries_, end = begin + tries_;
    size_t at = begin;
    while (at < end && (is_late_[at] != 0 || is_edge_[at] != 0)) ++at;
    if (at < end) {
      TakeCandidate(pending_[i], at);
    } else if (first_try_ < kCandidates) {
      pending_[left++] = pending_[i];
    } else if (plan_.accept_exhausted) {
      TakeCandidate(pending_[i], end - 1);
      ++found_.exhausted;
    } else {
      return Exhausted(pending_[i]);
    }
  }
  pending_.resize(left);
  return absl::OkStatus();
}

absl::Status NegativeSearch::Exhausted(uint64_t negative) const {
  const bool timed = type_.source_in_time || type_.destination_in_time;
  return absl::FailedPreconditionError(absl::StrCat(
      "negative ", negative, " of ", type_.name, ": each of its ", kCandidates,
      " candidates is ", plan_.strict ? "an edge" : "",
      plan_.strict && timed ? " or " : "",
      timed
          ? absl::StrCat("later than its link's time ",
                         part_.Of(context_.state->tree_time)[LinkOf(negative)])
          : "",
      "; allowed: --on-exhausted accept, or ",
      plan_.strict ? "negatives that are not strict" : "later links"));
}

void NegativeSearch::TakeCandidate(uint64_t negative, size_t candidate) {
  found_.destinations[negative - from_] = destinations_[candidate];
  if (plan_.mode != NegativeMode::kBinary) return;
  found_.sources[negative - from_] = sources_[candidate];
}

void NegativeSearch::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done == nullptr) return;
  if (!status.ok()) return done(std::move(status));
  done(std::move(found_));
}

}  // namespace tributary
