// Gives all streams to a service one caller.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_CALLED_BY_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_CALLED_BY_H_

#include <memory>
#include <utility>

#include "channel/transport.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/untaken_stream.h"

namespace tributary {

// Stands before a service, as certificates would, whatever the transport says.
class CalledBy final : public StreamAcceptor {
 public:
  // `service` outlives it. With `reads` false the caller takes nothing of what
  // the service sends, but the end of the stream.
  CalledBy(SamplerService* service, CallerPtr caller, bool reads = true)
      : service_(service), caller_(std::move(caller)), reads_(reads) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (!reads_) stream = std::make_shared<UntakenStream>(std::move(stream));
    return service_->Accept(method, caller_, std::move(stream), why);
  }

 private:
  SamplerService* const service_;
  const CallerPtr caller_;
  const bool reads_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_CALLED_BY_H_
