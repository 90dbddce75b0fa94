#include "cli/command/stage_progress.h"

#include <chrono>
#include <cstdio>
#include <utility>

namespace tributary {

StageProgress::StageProgress(std::string program, std::string stage,
                             absl::Duration period)
    : program_(std::move(program)),
      period_(period),
      stage_(std::move(stage)),
      thread_([this] { Run(); }) {}

StageProgress::~StageProgress() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void StageProgress::Begin(std::string stage) {
  {
    MutexLock lock(mutex_);
    stage_ = std::move(stage);
    began_ = absl::Now();
  }
  changed_.NotifyAll();
}

void StageProgress::Run() {
  MutexLock lock(mutex_);
  while (!stop_) {
    const auto next =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(period_);
    if (changed_.WaitUntil(mutex_, next) || stop_) continue;
    std::fprintf(stderr, "%s: %s, %.0f s\n", program_.c_str(), stage_.c_str(),
                 absl::ToDoubleSeconds(absl::Now() - began_));
  }
}

}  // namespace tributary
