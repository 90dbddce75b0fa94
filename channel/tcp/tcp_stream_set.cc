#include "channel/tcp/tcp_stream_set.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMostLoops = 4;

size_t NumLoops() {
  return std::clamp<size_t>(std::thread::hardware_concurrency() / 2, 1,
                            kMostLoops);
}

}  // namespace

TcpStreamSet::TcpStreamSet(absl::Duration interval, Late late)
    : interval_(interval), late_(std::move(late)) {}

absl::StatusOr<std::unique_ptr<TcpStreamSet>> TcpStreamSet::Start(
    const std::string& name, absl::Duration interval, Late late) {
  std::unique_ptr<TcpStreamSet> set(
      new TcpStreamSet(interval, std::move(late)));
  for (size_t i = 0; i < NumLoops(); ++i) {
    ASSIGN_OR_RETURN(auto loop, SocketLoop::Start(absl::StrCat(name, "-", i)));
    set->loops_.push_back(std::move(loop));
  }
  set->loops_[0]->PostAfter(interval, [raw = set.get()] { raw->Tick(); });
  return set;
}

TcpStreamSet::~TcpStreamSet() = default;

SocketLoop* TcpStreamSet::NextLoop() {
  return loops_[next_++ % loops_.size()].get();
}

void TcpStreamSet::Tick() {
  const absl::Time now = SteadyClock().Now();
  for (const auto& stream : streams_.streams()) {
    if (!stream->Tick(now) && late_) late_(*stream);
  }
  loops_[0]->PostAfter(interval_, [this] { Tick(); });
}

void TcpStreamSet::End(const absl::Status& why, bool after_queue,
                       absl::Duration grace) {
  streams_.CloseAll(why, after_queue);
  if (streams_.WaitUntilEmpty(grace)) return;
  for (const auto& stream : streams_.streams()) stream->Break(why);
  streams_.WaitUntilEmpty();
}

}  // namespace tributary
