#include "cli/launch/owners_query.h"

#include <utility>

#include "cli/fleet/fleet_query.h"
#include "cli/fleet/missing_owners.h"
#include "common/fleet/graph_name.h"

namespace tributary {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(3);

std::string Answer(const FleetAccess& access) {
  const auto answers = AskServers(access, GraphName(), kTimeout);
  if (!answers.ok()) return std::string(answers.status().message());
  return MissingOwners(*answers);
}

}  // namespace

OwnersQuery::OwnersQuery(FleetAccess access)
    : access_(std::move(access)), thread_([this] { Run(); }) {}

OwnersQuery::~OwnersQuery() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void OwnersQuery::Ask() {
  MutexLock lock(mutex_);
  asked_ = true;
  answer_.reset();
  changed_.NotifyAll();
}

std::optional<std::string> OwnersQuery::TakeAnswer() {
  MutexLock lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

void OwnersQuery::Run() {
  for (;;) {
    {
      MutexLock lock(mutex_);
      while (!asked_ && !stop_) changed_.Wait(mutex_);
      if (stop_) return;
      asked_ = false;
    }
    std::string answer = Answer(access_);
    MutexLock lock(mutex_);
    answer_ = std::move(answer);
  }
}

}  // namespace tributary
