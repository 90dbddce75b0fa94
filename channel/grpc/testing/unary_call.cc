#include "channel/grpc/testing/unary_call.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <vector>

#include "common/runtime/mutex.h"

namespace tributary {

grpc::Status CallUnary(const Address& server, const std::string& method,
                       const std::string& request, std::string* response,
                       std::shared_ptr<grpc::ChannelCredentials> credentials) {
  auto channel = grpc::CreateChannel(server.ToString(), credentials);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(10));
  const grpc::Slice slice(request);
  const grpc::ByteBuffer in(&slice, 1);
  grpc::ByteBuffer out;
  grpc::Status status;
  bool done = false;
  Mutex mutex;
  CondVar changed;
  grpc::GenericStub(channel).UnaryCall(&context, method, {}, &in, &out,
                                       [&](grpc::Status s) {
                                         MutexLock lock(mutex);
                                         status = s;
                                         done = true;
                                         changed.NotifyAll();
                                       });
  MutexLock lock(mutex);
  while (!done) changed.Wait(mutex);
  std::vector<grpc::Slice> slices;
  if (status.ok()) (void)out.Dump(&slices);
  for (const auto& s : slices) response->append(s.begin(), s.end());
  return status;
}

}  // namespace tributary
