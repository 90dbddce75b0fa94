#include "sampler_server/service/data_stream.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "channel/call_server.h"
#include "sampler_server/service/reads/graph_read_stream.h"

namespace tributary {

std::shared_ptr<StreamHandler> ServeDataCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              std::string peer) {
  auto serve = [core = std::move(core)](IncomingCall call,
                                        CallResponder respond) {
    if (!IsGraphRead(call.kind)) {
      return respond(absl::UnimplementedError(absl::StrCat(
          MessageKindName(call.kind), " is no call of a data stream")));
    }
    auto request =
        core->leaf_budget->TryReserve(call.header.size() + call.payload.size());
    if (!request.ok()) return respond(request.status());
    core->leaf_executor->Post([core, call = std::move(call),
                               request = *std::move(request),
                               arrived = core->leaf_executor->Now(),
                               respond = std::move(respond)]() mutable {
      Executor* const executor = core->leaf_executor;
      auto budget = core->leaf_budget;
      ServeGraphRead(std::move(core), executor, std::move(budget),
                     std::move(call), std::move(request), arrived,
                     std::move(respond));
    });
  };
  return ServeCalls(std::move(stream), std::move(peer), std::move(serve));
}

}  // namespace tributary
