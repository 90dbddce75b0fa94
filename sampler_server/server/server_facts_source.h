// Gathers what a server knows beyond its service, for its status.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_SERVER_FACTS_SOURCE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_SERVER_FACTS_SOURCE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "channel/network.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "sampler_server/access/policy_file.h"
#include "sampler_server/server/graph_host.h"
#include "sampler_server/server/graph_watcher.h"
#include "sampler_server/service/status/status_input.h"

namespace tributary {

// Each part of the server is told of once it is there, and taken back before it
// goes: streams and timers may ask before the first and after the last. So the
// parts need not outlive it. Thread-safe. Create with std::make_shared.
class ServerFactsSource
    : public std::enable_shared_from_this<ServerFactsSource> {
 public:
  static constexpr absl::Duration kReadCertificateEvery = absl::Minutes(1);

  void SetNetwork(const NetworkServer* network) {
    MutexLock lock(mutex_);
    network_ = network;
  }
  void SetGraphs(const GraphHost* graphs) {
    MutexLock lock(mutex_);
    graphs_ = graphs;
  }
  void SetWatcher(const GraphWatcher* watcher) {
    MutexLock lock(mutex_);
    watcher_ = watcher;
  }
  void SetPolicy(std::shared_ptr<const PolicyFile> policy) {
    MutexLock lock(mutex_);
    policy_ = std::move(policy);
  }
  // Reads the certificate in the PEM file now, and again each minute on
  // `executor`. A file that cannot be read keeps what was known of it.
  void FollowCertificate(std::string file, Executor* executor);
  // Takes all of them back.
  void Clear();

  ServerFacts Facts() const;

 private:
  mutable Mutex mutex_;
  const NetworkServer* network_ ABSL_GUARDED_BY(mutex_) = nullptr;
  const GraphHost* graphs_ ABSL_GUARDED_BY(mutex_) = nullptr;
  const GraphWatcher* watcher_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::shared_ptr<const PolicyFile> policy_ ABSL_GUARDED_BY(mutex_);
  absl::Time certificate_ends_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_SERVER_FACTS_SOURCE_H_
