#include "sampler_server/kinds/link/strict_negatives.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/status.h"
#include "sampler_server/engine/have_edges.h"
#include "sampler_server/engine/resolve_ids.h"
#include "sampler_server/kinds/link/link.pb.h"

namespace tributary {
namespace {

constexpr uint32_t kCandidates = 64;
// Candidates of a round, for each negative that was asked for.
constexpr uint64_t kMostPerNegative = 4;

}  // namespace

StrictNegatives::StrictNegatives(StepContext context, const NegativeDraw& draw,
                                 absl::Span<const uint64_t> link_sources)
    : context_(std::move(context)),
      plan_(LinkPlan::Of(*context_.plan)),
      draw_(draw),
      link_sources_(link_sources) {}

void StrictNegatives::Start(uint64_t from, uint64_t to, Done done) {
  done_ = std::move(done);
  from_ = from;
  pending_.resize(to - from);
  std::iota(pending_.begin(), pending_.end(), from);
  found_.destinations.resize(to - from);
  if (plan_.mode == NegativeMode::kBinary) found_.sources.resize(to - from);
  BeginRound();
}

void StrictNegatives::BeginRound() {
  if (!context_.control->Live()) return;
  context_.control->SetStage(BatchStage::kSampling);
  if (first_try_ > 0) {
    const uint64_t most = kMostPerNegative * found_.destinations.size();
    tries_ = static_cast<uint32_t>(std::clamp<uint64_t>(
        most / pending_.size(), 1, kCandidates - first_try_));
  }
  const absl::Status status = DrawCandidates();
  if (!status.ok()) return Finish(status);
  is_edge_.assign(destinations_.size(), 0);
  const HaveEdges asked{context_.plan->link_type, destinations_, sources_,
                        absl::MakeSpan(is_edge_)};
  AskHaveEdges(
      context_, asked,
      [type = context_.plan->link_type](uint64_t pairs) {
        v1::LinkQuestion question;
        question.set_edge_type(static_cast<uint32_t>(type));
        question.set_pairs(pairs);
        return question.SerializeAsString();
      },
      [self = shared_from_this()](absl::Status answered) {
        self->OnAnswered(std::move(answered));
      });
}

absl::Status StrictNegatives::DrawCandidates() {
  const bool both = plan_.mode == NegativeMode::kBinary;
  std::vector<int64_t> sources, destinations;
  sources_.clear();
  for (const uint64_t negative : pending_) {
    for (uint32_t k = 0; k < tries_; ++k) {
      const NegativeDraw::Ends ends =
          draw_.Draw(first_try_ + k, static_cast<uint32_t>(negative));
      destinations.push_back(ends.destination);
      if (both) {
        sources.push_back(ends.source);
      } else {
        sources_.push_back(
            link_sources_[plan_.LinkOf(negative, link_sources_.size())]);
      }
    }
  }
  if (both) {
    ASSIGN_OR_RETURN(sources_,
                     ResolveIds(*context_.graph, plan_.src_type, sources));
  }
  ASSIGN_OR_RETURN(destinations_,
                   ResolveIds(*context_.graph, plan_.dst_type, destinations));
  return absl::OkStatus();
}

void StrictNegatives::OnAnswered(absl::Status status) {
  if (!context_.control->Live()) return;
  if (status.ok()) status = Settle();
  if (!status.ok() || pending_.empty()) return Finish(std::move(status));
  // A round of its own: many of them must not hold the thread.
  context_.strand->Post([self = shared_from_this()] { self->BeginRound(); });
}

absl::Status StrictNegatives::Settle() {
  first_try_ += tries_;
  size_t left = 0;
  for (size_t i = 0; i < pending_.size(); ++i) {
    const auto begin = is_edge_.begin() + static_cast<ptrdiff_t>(i * tries_);
    const auto end = begin + tries_;
    const auto valid = std::find(begin, end, uint8_t{0});
    if (valid != end) {
      Take(pending_[i], static_cast<size_t>(valid - is_edge_.begin()));
    } else if (first_try_ < kCandidates) {
      pending_[left++] = pending_[i];
    } else if (plan_.accept_exhausted) {
      Take(pending_[i], (i + 1) * tries_ - 1);
      ++found_.exhausted;
    } else {
      return absl::FailedPreconditionError(absl::StrCat(
          "negative ", pending_[i], " of ", plan_.edge_type, ": each of its ",
          kCandidates,
          " candidates is an edge; allowed: on_exhausted accept, or negatives "
          "that are not strict"));
    }
  }
  pending_.resize(left);
  return absl::OkStatus();
}

void StrictNegatives::Take(uint64_t negative, size_t candidate) {
  found_.destinations[negative - from_] = destinations_[candidate];
  if (plan_.mode != NegativeMode::kBinary) return;
  found_.sources[negative - from_] = sources_[candidate];
}

void StrictNegatives::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done == nullptr) return;
  if (!status.ok()) return done(std::move(status));
  done(std::move(found_));
}

absl::Status StrictNegatives::Answer(const Graph& graph, uint32_t partition,
                                     absl::string_view question,
                                     absl::Span<const uint8_t> payload,
                                     absl::Span<uint8_t> answer) {
  v1::LinkQuestion asked;
  const GraphSchema& schema = graph.schema();
  if (!asked.ParseFromArray(question.data(),
                            static_cast<int>(question.size())) ||
      asked.edge_type() >= schema.edge_types.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a link question of ", question.size(), " bytes, of edge type ",
        asked.edge_type(), " of ", schema.edge_types.size()));
  }
  const auto edge_type = static_cast<int>(asked.edge_type());
  const EdgePartition* edges = graph.edges(edge_type, partition);
  if (edges == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("partition ", partition, " is not on this server"));
  }
  const EdgeTypeSchema& type = schema.edge_types[edge_type];
  return AnswerHaveEdges(asked.pairs(), *edges,
                         schema.node_types[type.src_type].base, payload,
                         answer);
}

}  // namespace tributary
