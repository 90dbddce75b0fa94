#include "trainer_client/modes/worker_watch.h"

#include <utility>

namespace tributary {

WorkerWatch::WorkerWatch(WorkerWatchOptions options)
    : options_(std::move(options)), watched_(options_.workers.size()) {}

void WorkerWatch::Start() {
  for (size_t i = 0; i < watched_.size(); ++i) Ask(i);
}

void WorkerWatch::AskLater(size_t worker, absl::Duration delay) {
  options_.strand->PostAfter(delay, [weak = weak_from_this(), worker] {
    if (auto self = weak.lock()) self->Ask(worker);
  });
}

void WorkerWatch::Ask(size_t worker) {
  Watched& watched = watched_[worker];
  const Address& address = options_.workers[worker];
  if (!options_.serves(address)) {
    watched = Watched();
    return AskLater(worker, options_.period);
  }
  if (watched.calls == nullptr) {
    watched.calls = std::make_unique<ControlCalls>(options_.transport, address,
                                                   options_.strand);
  }
  watched.calls->Describe({.text = false}, options_.timeout,
                          [weak = weak_from_this(), worker](
                              const absl::StatusOr<ServerDescription>& answer) {
                            if (auto self = weak.lock())
                              self->OnAnswer(worker, answer.status());
                          });
}

// The next call after a missed one follows at once, over the same stream.
void WorkerWatch::OnAnswer(size_t worker, const absl::Status& answer) {
  Watched& watched = watched_[worker];
  if (!absl::IsDeadlineExceeded(answer)) {
    watched.missed = 0;
    if (!answer.ok()) watched.calls = nullptr;
    return AskLater(worker, options_.period);
  }
  if (++watched.missed < options_.misses) return Ask(worker);
  watched = Watched();
  options_.on_hung(options_.workers[worker]);
  AskLater(worker, options_.period);
}

}  // namespace tributary
