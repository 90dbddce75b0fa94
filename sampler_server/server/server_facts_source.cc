#include "sampler_server/server/server_facts_source.h"

#include <utility>

#include "absl/time/clock.h"
#include "common/identity/certificate.h"
#include "common/io/file_mapping.h"

namespace tributary {
namespace {

constexpr size_t kMaxPemBytes = size_t{1} << 20;

}  // namespace

void ServerFactsSource::FollowCertificate(std::string file,
                                          Executor* executor) {
  if (const auto pem = ReadFile(file, kMaxPemBytes); pem.ok()) {
    if (const auto facts = FactsOfPem(*pem); facts.ok()) {
      MutexLock lock(mutex_);
      certificate_ends_ = facts->not_after;
    }
  }
  executor->PostAfter(kReadCertificateEvery, [weak = weak_from_this(), executor,
                                              file = std::move(file)] {
    if (const auto self = weak.lock()) self->FollowCertificate(file, executor);
  });
}

void ServerFactsSource::Clear() {
  MutexLock lock(mutex_);
  network_ = nullptr;
  graphs_ = nullptr;
  watcher_ = nullptr;
  policy_ = nullptr;
}

ServerFacts ServerFactsSource::Facts() const {
  ServerFacts facts;
  MutexLock lock(mutex_);
  facts.certificate_left = certificate_ends_ - absl::Now();
  if (network_ != nullptr) {
    facts.refused_connections = network_->refused_connections();
    facts.refused_streams = network_->refused_streams();
    facts.streams = network_->num_streams();
    facts.tcp_streams = network_->num_tcp_streams();
  }
  if (graphs_ != nullptr) {
    facts.disk_errors = graphs_->disk_errors();
    facts.silent_peers = graphs_->silent_peers();
  }
  if (watcher_ != nullptr) facts.graphs_unserved = watcher_->unserved();
  facts.policy_broken = policy_ != nullptr && policy_->broken();
  return facts;
}

}  // namespace tributary
