#include "trainer_client/torch/ddp/process_group.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/address.h"
#include "common/text/status.h"
#include "trainer_client/tensors/initialize.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/ddp/cuda_backend.h"
#include "trainer_client/torch/ddp/peer_loss.h"
#include "trainer_client/torch/ddp/rendezvous_store.h"

namespace tributary {
namespace {

using c10::intrusive_ptr;
using c10d::ProcessGroupGloo;

// Values that Sum() of floats widens at a time: 8 MB.
constexpr size_t kSummedValues = size_t{1} << 20;
// The key of an attempt with the first report of its ranks.
constexpr char kReportKey[] = "report";

// Refuses to join an attempt that is over: its ranks are gone, and would be
// waited for until the timeout.
absl::Status CheckAttempt(const RankEnvironment& environment,
                          c10d::Store& store) {
  if (!environment.launcher_serves_store) return absl::OkStatus();
  if (!store.check({kCurrentAttemptKey})) return absl::OkStatus();  // torchrun
  const std::vector<uint8_t> bytes = store.get(kCurrentAttemptKey);
  const std::string current(bytes.begin(), bytes.end());
  if (current == absl::StrCat(environment.attempt)) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat(
      "rank ", environment.rank, " is of attempt ", environment.attempt,
      ", but the job is at attempt ", current));
}

// Refuses the rendezvous of another run, whose ranks this one would disturb.
// Rank 0 names the run where no launcher has.
absl::Status CheckRun(const RankEnvironment& environment, c10d::Store& store) {
  if (environment.run_id.empty()) return absl::OkStatus();
  const std::vector<uint8_t> own(environment.run_id.begin(),
                                 environment.run_id.end());
  const std::vector<uint8_t> there = environment.rank == 0
                                         ? store.compareSet(kRunKey, {}, own)
                                         : store.get(kRunKey);
  if (there == own) return absl::OkStatus();
  return OtherRun(
      absl::StrCat(environment.master_addr, ":", environment.master_port),
      {there.begin(), there.end()}, environment.run_id);
}

absl::StatusOr<intrusive_ptr<c10d::Store>> MakeStore(
    const RankEnvironment& environment, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = environment.master_port;
  options.isServer =
      environment.rank == 0 && !environment.launcher_serves_store;
  options.numWorkers = environment.world;
  // Who waits for others must first know that they are of this run.
  options.waitWorkers = false;
  options.timeout = timeout;
  intrusive_ptr<c10d::Store> store =
      c10::make_intrusive<c10d::TCPStore>(environment.master_addr, options);
  RETURN_IF_ERROR(CheckRun(environment, *store));
  RETURN_IF_ERROR(CheckAttempt(environment, *store));
  return intrusive_ptr<c10d::Store>(c10::make_intrusive<c10d::PrefixStore>(
      AttemptPrefix(environment.attempt), std::move(store)));
}

std::shared_ptr<gloo::transport::Device> GlooDevice(
    const std::string& master_addr) {
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME")) {
    return ProcessGroupGloo::createDeviceForInterface(interface);
  }
  if (IsLoopback(master_addr)) {
    return ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
  }
  return ProcessGroupGloo::createDefaultDevice();
}

intrusive_ptr<c10d::ProcessGroup> MakeGroup(
    const RankEnvironment& environment, const intrusive_ptr<c10d::Store>& store,
    std::chrono::milliseconds timeout) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, environment.rank,
                                                       environment.world);
  auto options = ProcessGroupGloo::Options::create(timeout);
  options->devices.push_back(GlooDevice(environment.master_addr));
  group->setBackend(at::kCPU, c10d::ProcessGroup::BackendType::GLOO,
                    c10::make_intrusive<ProcessGroupGloo>(
                        store, environment.rank, environment.world, options));
  AddCudaBackend(environment, store, timeout, *group);
  return group;
}

}  // namespace

struct ProcessGroup::Connection {
  intrusive_ptr<c10d::Store> store;
  intrusive_ptr<c10d::ProcessGroup> group;
};

ProcessGroup::ProcessGroup(const RankEnvironment& environment,
                           std::unique_ptr<Connection> connection)
    : rank_(environment.rank),
      world_(environment.world),
      local_rank_(environment.local_rank),
      connection_(std::move(connection)) {}

ProcessGroup::~ProcessGroup() = default;

absl::StatusOr<std::unique_ptr<ProcessGroup>> ProcessGroup::Connect(
    const RankEnvironment& environment, absl::Duration timeout) {
  auto connection = std::make_unique<Connection>();
  if (environment.world > 1) {
    const auto ms = absl::ToChronoMilliseconds(timeout);
    const absl::Status status = CatchTorch("connect", [&]() -> absl::Status {
      ASSIGN_OR_RETURN(connection->store, MakeStore(environment, ms));
      connection->group = MakeGroup(environment, connection->store, ms);
      return absl::OkStatus();
    });
    if (absl::IsAborted(status) || absl::IsFailedPrecondition(status)) {
      return status;
    }
    if (!status.ok()) {
      return absl::UnavailableError(absl::StrCat(
          "rank ", environment.rank, " of ", environment.world,
          " did not meet the others at ", environment.master_addr, ":",
          environment.master_port, " within ", absl::FormatDuration(timeout),
          ": ", std::string(status.message())));
    }
  }
  NoteProcessGroup();
  return std::unique_ptr<ProcessGroup>(
      new ProcessGroup(environment, std::move(connection)));
}

c10d::ProcessGroup* ProcessGroup::c10d() const {
  return connection_->group.get();
}

absl::Status ProcessGroup::AllReduce(absl::Span<double> values, bool max) {
  if (world_ == 1 || values.empty()) return absl::OkStatus();
  return CatchCollective("all-reduce", [&] {
    std::vector<at::Tensor> tensors{at::from_blob(
        values.data(), {static_cast<int64_t>(values.size())}, at::kDouble)};
    c10d::AllreduceOptions options;
    options.reduceOp = max ? c10d::ReduceOp::MAX : c10d::ReduceOp::SUM;
    connection_->group->allreduce(tensors, options)->wait();
    return absl::OkStatus();
  });
}

absl::Status ProcessGroup::Sum(absl::Span<double> values) {
  return AllReduce(values, /*max=*/false);
}

absl::Status ProcessGroup::Max(absl::Span<double> values) {
  return AllReduce(values, /*max=*/true);
}

absl::Status ProcessGroup::Sum(absl::Span<float> values) {
  if (world_ == 1) return absl::OkStatus();
  for (size_t at = 0; at < values.size(); at += kSummedValues) {
    const auto piece = values.subspan(at, kSummedValues);
    std::vector<double> sums(piece.begin(), piece.end());
    RETURN_IF_ERROR(Sum(absl::MakeSpan(sums)));
    std::copy(sums.begin(), sums.end(), piece.begin());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> ProcessGroup::Gather(
    std::vector<double> own) {
  if (world_ == 1) return own;
  // A sum in which each rank fills its own place.
  std::vector<double> sizes(world_, 0);
  sizes[rank_] = static_cast<double>(own.size());
  RETURN_IF_ERROR(Sum(absl::MakeSpan(sizes)));
  size_t total = 0;
  size_t first = 0;
  for (int rank = 0; rank < world_; ++rank) {
    if (rank == rank_) first = total;
    total += static_cast<size_t>(sizes[rank]);
  }
  std::vector<double> all(total, 0);
  std::copy(own.begin(), own.end(), all.begin() + first);
  // NaN + 0 is NaN, and -0 + 0 is 0, which compares equal.
  RETURN_IF_ERROR(Sum(absl::MakeSpan(all)));
  return all;
}

absl::StatusOr<std::string> ProcessGroup::BroadcastText(
    const std::string& text) {
  if (world_ == 1) return text;
  std::vector<double> bytes;
  if (rank_ == 0) {
    for (char c : text) bytes.push_back(static_cast<unsigned char>(c));
  }
  ASSIGN_OR_RETURN(const std::vector<double> all, Gather(std::move(bytes)));
  std::string result;
  for (double byte : all) {
    result += static_cast<char>(static_cast<unsigned char>(byte));
  }
  return result;
}

bool ProcessGroup::ReportsFirst(const std::string& text) {
  if (world_ == 1) return true;
  bool first = true;
  const absl::Status asked = CatchTorch("report", [&] {
    const std::string own = absl::StrCat(rank_, "\n", text);
    const std::vector<uint8_t> value = connection_->store->compareSet(
        kReportKey, {}, std::vector<uint8_t>(own.begin(), own.end()));
    const std::string there(value.begin(), value.end());
    first = there == own || there.substr(there.find('\n') + 1) != text;
    return absl::OkStatus();
  });
  return first || !asked.ok();
}

absl::Status ProcessGroup::Broadcast(const std::vector<at::Tensor>& tensors) {
  if (world_ == 1) return absl::OkStatus();
  return CatchCollective("broadcast", [&] {
    for (const at::Tensor& tensor : tensors) {
      std::vector<at::Tensor> one{tensor.detach()};
      connection_->group->broadcast(one, c10d::BroadcastOptions())->wait();
    }
    return absl::OkStatus();
  });
}

}  // namespace tributary
