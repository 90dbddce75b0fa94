#include "sampler_server/service/data_stream.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "channel/call_server.h"

namespace tributary {

std::shared_ptr<StreamHandler> ServeDataCalls(std::shared_ptr<ServiceCore>,
                                              std::shared_ptr<Stream> stream,
                                              std::string peer) {
  return ServeCalls(std::move(stream), std::move(peer),
                    [](IncomingCall call, CallResponder respond) {
                      respond(absl::UnimplementedError(
                          absl::StrCat(MessageKindName(call.kind),
                                       " is no call of a data stream")));
                    });
}

}  // namespace tributary
