#include "sampler_server/testing/caller_world.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_client.h"
#include "sampler_server/testing/called_by.h"

namespace tributary {
CallerWorld::CallerWorld(SamplerServiceOptions options)
    : executor_(world_.AddNode("server")), transport_(executor_) {
  SamplerServiceEnvironment environment;
  environment.executor = environment.leaf_executor = executor_;
  environment.metrics = &metrics_;
  environment.all_clients_gone = [this] { ++all_gone_; };
  service_ = std::make_unique<SamplerService>(options, environment);
}

// Streams that are still open close before the service goes.
CallerWorld::~CallerWorld() {
  service_.reset();
  world_.RunUntil([] { return false; }, absl::Seconds(1));
}

Address CallerWorld::AddressFor(CallerPtr caller, bool reads) {
  Address address{absl::StrCat("server-of-caller", callers_++), 1};
  transport_.Listen(address, std::make_shared<CalledBy>(
                                 service_.get(), std::move(caller), reads));
  return address;
}

std::shared_ptr<ScriptedTrainer> CallerWorld::Trainer(CallerPtr caller,
                                                      bool reads) {
  return ScriptedTrainer::Connect(&transport_,
                                  AddressFor(std::move(caller), reads));
}

absl::StatusOr<std::string> CallerWorld::Ask(CallerPtr caller,
                                             StreamMethod method,
                                             MessageKind kind,
                                             std::string header) {
  CallClient calls(&transport_, AddressFor(std::move(caller)), method,
                   executor_);
  absl::StatusOr<std::string> answer = absl::UnknownError("no answer came");
  bool done = false;
  calls.Call({kind, std::move(header)}, executor_->Now() + absl::Seconds(10),
             size_t{4} << 20, [&](absl::StatusOr<CallReply> reply) {
               done = true;
               if (reply.ok()) {
                 answer = std::move(reply->header);
               } else {
                 answer = reply.status();
               }
             });
  Until([&] { return done; });
  return answer;
}

bool CallerWorld::Until(const std::function<bool()>& done) {
  return world_.RunUntil(done, absl::Seconds(30));
}

void CallerWorld::RunFor(absl::Duration time) {
  bool over = false;
  world_.Schedule(-1, world_.now() + time, [&over] { over = true; });
  world_.RunUntil([&over] { return over; }, time + absl::Seconds(1));
}

}  // namespace tributary
