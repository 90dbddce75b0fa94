#include "sampler_server/kinds/link/link_program.h"

#include <utility>

#include "common/text/status.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/kinds/link/negative_step.h"
#include "sampler_server/kinds/neighbor/neighbor_hops.h"

namespace tributary {
namespace {

constexpr uint64_t kLabelledAtOnce = 65536;  // edges that are looked at

}  // namespace

LinkProgram::LinkProgram(StepContext context)
    : context_(std::move(context)), plan_(LinkPlan::Of(*context_.plan)) {}

void LinkProgram::Start(Done done) {
  done_ = std::move(done);
  absl::StatusOr<std::vector<LinkPart>> parts = PartsOf(context_);
  if (!parts.ok()) return End(parts.status());
  parts_ = *std::move(parts);
  tensors_.reserve(parts_.size());
  for (const LinkPart& part : parts_) {
    tensors_.emplace_back(context_, part).Add();
  }
  if (!HasRoom()) return End(Outcome::kTooLarge);
  for (LinkPart& part : parts_) {
    const absl::Status status = ResolveLinks(context_, &part);
    if (!status.ok()) return End(status);
  }
  DrawNegatives();
}

uint64_t LinkProgram::PartsBytes() const {
  uint64_t bytes = 0;
  for (const LinkPart& part : parts_) bytes += part.bytes();
  return bytes;
}

bool LinkProgram::HasRoom() const {
  const StepLimits limits = context_.control->Limits();
  uint64_t bytes = PartsBytes();
  for (const KindTensor& tensor : context_.state->tensors) {
    bytes += static_cast<uint64_t>(NumElements(tensor.shape)) *
             DTypeSize(tensor.dtype);
  }
  return bytes + context_.state->bytes() <= limits.working_bytes;
}

// ---- what hops begin at -----------------------------------------------------

void LinkProgram::DrawNegatives() {
  if (!context_.control->ContinueOrEnd()) return;
  std::make_shared<NegativeStep>(context_, PartsBytes(), &parts_[drawn_])
      ->Start([self = shared_from_this()](absl::Status status) {
        if (!status.ok()) return self->End(std::move(status));
        if (++self->drawn_ == self->parts_.size()) return self->OnDrawn();
        self->context_.strand->Post([self] { self->DrawNegatives(); });
      });
}

void LinkProgram::OnDrawn() {
  if (!Number()) {
    return context_.control->ContinueOrEnd() ? End(Outcome::kTooLarge) : void();
  }
  for (LinkTensors& tensors : tensors_) tensors.Write();
  const absl::Status status = ExcludeLinks(context_, parts_);
  if (!status.ok()) return End(status);
  RunHops();
}

// Returns false if working memory does not suffice.
bool LinkProgram::Number() {
  // Once for all types: Limits() lays out the whole batch.
  const NumberingRoom room{PartsBytes(),
                           context_.control->Limits().working_bytes};
  for (LinkPart& part : parts_) {
    if (!NumberStarts(context_, room, &part)) return false;
  }
  return true;
}

// ---- the end ----------------------------------------------------------------

// Frees the ends' ids and, unless labels need them, their numbers: from here on
// the state has them.
void LinkProgram::RunHops() {
  for (LinkPart& part : parts_) {
    FreeMemory(part.sources);
    FreeMemory(part.destinations);
    if (plan_.enclosing) continue;
    FreeMemory(part.source_numbers);
    FreeMemory(part.destination_numbers);
  }
  std::make_shared<NeighborHops>(context_)->Start(
      [self = shared_from_this()](auto outcome) {
        self->plan_.enclosing ? self->Enclose(std::move(outcome))
                              : self->End(std::move(outcome));
      });
}

// Adds the labels' tensor even if the batch is too large, so that its size is
// right. The links are of one type.
void LinkProgram::Enclose(absl::StatusOr<Outcome> outcome) {
  if (!outcome.ok()) return End(std::move(outcome));
  const LinkPart& part = parts_[0];
  const NodeTypeState& nodes = context_.state->nodes[part.type->src_type];
  context_.state->tensors.push_back(
      {"z" + part.type->src_suffix,
       DType::kInt64,
       {static_cast<int64_t>(nodes.numbering.size() + nodes.unnumbered)},
       {}});
  if (*outcome != Outcome::kSampled) return End(std::move(outcome));
  enclosing_ =
      std::make_unique<Enclosing>(context_.graph->schema(), *context_.plan,
                                  part, context_.state, context_.stop);
  const uint64_t labels = nodes.numbering.size() * sizeof(int64_t);
  if (context_.state->bytes() + labels + enclosing_->bytes() >
      context_.control->Limits().working_bytes) {
    return End(Outcome::kTooLarge);
  }
  enclosing_->DropLinks();
  if (!context_.control->ContinueOrEnd()) return;
  context_.state->tensors.back().bytes.assign(labels, 0);
  LabelSome();
}

void LinkProgram::LabelSome() {
  if (!context_.control->ContinueOrEnd()) return;
  std::vector<uint8_t>& bytes = context_.state->tensors.back().bytes;
  const auto labels = absl::MakeSpan(reinterpret_cast<int64_t*>(bytes.data()),
                                     bytes.size() / sizeof(int64_t));
  if (enclosing_->Label(labels, kLabelledAtOnce)) {
    enclosing_.reset();
    return End(Outcome::kSampled);
  }
  context_.strand->Post([self = shared_from_this()] { self->LabelSome(); });
}

void LinkProgram::End(absl::StatusOr<Outcome> outcome) {
  std::exchange(done_, nullptr)(std::move(outcome));
}

}  // namespace tributary
