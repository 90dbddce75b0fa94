#include "cli/launch/line_printer.h"

#include <cstdio>
#include <utility>

namespace tributary {
namespace {

constexpr size_t kMaxWaiting = size_t{4} << 20;

}  // namespace

LinePrinter::LinePrinter() : thread_([this] { Run(); }) {}

LinePrinter::~LinePrinter() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void LinePrinter::Print(bool to_stderr, std::string line) {
  MutexLock lock(mutex_);
  bytes_ += line.size();
  lines_.push_back({to_stderr, std::move(line)});
  changed_.NotifyAll();
}

bool LinePrinter::full() {
  MutexLock lock(mutex_);
  return bytes_ >= kMaxWaiting;
}

void LinePrinter::Run() {
  for (;;) {
    Line line;
    {
      MutexLock lock(mutex_);
      while (lines_.empty() && !stop_) changed_.Wait(mutex_);
      if (lines_.empty()) return;
      line = std::move(lines_.front());
      lines_.pop_front();
    }
    std::FILE* const to = line.to_stderr ? stderr : stdout;
    std::fprintf(to, "%s\n", line.text.c_str());
    std::fflush(to);
    MutexLock lock(mutex_);
    bytes_ -= line.text.size();
  }
}

}  // namespace tributary
