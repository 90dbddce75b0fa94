// Gives all streams to a service one caller.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_CALLED_BY_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_CALLED_BY_H_

#include <memory>
#include <utility>

#include "channel/transport.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

// Stands before a service, as certificates would, whatever the transport says.
class CalledBy final : public StreamAcceptor {
 public:
  // `service` outlives it.
  CalledBy(SamplerService* service, CallerPtr caller)
      : service_(service), caller_(std::move(caller)) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    return service_->Accept(method, caller_, std::move(stream), why);
  }

 private:
  SamplerService* const service_;
  const CallerPtr caller_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_CALLED_BY_H_
