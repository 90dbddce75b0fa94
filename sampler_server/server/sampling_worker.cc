#include "sampler_server/server/sampling_worker.h"

#include <utility>

#include "channel/shm/shm_server.h"
#include "common/text/status.h"

namespace tributary {
namespace {

class SamplingWorkerImpl final : public SamplingWorker {
 public:
  explicit SamplingWorkerImpl(std::unique_ptr<LocalService> local)
      : local_(std::move(local)) {}

  // While the sockets still take messages.
  ~SamplingWorkerImpl() override { local_->CancelAll(); }

  absl::Status Listen(UniqueFd door, std::string name,
                      std::function<void()> trainer_gone) {
    ShmServerOptions options;
    options.name = std::move(name);
    options.trainer_gone = std::move(trainer_gone);
    ASSIGN_OR_RETURN(server_, ShmServer::Start(local_->service().get(),
                                               std::move(door), options));
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<LocalService> local_;
  std::unique_ptr<ShmServer> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SamplingWorker>> SamplingWorker::Start(
    SamplingWorkerOptions options, UniqueFd door,
    std::function<void()> trainer_gone) {
  options.service.protocol_thread = true;
  ASSIGN_OR_RETURN(auto local, LocalService::Start(options.service));
  auto worker = std::make_unique<SamplingWorkerImpl>(std::move(local));
  RETURN_IF_ERROR(worker->Listen(std::move(door), std::move(options.name),
                                 std::move(trainer_gone)));
  return worker;
}

}  // namespace tributary
