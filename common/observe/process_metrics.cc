#include "common/observe/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <system_error>

namespace tributary {
namespace {

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

// Returns when the machine started, in seconds since 1970.
std::optional<double> BootTime() {
  std::ifstream stat("/proc/stat");
  for (std::string word; stat >> word;) {
    double seconds = 0;
    if (word == "btime" && stat >> seconds) return seconds;
    stat.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

// Returns when this process started, in seconds since 1970: field 22 of
// /proc/self/stat, in clock ticks since the start of the machine.
std::optional<double> StartTime() {
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  // Field 2 is the name in parentheses and may have spaces.
  const size_t end = line.rfind(')');
  const std::optional<double> boot = BootTime();
  if (end == std::string::npos || !boot) return std::nullopt;
  std::istringstream fields(line.substr(end + 1));
  std::string field;
  for (int number = 3; number < 22; ++number) fields >> field;
  double ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  return *boot + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

ProcessMetrics::ProcessMetrics(Metrics* metrics, const std::string& version)
    : metrics_(metrics) {
  metrics_
      ->AddGauge("tributary_build_info", "1; its label tells the version",
                 {{"version", version}})
      .Set(1);
  const std::optional<double> started = StartTime();
  if (!started) return;
  metrics_
      ->AddGauge("process_start_time_seconds",
                 "When the process started, in seconds since 1970")
      .Set(*started);
}

void ProcessMetrics::Update() {
  UpdateCpu();
  UpdateMemory();
  UpdateDescriptors();
}

void ProcessMetrics::UpdateCpu() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return;
  const double total = SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
  Counter counter = metrics_->AddCounter(
      "process_cpu_seconds_total", "CPU time of the process, user and system");
  MutexLock lock(mutex_);
  if (total <= cpu_seconds_) return;  // a later call came first
  counter.Add(total - cpu_seconds_);
  cpu_seconds_ = total;
}

void ProcessMetrics::UpdateMemory() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;  // pages
  if (!(statm >> size >> resident)) return;
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  metrics_
      ->AddGauge("process_virtual_memory_bytes",
                 "Address space of the process, mapped files included")
      .Set(size * page);
  metrics_
      ->AddGauge("process_resident_memory_bytes",
                 "Memory of the process, resident pages of mapped files "
                 "included")
      .Set(resident * page);
}

void ProcessMetrics::UpdateDescriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator open("/proc/self/fd", error);
  if (!error) {
    // One of them is the iterator's own.
    const auto count = std::distance(begin(open), end(open)) - 1;
    metrics_->AddGauge("process_open_fds", "Open file descriptors")
        .Set(static_cast<double>(count));
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  metrics_->AddGauge("process_max_fds", "Limit of open file descriptors")
      .Set(static_cast<double>(limit.rlim_cur));
}

}  // namespace tributary
