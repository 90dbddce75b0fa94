#include "sampler_server/streams/open_streams.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"

namespace tributary {
namespace {

constexpr const char* kMethodNames[] = {"batches", "leaf", "control", "data"};

}  // namespace

StreamEndMetrics::StreamEndMetrics(Metrics& metrics) {
  const auto counter = [&metrics](const char* stream, const char* reason) {
    return metrics.AddCounter("tributary_streams_closed_total",
                              "Streams that the server closed to protect "
                              "others",
                              {{"stream", stream}, {"reason", reason}});
  };
  for (size_t i = 0; i < std::size(kMethodNames); ++i) {
    held_up[i] = counter(kMethodNames[i], "held_up");
    overflowed[i] = counter(kMethodNames[i], "unread_answers");
  }
  flooded = counter("batches", "unhandled_messages");
}

void OpenStreams::SetUp(Executor* executor, StreamEndMetrics metrics) {
  executor_ = executor;
  metrics_ = metrics;
  Watch(answers_);
}

void OpenStreams::Watch(const std::shared_ptr<SharedBudget>& budget) {
  budget->SetOnRefused(
      [weak = weak_from_this(), budget = std::weak_ptr<SharedBudget>(budget)] {
        const auto self = weak.lock();
        const auto refused = budget.lock();
        if (self != nullptr && refused != nullptr) self->OnRefused(refused);
      });
}

std::shared_ptr<UnreadStream> OpenStreams::Open(
    StreamMethod method, const Caller& caller, std::shared_ptr<Stream> stream,
    std::shared_ptr<BudgetShare> replies) {
  UnreadStream::Options options;
  options.answers = answers_->Open(caller.share_key());
  options.replies = std::move(replies);
  options.clock = executor_ != nullptr ? &executor_->clock() : &SteadyClock();
  options.overflowed = [self = shared_from_this(), method] {
    self->metrics_.overflowed[static_cast<size_t>(method)].Add();
  };
  auto opened =
      std::make_shared<UnreadStream>(std::move(stream), std::move(options));
  MutexLock lock(mutex_);
  if (open_.size() >= sweep_at_) {
    std::erase_if(open_, [](const auto& it) { return it.stream.expired(); });
    sweep_at_ = std::max<size_t>(64, 2 * open_.size());
  }
  open_.push_back({opened, method, caller.share_key()});
  return opened;
}

void OpenStreams::OnRefused(const std::shared_ptr<SharedBudget>& budget) {
  const absl::Time now = executor_->Now();
  {
    MutexLock lock(mutex_);
    const auto [it, first] = looked_.try_emplace(budget.get(), now);
    if (!first && now - it->second < kLookEvery) return;
    it->second = now;
  }
  executor_->Post(
      [self = shared_from_this(), budget] { self->CloseStalled(*budget); });
}

void OpenStreams::CloseStalled(const SharedBudget& budget) {
  std::vector<OpenStream> open;
  {
    MutexLock lock(mutex_);
    open = open_;
  }
  for (const OpenStream& entry : open) {
    const auto stream = entry.stream.lock();
    if (stream == nullptr || stream->HeldOf(budget) == 0) continue;
    const absl::Duration stalled = stream->Stalled();
    if (stalled < kPatience) continue;
    const size_t method = static_cast<size_t>(entry.method);
    metrics_.held_up[method].Add();
    const absl::Status why = absl::ResourceExhaustedError(absl::StrCat(
        "nothing of this stream was taken for ", absl::FormatDuration(stalled),
        " while others are refused for want of the ", budget.name(),
        " that it holds"));
    LogRepeated(LogLevel::kWarning, "held up by", entry.caller,
                absl::StrCat(kMethodNames[method], " stream of ", entry.caller,
                             " closed: ", why.message()));
    stream->Close(why);
  }
}

}  // namespace tributary
