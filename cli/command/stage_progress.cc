#include "cli/command/stage_progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tributary {

StageProgress::StageProgress(std::string program, std::string stage)
    : StageProgress(std::move(program), std::move(stage),
                    isatty(STDERR_FILENO) != 0 ? absl::Milliseconds(200)
                                               : absl::Seconds(10),
                    isatty(STDERR_FILENO) != 0) {}

StageProgress::StageProgress(std::string program, std::string stage,
                             absl::Duration period, bool is_terminal)
    : program_(std::move(program)),
      period_(period),
      is_terminal_(is_terminal),
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
    done_ = total_ = 0;
    complete_shown_ = false;
  }
  changed_.NotifyAll();
}

void StageProgress::Report(std::string_view stage, int64_t done,
                           int64_t total) {
  MutexLock lock(mutex_);
  if (stage_ != stage) {
    stage_ = std::string(stage);
    began_ = absl::Now();
    done_ = 0;
    complete_shown_ = false;
  }
  // Threads may report in another order than they have counted.
  done_ = std::max(done_, done);
  total_ = total;
  // However short the stage was.
  if (!is_terminal_ || complete_shown_ || total <= 0 || done_ < total) return;
  complete_shown_ = true;
  Show();
}

void StageProgress::Note(std::string_view note) {
  MutexLock lock(mutex_);
  Clear();
  std::fprintf(stderr, "%s: note: %.*s\n", program_.c_str(),
               static_cast<int>(note.size()), note.data());
}

void StageProgress::Show() {
  std::fprintf(stderr, "\r\033[K%s", Text().c_str());
  std::fflush(stderr);
  shown_ = true;
}

void StageProgress::Clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

std::string StageProgress::Text() const {
  constexpr int64_t kWidth = 24;
  const double seconds = absl::ToDoubleSeconds(absl::Now() - began_);
  std::string text = absl::StrCat(program_, ": ", stage_);
  if (total_ <= 0) return absl::StrFormat("%s, %.0f s", text, seconds);
  const double share =
      std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  absl::StrAppendFormat(&text, " %.0f %%", 100 * share);
  if (!is_terminal_) return absl::StrFormat("%s, %.0f s", text, seconds);
  const auto filled = static_cast<size_t>(share * kWidth);
  absl::StrAppend(&text, " [", std::string(filled, '='),
                  std::string(kWidth - filled, ' '), "]");
  absl::StrAppendFormat(&text, " %.0f s", seconds);
  if (share > 0.01 && share < 1) {
    absl::StrAppendFormat(&text, ", %.0f s left",
                          seconds * (1 - share) / share);
  }
  return text;
}

void StageProgress::Run() {
  MutexLock lock(mutex_);
  while (!stop_) {
    const auto next =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(period_);
    if (changed_.WaitUntil(mutex_, next) || stop_) continue;
    if (is_terminal_) {
      Show();
    } else {
      std::fprintf(stderr, "%s\n", Text().c_str());
      std::fflush(stderr);
    }
  }
  Clear();
}

}  // namespace tributary
