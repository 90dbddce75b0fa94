#include "sampler_server/server/graph_watcher.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {

GraphWatcher::GraphWatcher(GraphWatcherOptions options, GraphHost* host,
                           SamplerService* service, const Clock* clock,
                           Metrics* metrics)
    : options_(std::move(options)),
      host_(host),
      service_(service),
      clock_(clock),
      unserved_(metrics->AddGauge(
          "tributary_graphs_unserved",
          "Graphs that are listed and cannot be served, or 1 for a list that "
          "cannot be read")),
      thread_([this] { Run(); }) {}

GraphWatcher::~GraphWatcher() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  host_->CancelOpening();
  stop_changed_.NotifyAll();
  thread_.join();
}

void GraphWatcher::Run() {
  const auto period = absl::ToChronoNanoseconds(options_.period);
  for (;;) {
    {
      const auto next = std::chrono::steady_clock::now() + period;
      MutexLock lock(mutex_);
      while (!stop_ && stop_changed_.WaitUntil(mutex_, next)) {
      }
      if (stop_) return;
    }
    const auto listed = ReadGraphFile(options_.path, options_.partitions);
    if (listed.ok()) {
      Follow(*listed);
    } else {
      LogRepeated(LogLevel::kWarning, "list of graphs", options_.path,
                  absl::StrCat("--graph file:", options_.path, ": ",
                               listed.status().ToString()));
      unserved_.Set(1);
    }
  }
}

void GraphWatcher::Follow(const std::vector<ListedGraph>& listed) {
  std::erase_if(failed_, [&](const auto& failed) {
    return std::none_of(listed.begin(), listed.end(), [&](const auto& source) {
      return source.folder == failed.first;
    });
  });
  const std::vector<ListedGraph> served = host_->served();
  const auto unserved =
      std::count_if(listed.begin(), listed.end(), [&](const auto& source) {
        const bool is_served =
            std::find(served.begin(), served.end(), source) != served.end();
        return !is_served && !Serve(source);
      });
  unserved_.Set(static_cast<double>(unserved));
  if (unserved > 0) return;
  for (const ListedGraph& source : served) {
    if (std::find(listed.begin(), listed.end(), source) != listed.end()) {
      continue;
    }
    host_->Retire(source, clock_->Now() + options_.retire_grace, *service_);
  }
}

bool GraphWatcher::Serve(const ListedGraph& source) {
  const auto failed = failed_.find(source.folder);
  if (failed != failed_.end() && clock_->Now() < failed->second.again) {
    return false;
  }
  auto opened = host_->Open(source);
  const absl::Status served =
      opened.ok() ? host_->Serve(source, *std::move(opened), *service_)
                  : opened.status();
  if (served.ok()) {
    failed_.erase(source.folder);
    LogInfo(absl::StrCat("graph ", source.folder, " is served"));
    return true;
  }
  if (absl::IsCancelled(served)) return false;  // it is the end
  LogRepeated(LogLevel::kWarning, "graph", source.folder,
              absl::StrCat("graph ", source.folder, ": ", served.ToString()));
  const uint64_t seed = std::hash<std::string>()(source.folder);
  Failed& again =
      failed_.try_emplace(source.folder, Failed{Backoff(options_.retry, seed)})
          .first->second;
  again.again = clock_->Now() + again.backoff.Next();
  return false;
}

}  // namespace tributary
