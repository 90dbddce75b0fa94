#include "benchmarks/lib/measure/measured_channel.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmarks/lib/measure/batch_filler.h"
#include "benchmarks/lib/measure/rate.h"
#include "benchmarks/lib/measure/sender_process.h"
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/shm/shared_memory.h"
#include "channel/shm/shm_server.h"
#include "channel/shm/shm_transport.h"
#include "common/io/buffer.h"
#include "common/runtime/thread_pool.h"
#include "common/text/status.h"

namespace tributary {
namespace {

const Address kFiller{"filler", 1};  // only a name, for the worker's door

class Channel final : public MeasuredChannel {
 public:
  // The transport ends before the memory that it writes into.
  ~Channel() override { transport_.reset(); }

  absl::Status Start(ChannelKind kind, std::vector<std::string> arguments,
                     size_t bytes) {
    RETURN_IF_ERROR(MakeMemory(kind, bytes));
    Address address = kFiller;
    if (kind == ChannelKind::kGrpc) {
      ASSIGN_OR_RETURN(sender_, SenderProcess::Start(std::move(arguments)));
      address = {"127.0.0.1", sender_->port()};
      transport_ = std::make_unique<GrpcTransport>();
    } else {
      RETURN_IF_ERROR(StartBehindDoor(std::move(arguments)));
    }
    asker_ = std::make_shared<BatchAsker>(memory_, shared_ != nullptr);
    asker_->Start(transport_->Connect(address, StreamMethod::kBatches, asker_));
    return absl::OkStatus();
  }

  absl::StatusOr<ChannelRun> Run(const BatchesAsked& asked) override {
    ASSIGN_OR_RETURN(const double sender_cpu, sender_->CpuSeconds());
    const double cpu = ProcessCpuSeconds();
    auto arrived = asker_->Receive(asked);
    if (!arrived.ok()) return sender_->CauseOf(arrived.status());
    ChannelRun run;
    run.arrived = *std::move(arrived);
    run.cost.seconds = run.arrived.seconds;
    run.cost.receiver_cpu_seconds = ProcessCpuSeconds() - cpu;
    ASSIGN_OR_RETURN(const double sender_cpu_after, sender_->CpuSeconds());
    run.cost.sender_cpu_seconds = sender_cpu_after - sender_cpu;
    return run;
  }

  absl::Span<uint8_t> memory() override { return memory_; }

 private:
  absl::Status MakeMemory(ChannelKind kind, size_t bytes) {
    if (kind == ChannelKind::kSharedMemory) {
      ASSIGN_OR_RETURN(shared_, SharedMemory::Create(bytes));
      memory_ = shared_->bytes();
    } else {
      buffer_ = AlignedBuffer(bytes);
      memory_ = buffer_.span();
    }
    return absl::OkStatus();
  }

  absl::Status StartBehindDoor(std::vector<std::string> arguments) {
    ASSIGN_OR_RETURN(WorkerDoor door, MakeWorkerDoor());
    arguments.push_back(absl::StrCat(door.worker.get()));
    ASSIGN_OR_RETURN(
        sender_, SenderProcess::Start(std::move(arguments), door.worker.get()));
    ASSIGN_OR_RETURN(auto transport, ShmTransport::Create());
    transport->AddWorker(kFiller, std::move(door.trainer));
    if (shared_ != nullptr) transport->AddMemory(shared_);
    transport_ = std::move(transport);
    return absl::OkStatus();
  }

  std::shared_ptr<SharedMemory> shared_;  // kSharedMemory; else null
  AlignedBuffer buffer_;                  // the memory of other kinds
  absl::Span<uint8_t> memory_;
  std::unique_ptr<SenderProcess> sender_;
  std::unique_ptr<Transport> transport_;
  std::shared_ptr<BatchAsker> asker_;
};

}  // namespace

absl::Status ServeFillerAtDoor(UniqueFd door, absl::Span<const uint8_t> from) {
  ThreadPool pool("filler", 1);
  BatchFiller filler(from, &pool);
  ASSIGN_OR_RETURN(const auto server,
                   ShmServer::Start(&filler, std::move(door), {}));
  ServeSenderProcess(0);
  return absl::OkStatus();
}

absl::Status ServeFillerOverGrpc(absl::Span<const uint8_t> from) {
  ThreadPool pool("filler", 1);
  BatchFiller filler(from, &pool);
  ASSIGN_OR_RETURN(const auto server, GrpcServer::Start({}, &filler));
  ServeSenderProcess(server->address().port);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<MeasuredChannel>> MeasuredChannel::Open(
    ChannelKind kind, std::vector<std::string> arguments, size_t bytes) {
  auto channel = std::make_unique<Channel>();
  RETURN_IF_ERROR(channel->Start(kind, std::move(arguments), bytes));
  return channel;
}

}  // namespace tributary
