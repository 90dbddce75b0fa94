// A trainer of one's own: model, loop and optimizers are this file's; the
// graph, batches, learned rows and the ranks' gradients are Tributary's. See
// README.md beside this file.
#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/text/status.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/graph/dist_graph.h"
#include "trainer_client/graph/node_split.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/batch_tensors/torch_batch.h"
#include "trainer_client/torch/ddp/ddp.h"
#include "trainer_client/torch/ddp/heartbeat.h"
#include "trainer_client/torch/ddp/launch_choice.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/ddp/rank_environment.h"
#include "trainer_client/torch/ddp/rank_launcher.h"
#include "trainer_client/torch/embedding/dist_embedding.h"
#include "trainer_client/torch/embedding/sparse_optimizer.h"

namespace {

using namespace tributary;  // NOLINT: a short program

constexpr int64_t kLearned = 16;  // channels of a node's learned row
constexpr int64_t kHidden = 64;

// Returns each node's row beside the mean of its sampled neighbours' rows.
at::Tensor WithMeans(const at::Tensor& x, const at::Tensor& edge_index) {
  const at::Tensor source = edge_index[0], destination = edge_index[1];
  const at::Tensor sums =
      at::zeros_like(x).index_add(0, destination, x.index_select(0, source));
  const at::Tensor counts =
      at::zeros({x.size(0), 1})
          .index_add(0, destination, at::ones({source.numel(), 1}));
  return at::cat({x, sums / counts.clamp_min(1)}, 1);
}

// Two layers of GraphSAGE.
class Model final : public torch::nn::Module {
 public:
  Model(int64_t in, int64_t classes)
      : first_(register_module("first", torch::nn::Linear(2 * in, kHidden))),
        second_(register_module("second",
                                torch::nn::Linear(2 * kHidden, classes))) {}

  // Returns the logits of the batch's inputs.
  at::Tensor Forward(const at::Tensor& x, const TorchBatch& batch) {
    const at::Tensor edges = batch.edge_index.to(at::kLong);
    const at::Tensor hidden = at::relu(first_(WithMeans(x, edges)));
    return second_(WithMeans(hidden, edges))
        .index_select(0, batch.seed_index.to(at::kLong));
  }

 private:
  torch::nn::Linear first_, second_;
};

// Returns one number for all ranks of a start, larger than those of earlier
// starts, by which servers tell them apart.
absl::StatusOr<uint64_t> NumberOfStart(ProcessGroup& group) {
  ASSIGN_OR_RETURN(
      const std::string text,
      group.BroadcastText(absl::StrCat(absl::ToUnixMicros(absl::Now()))));
  uint64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  return absl::InternalError(absl::StrCat("rank 0 sent \"", text, "\""));
}

// One rank.
class Trainer {
 public:
  Trainer(const RankEnvironment& place, Heartbeat* heartbeat)
      : place_(place), heartbeat_(heartbeat) {}

  absl::Status Open(const std::string& servers) {
    ASSIGN_OR_RETURN(group_, ProcessGroup::Connect(place_, absl::Seconds(60)));
    ASSIGN_OR_RETURN(workers_,
                     SamplingWorkers::Open(RemoteDistSamplingWorkerOptions{
                         .servers = servers,
                         .num_clients = place_.world,
                         .client_rank = place_.rank}));
    ASSIGN_OR_RETURN(const uint64_t attempt, NumberOfStart(*group_));
    ASSIGN_OR_RETURN(
        context_, DistContext::Open(workers_.get(), {.rank = place_.rank,
                                                     .world_size = place_.world,
                                                     .attempt = attempt}));
    ASSIGN_OR_RETURN(graph_, DistGraph::Create(*context_, ""));
    RETURN_IF_ERROR(OpenRows());
    return OpenModel();
  }

  // Returns the mean of the ranks' losses over the epoch.
  absl::StatusOr<double> Epoch(DistLoader& loader, uint64_t epoch) {
    std::array<double, 2> sums{0, 0};  // losses and batches
    RETURN_IF_ERROR(loader.StartEpoch(epoch));
    for (uint64_t round = 0; round < loader.rounds(); ++round) {
      ASSIGN_OR_RETURN(const std::optional<BatchLease> lease, loader.Next());
      optimizer_->zero_grad();
      if (lease.has_value()) {
        ASSIGN_OR_RETURN(const TorchBatch batch, ToTorchBatch(*lease));
        ASSIGN_OR_RETURN(const at::Tensor logits, Logits(batch));
        const at::Tensor loss = at::cross_entropy_loss(logits, LabelsOf(batch));
        RETURN_IF_ERROR(ddp_->Backward(loss));
        sums[0] += loss.item<double>();
        sums[1] += 1;
      } else {  // other ranks have more batches
        RETURN_IF_ERROR(ddp_->BackwardOfNothing());
      }
      optimizer_->step();
      RETURN_IF_ERROR(sparse_->Step());
      heartbeat_->Progress();
    }
    RETURN_IF_ERROR(group_->Sum(absl::MakeSpan(sums)));
    return sums[0] / sums[1];
  }

  // Returns the share of all ranks' inputs that the model labels rightly.
  absl::StatusOr<double> Accuracy(DistLoader& loader) {
    const at::NoGradGuard no_grad;
    std::array<double, 2> sums{0, 0};  // right and all
    RETURN_IF_ERROR(loader.StartEpoch(0));
    for (uint64_t round = 0; round < loader.rounds(); ++round) {
      ASSIGN_OR_RETURN(const std::optional<BatchLease> lease, loader.Next());
      if (!lease.has_value()) break;
      ASSIGN_OR_RETURN(const TorchBatch batch, ToTorchBatch(*lease));
      ASSIGN_OR_RETURN(const at::Tensor logits, Logits(batch));
      sums[0] += (logits.argmax(1) == LabelsOf(batch)).sum().item<double>();
      sums[1] += static_cast<double>(logits.size(0));
      heartbeat_->Progress();
    }
    RETURN_IF_ERROR(group_->Sum(absl::MakeSpan(sums)));
    return sums[0] / sums[1];
  }

  // Returns a loader of this rank's share of a split's nodes.
  absl::StatusOr<std::unique_ptr<DistLoader>> LoaderOf(const std::string& split,
                                                       ShuffleMode shuffle) {
    ASSIGN_OR_RETURN(const RankShare share,
                     NodeSplit(*graph_, {.split = split}));
    NeighborLoaderOptions options;
    options.num_neighbors = {10, 10};
    options.batch_size = 20;
    options.shuffle = shuffle;
    options.random_seed = 1;
    UseShare(share, context_.get(), &options);
    return workers_->OpenLoader(options);
  }

  // Ends the rows on the servers, and tells the servers that this trainer is
  // done.
  absl::Status Close() {
    RETURN_IF_ERROR(context_->Close());
    return workers_->Shutdown(absl::Seconds(10));
  }

 private:
  // A learned row of each node, on the servers.
  absl::Status OpenRows() {
    ASSIGN_OR_RETURN(const int64_t nodes, graph_->num_nodes());
    ASSIGN_OR_RETURN(
        rows_, DistEmbedding::Create(
                   *context_, {.name = "learned",
                               .num_embeddings = nodes,
                               .embedding_dim = kLearned,
                               .policy = "node:" + graph_->ntypes().at(0)}));
    ASSIGN_OR_RETURN(sparse_, SparseAdam::Create(*context_, {rows_.get()},
                                                 {.learning_rate = 0.01}));
    sparse_->set_scale(1.0 / place_.world);  // the mean over ranks, as DDP
    return absl::OkStatus();
  }

  absl::Status OpenModel() {
    ASSIGN_OR_RETURN(const int64_t classes, NumClasses());
    const auto& x = graph_->schema().node_types.at(0).x;
    if (!x.has_value()) {
      return absl::InvalidArgumentError("the nodes have no features");
    }
    torch::manual_seed(1);
    model_ = std::make_shared<Model>(x->dim + kLearned, classes);
    optimizer_ = std::make_unique<torch::optim::Adam>(
        model_->parameters(),
        torch::optim::AdamOptions(0.01).weight_decay(5e-4));
    ASSIGN_OR_RETURN(ddp_, DistributedDataParallel::Create(model_->parameters(),
                                                           group_.get()));
    return absl::OkStatus();
  }

  // The largest label of the training nodes, read by their ids, plus 1.
  absl::StatusOr<int64_t> NumClasses() {
    ASSIGN_OR_RETURN(const RankShare share,
                     NodeSplit(*graph_, {.split = "train"}));
    ASSIGN_OR_RETURN(GraphData* const nodes, graph_->ndata());
    ASSIGN_OR_RETURN(const GraphRows labels, nodes->Read("label", share.ids));
    std::array<double, 1> largest{0};
    for (const int64_t label : labels.As<int64_t>()) {
      largest[0] = std::max(largest[0], static_cast<double>(label));
    }
    RETURN_IF_ERROR(group_->Max(absl::MakeSpan(largest)));
    return static_cast<int64_t>(largest[0]) + 1;
  }

  absl::StatusOr<at::Tensor> Logits(const TorchBatch& batch) {
    ASSIGN_OR_RETURN(const at::Tensor learned, rows_->Forward(batch.n_id));
    const at::Tensor x = Dequantized(batch.x, batch.x_scale);
    return model_->Forward(at::cat({x, learned}, 1), batch);
  }

  static at::Tensor LabelsOf(const TorchBatch& batch) {
    return batch.y.index_select(0, batch.seed_index.to(at::kLong));
  }

  const RankEnvironment place_;
  Heartbeat* const heartbeat_;
  // In the order in which they are made; each uses those before it.
  std::unique_ptr<ProcessGroup> group_;
  std::unique_ptr<SamplingWorkers> workers_;
  std::unique_ptr<DistContext> context_;
  std::unique_ptr<DistGraph> graph_;
  std::unique_ptr<DistEmbedding> rows_;
  std::unique_ptr<SparseOptimizer> sparse_;
  std::shared_ptr<Model> model_;
  std::unique_ptr<torch::optim::Adam> optimizer_;
  std::unique_ptr<DistributedDataParallel> ddp_;
};

const char* Environment(const char* name) { return std::getenv(name); }

absl::Status RunRank(const std::string& servers, uint64_t epochs) {
  ASSIGN_OR_RETURN(const RankEnvironment place,
                   RankEnvironment::FromVariables(Environment));
  ASSIGN_OR_RETURN(const std::unique_ptr<Heartbeat> heartbeat,
                   Heartbeat::Start(place.local_rank, Environment));
  Trainer trainer(place, heartbeat.get());
  RETURN_IF_ERROR(trainer.Open(servers));
  double accuracy = 0;
  {
    ASSIGN_OR_RETURN(const auto train,
                     trainer.LoaderOf("train", ShuffleMode::kLocal));
    ASSIGN_OR_RETURN(const auto test,
                     trainer.LoaderOf("test", ShuffleMode::kNone));
    for (uint64_t epoch = 0; epoch < epochs; ++epoch) {
      ASSIGN_OR_RETURN(const double loss, trainer.Epoch(*train, epoch));
      if (place.rank == 0) {
        std::cout << "epoch " << epoch + 1 << " loss " << loss << std::endl;
      }
    }
    ASSIGN_OR_RETURN(accuracy, trainer.Accuracy(*test));
  }
  if (place.rank == 0) {
    std::cout << "result ranks=" << place.world << " test_accuracy=" << accuracy
              << std::endl;
  }
  return trainer.Close();
}

int Fail(const absl::Status& status) {
  std::cerr << "trainer: " << status << "\n";
  return 1;
}

}  // namespace

// Ranks are started by torchrun, by tributary's launcher (NPROC), or as any
// program that sets torchrun's variables does.
int main(int argc, char** argv) {
  int epochs = 0, nproc = 1;
  if (argc < 3 || argc > 4 || !absl::SimpleAtoi(argv[2], &epochs) ||
      epochs < 1 || (argc == 4 && !absl::SimpleAtoi(argv[3], &nproc))) {
    std::cerr << "usage: trainer SERVERS EPOCHS [NPROC]\n";
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  const absl::StatusOr<bool> launches =
      StartsRanks({.nproc = nproc}, Environment);
  if (!launches.ok()) return Fail(launches.status());
  if (*launches) {
    const absl::StatusOr<int> code =
        RunRanks({.num_ranks = nproc, .argv = {argv, argv + argc}});
    return code.ok() ? *code : Fail(code.status());
  }
  EndWithLauncher();
  const absl::Status status = CatchTorch("trainer", [&] {
    return RunRank(argv[1], static_cast<uint64_t>(epochs));
  });
  return status.ok() ? 0 : Fail(status);
}
