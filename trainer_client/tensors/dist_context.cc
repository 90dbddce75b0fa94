#include "trainer_client/tensors/dist_context.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/graph_name.h"
#include "common/fleet/host_resolver.h"
#include "common/text/status.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/gradient_rounds.h"
#include "trainer_client/tensors/snapshot_restore.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {
namespace {

constexpr int kMaxRanks = 4096;  // as many as a server takes
constexpr size_t kMaxGathered = size_t{64} << 10;
constexpr absl::Duration kLongestFarewell = absl::Seconds(5);
constexpr absl::Duration kShortestTimeout = absl::Milliseconds(100);
constexpr absl::Duration kLongestTimeout = absl::Hours(24);

absl::Status Validate(const DistContextOptions& options) {
  const auto refuse = [](absl::string_view option, const auto& value,
                         absl::string_view allowed) {
    return absl::InvalidArgumentError(absl::StrCat(
        "DistContextOptions.", option, " is ", value, "; allowed: ", allowed));
  };
  if (options.world_size < 1 || options.world_size > kMaxRanks) {
    return refuse("world_size", options.world_size, "1 to 4096");
  }
  if (options.rank < 0 || options.rank >= options.world_size) {
    return refuse("rank", options.rank, "0 to world_size - 1");
  }
  if (options.timeout < kShortestTimeout || options.timeout > kLongestTimeout) {
    return refuse("timeout", absl::FormatDuration(options.timeout),
                  "0.1 s to 1 day");
  }
  return absl::OkStatus();
}

uint64_t RandomNumber() {
  std::random_device random;
  return uint64_t{random()} << 32 | random() | 1;
}

class Context final : public DistContext {
 public:
  Context(SamplingWorkers* workers, const DistContextOptions& options)
      : workers_(*workers), options_(options) {}
  ~Context() override;

  absl::Status Connect();

  const DistContextOptions& options() const override { return options_; }
  SamplingWorkers& workers() const override { return workers_; }
  const GraphSchema& schema() const override { return client_->schema(); }

  absl::Status Barrier(absl::string_view name) override {
    return client_->Meet(absl::StrCat("barrier ", name), "").status();
  }
  absl::StatusOr<std::vector<std::string>> AllGather(
      absl::string_view name, const std::string& value) override {
    if (value.size() > kMaxGathered) {
      return absl::InvalidArgumentError(
          absl::StrCat("AllGather ", name, ": a value of ", value.size(),
                       " bytes; allowed: at most ", kMaxGathered));
    }
    return client_->Meet(absl::StrCat("gather ", name), value);
  }
  absl::Status RestoreFrom(const std::string& folder) override {
    return RestoreTensors(client_, folder);
  }
  absl::Status Close() override;
  void Cancel() override { client_->Close(); }
  bool server_draining() const override { return client_->draining(); }
  uint64_t rows_read_ahead() const override {
    return client_->rows_read_ahead();
  }
  TensorClient& tensors() const override { return *client_; }
  GradientRounds& rounds() const override { return *rounds_; }

 private:
  absl::Status EndAttempt();

  SamplingWorkers& workers_;
  const DistContextOptions options_;
  SystemHostResolver resolver_;
  std::shared_ptr<TensorClient> client_;
  std::unique_ptr<GradientRounds> rounds_;
  bool ended_ = false;
};

absl::Status Context::Connect() {
  const RemoteDistSamplingWorkerOptions loader = workers_.loader();
  RETURN_IF_ERROR(loader.Validate());
  const LoaderEnvironment environment = workers_.environment();
  TensorClientOptions options;
  options.group_name = options_.group_name;
  AttemptOpenerOptions& attempt = options.attempt;
  attempt.transport = environment.transport;
  attempt.strand = std::make_shared<Strand>(environment.executor);
  attempt.resolver = &resolver_;
  ASSIGN_OR_RETURN(attempt.source, loader.Source());
  ASSIGN_OR_RETURN(attempt.graph, GraphName::Parse(loader.graph_name));
  attempt.job = loader.worker_key;
  attempt.rank = static_cast<uint32_t>(options_.rank);
  attempt.world = static_cast<uint32_t>(options_.world_size);
  attempt.attempt = options_.attempt;
  attempt.client = RandomNumber();
  attempt.timeout = options_.timeout;
  attempt.jitter_seed = attempt.client;
  ASSIGN_OR_RETURN(client_, TensorClient::Open(std::move(options)));
  rounds_ = MakeGradientRounds(client_);
  environment.opened(client_->schema());
  return absl::OkStatus();
}

absl::Status Context::EndAttempt() {
  if (std::exchange(ended_, true) || options_.rank != 0) {
    return absl::OkStatus();
  }
  v1::CloseAttemptRequest request;
  *request.mutable_attempt() = client_->ref();
  return client_->CallAll(MessageKind::kCloseAttemptRequest,
                          MessageKind::kCloseAttemptReply, request,
                          std::min(options_.timeout, kLongestFarewell));
}

absl::Status Context::Close() {
  const absl::Status met = Barrier("close");
  // Rank 0 may have ended the attempt before this rank had its answer.
  if (options_.rank != 0 && absl::IsFailedPrecondition(met)) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(met);
  return EndAttempt();
}

// Other ranks may still use the rows, so only a run of one rank ends here.
Context::~Context() {
  if (client_ == nullptr) return;
  if (options_.world_size == 1) (void)EndAttempt();
  client_->Close();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DistContext>> DistContext::Open(
    SamplingWorkers* workers, const DistContextOptions& options) {
  RETURN_IF_ERROR(Validate(options));
  if (options.world_size > 1 && workers->local()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "world_size = ", options.world_size,
        " with servers of this process: other ranks cannot reach their rows; "
        "allowed: mode remote (servers), or world_size = 1"));
  }
  auto context = std::make_unique<Context>(workers, options);
  RETURN_IF_ERROR(context->Connect());
  return std::unique_ptr<DistContext>(std::move(context));
}

}  // namespace tributary
