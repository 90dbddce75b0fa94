// Decides what is wrong with a server.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_TROUBLE_CHECKS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_TROUBLE_CHECKS_H_

#include <vector>

#include "common/proto/status.pb.h"
#include "sampler_server/service/status/status_input.h"

namespace tributary {

// Return the troubles of a server, at most one of each code of
// common/status/trouble_advice.h: all of them, and those that the input's jobs
// alone may cause or suffer, which name no other caller.
std::vector<v1::Trouble> FindTroubles(const StatusInput& input);
std::vector<v1::Trouble> FindTrainersTroubles(const StatusInput& input);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_TROUBLE_CHECKS_H_
