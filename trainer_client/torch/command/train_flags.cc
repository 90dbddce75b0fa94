#include "trainer_client/torch/command/train_flags.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/identity/tls_flags.h"
#include "common/random/hop_key.h"
#include "common/session/limits.h"
#include "common/text/parse_number.h"
#include "common/text/version.h"
#include "trainer_client/torch/command/train_session.h"

namespace tributary {
namespace {

constexpr char kFooter[] = R"(Examples:
  tributary-train --graph cora.graph --num-neighbors 10,10 --epochs 40
  tributary-train --servers file:servers.txt --nproc 2 --batch-size 512
  tributary-train --graph cora.graph --save-model cora.safetensors
  tributary-train --graph cora.graph --load-model cora.safetensors \
    --predict '*' --out cora.predictions
  tributary-train --servers dns:///sampler:50051 --nproc 8 --nnodes 4 \
    --node-rank $R --master-addr host0 --max-restarts 3
  torchrun --no-python --nnodes 4 --nproc-per-node 8 ... \
    tributary-train --servers dns:///sampler:50051)";

// Adds a flag for a whole number in [min, max]. CLI11 itself reads numbers as C
// does: -1 as the largest unsigned one, too large ones as the largest, 010 as
// eight.
template <typename T>
CLI::Option* AddWhole(CLI::App& app, const std::string& name, T& value, T min,
                      T max, const std::string& help) {
  auto read = [&value, name, min, max](const std::string& text) {
    const std::optional<T> number = ParseNumber<T>(text);
    if (!number || *number < min || *number > max) {
      throw CLI::ValidationError(
          name, absl::StrCat("\"", text, "\"; allowed: a whole number from ",
                             min, " to ", max));
    }
    value = *number;
  };
  return app.add_option_function<std::string>(name, read, help)
      ->type_name("WHOLE")
      ->default_str(absl::StrCat(value));
}

// Adds a flag for a finite number; its range is checked with the other options.
CLI::Option* AddReal(CLI::App& app, const std::string& name, double& value,
                     const std::string& help) {
  auto read = [&value, name](const std::string& text) {
    const std::optional<double> number = ParseNumber<double>(text);
    if (!number || !std::isfinite(*number)) {
      throw CLI::ValidationError(
          name, absl::StrCat("\"", text, "\"; allowed: a number, such as 0.5"));
    }
    value = *number;
  };
  return app.add_option_function<std::string>(name, read, help)
      ->type_name("NUMBER")
      ->default_str(absl::StrCat(value));
}

void DeclareSource(CLI::App& app, TrainArguments& a, TrainFlagTexts& t) {
  auto* graph =
      app.add_option("--graph", a.source.graph,
                     "Folder of a partitioned graph, sampled in this process");
  app.add_option("--servers", a.source.worker.servers,
                 "HOST:PORT,... | file:PATH | dns:///NAME:PORT")
      ->excludes(graph);
  AddTlsFlags(app, a.source.worker.tls);
  app.add_option("--worker-options", a.source.worker_options,
                 "Instead of these: a JSON file with the mode and its options")
      ->excludes(graph);
  app.add_option("--mode", t.mode,
                 "With --graph: collocated (in this process) or mp (in worker "
                 "processes of each rank, over shared memory)  [collocated]")
      ->check(CLI::IsMember({"collocated", "mp", "remote"}));
  AddWhole(app, "--num-workers", t.num_workers, 1, 64,
           "Worker processes of mode mp");
  app.add_option("--worker-program", a.source.worker_program,
                 "The tributary program that mode mp starts  [beside this one, "
                 "or in PATH]");
  app.add_option("--buffer-size", t.buffer_size,
                 "Bytes of each loader's receive ring  [256MB; of more than 4 "
                 "ranks of --nproc 1GB / ranks, 64MB or more]");
  AddWhole(app, "--prefetch", a.source.worker.prefetch_size, 1, 1024,
           "Batches requested ahead");
  AddWhole(app, "--max-servers", a.source.worker.max_servers, 0, 65536,
           "The most servers that a loader keeps streams to; 0: all");
  app.add_option("--trainer-cache", a.source.worker.trainer_cache,
                 "Rows of features that each rank holds, so that servers need "
                 "not send them: auto (as many as pay, in an eighth of the "
                 "memory at most), off, a share of each node type's rows as "
                 "0.2, or memory as 2GB")
      ->capture_default_str();
  app.add_option("--trainer-cache-list", a.source.worker.trainer_cache_list,
                 "Which of the graph's hot lists orders these rows  [one that "
                 "was sampled, else degree]");
  app.add_option("--transport", a.source.worker.transport,
                 "With --servers: what carries batches and rows: auto (TCP to "
                 "servers that take it, as long as it gets through, else "
                 "gRPC), grpc, tcp")
      ->capture_default_str();
  app.add_flag("--pin-memory", a.source.worker.pin_memory,
               "Receive into page-locked memory, from which GPUs copy "
               "asynchronously; without CUDA a warning, and plain memory");
  app.add_option("--worker-key", a.source.worker.worker_key,
                 "The job's name, by which servers divide their capacity")
      ->capture_default_str();
  app.add_option("--graph-name", a.source.worker.graph_name,
                 "Which of the servers' graphs: NAME@VERSION, or NAME for its "
                 "newest version");
  AddReal(app, "--rpc-timeout", t.rpc_timeout,
          "Longest wait for one batch in seconds, whatever servers report");
}

void DeclareSampling(CLI::App& app, TrainArguments& a, TrainFlagTexts& t) {
  app.add_option("--input", t.input,
                 "[TYPE:]TRAIN[,VALID[,TEST]]: splits to train, validate and "
                 "test on, of the node type TYPE in a typed graph; with --task "
                 "link of the edge type SRC,REL,DST, or of several, separated "
                 "by \";\", or of all that have the splits: * or SRC,*,DST")
      ->capture_default_str();
  DeclareTrainSession(app, t);
  app.add_option("--eval-num-neighbors", t.eval_num_neighbors,
                 "As --num-neighbors, for valid and test  [as it]");
  AddWhole<uint64_t>(app, "--eval-batch-size", a.eval_batch_size, 0,
                     kMaxBatchSize,
                     "The same for valid and test; 0: as --batch-size");
}

void DeclareModel(CLI::App& app, TrainArguments& a) {
  using Options = TrainOptions;
  ModelOptions& m = a.train.model;
  app.add_option("--model", m.model,
                 "Model: sage, gcn, gat, rgcn; of links also embedding (each "
                 "node's own row, without neighbours)")
      ->check(CLI::IsMember({"sage", "gcn", "gat", "rgcn", "embedding"}))
      ->capture_default_str();
  AddWhole<int64_t>(app, "--hidden", m.hidden_channels, 1,
                    Options::kMaxHiddenChannels, "Channels of hidden layers");
  AddWhole<int>(app, "--layers", m.num_layers, 1, Options::kMaxLayers,
                "Number of layers; must equal the number of hops")
      ->default_str("the number of hops");
  AddReal(app, "--dropout", m.dropout, "Dropout after each hidden layer");
  AddReal(app, "--input-dropout", m.input_dropout,
          "Dropout of the input features");
  app.add_flag("--layer-norm", m.layer_norm,
               "Normalise the output of each hidden layer");
  app.add_option("--aggr", m.aggr, "sage: mean or max of the neighbours")
      ->check(CLI::IsMember({"mean", "max"}))
      ->capture_default_str();
  app.add_option("--norm", m.norm,
                 "gcn: both (by the degrees of both ends; a graph made with "
                 "partition --degrees) or right (the mean)")
      ->check(CLI::IsMember({"both", "right"}))
      ->capture_default_str();
  AddWhole<int>(app, "--heads", m.heads, 1, 1024,
                "gat: attention heads, which --hidden is a multiple of");
  AddReal(app, "--attention-dropout", m.attention_dropout,
          "gat: dropout of attention coefficients");
  AddWhole<int>(app, "--num-bases", m.num_bases, 0, 1 << 20,
                "rgcn: bases that relations' weights are sums of; 0: each "
                "relation has a weight of its own");
  SparseEmbeddingOptions& sparse = a.train.sparse;
  app.add_flag("--sparse-embedding", sparse.enabled,
               "Keep learned rows of nodes on the servers, which step those of "
               "a batch; else each rank has all of them as parameters");
  AddReal(app, "--sparse-lr", sparse.learning_rate,
          "Learning rate of these rows, by the same schedule");
  app.add_option("--sparse-optimizer", sparse.optimizer,
                 "Their optimizer: adam, adagrad or sgd, as torch's")
      ->check(CLI::IsMember({"adam", "adagrad", "sgd"}))
      ->capture_default_str();
  app.add_flag(
      "--node-feats", sparse.node_feats,
      "With --sparse-embedding: node types with features use them, and "
      "learn no rows; always so without --sparse-embedding");
}

void DeclareSchedule(CLI::App& app, TrainArguments& a, TrainFlagTexts& t) {
  LrSchedule& schedule = a.train.schedule;
  constexpr uint64_t kMost = uint64_t{1} << 40;
  app.add_option("--lr-schedule", t.lr_schedule,
                 "Learning rate over time: constant, step (StepLR), cosine "
                 "(CosineAnnealingLR)")
      ->check(CLI::IsMember({"constant", "step", "cosine"}))
      ->capture_default_str();
  app.add_option("--lr-unit", t.lr_unit,
                 "What the schedule counts: epoch, step")
      ->check(CLI::IsMember({"epoch", "step"}))
      ->capture_default_str();
  AddWhole<uint64_t>(app, "--lr-step-size", schedule.step_size, 1, kMost,
                     "step: units between decays");
  AddReal(app, "--lr-gamma", schedule.gamma, "step: factor of each decay");
  AddWhole<uint64_t>(app, "--lr-t-max", schedule.t_max, 1, kMost,
                     "cosine: units until the smallest rate");
  AddReal(app, "--lr-min", schedule.eta_min, "cosine: the smallest rate");
  AddWhole<uint64_t>(app, "--lr-warmup", schedule.warmup, 0, kMost,
                     "Units in which the rate rises to --lr");
}

void DeclareLinks(CLI::App& app, TrainFlagTexts& t) {
  app.add_option("--decoder", t.decoder,
                 "link: score of a link, by its ends' rows: dot, distmult, mlp "
                 "(of their product)  [dot]")
      ->check(CLI::IsMember({"dot", "distmult", "mlp"}));
  app.add_option("--loss", t.loss,
                 "link: negatives (as --neg-sampling says) or softmax (cross "
                 "entropy among all nodes of the batch, of either end)  "
                 "[negatives]")
      ->check(CLI::IsMember({"negatives", "softmax"}));
}

void DeclareTimes(CLI::App& app, TrainFlagTexts& t) {
  app.add_option(
      "--edge-time", t.edge_time,
      "link, with --time: file of a time for each edge of the graph's "
      "input, as partition read it: .npy or a number in each line; "
      "a link has its edge's time. Of several types "
      "SRC,REL,DST:FILE;...");
}

void DeclareTraining(CLI::App& app, TrainArguments& a, TrainFlagTexts& t) {
  TrainOptions& o = a.train;
  auto option = [&](const char* name, auto& value, const char* text) {
    return app.add_option(name, value, text)->capture_default_str();
  };
  option("--task", t.task,
         "Task: node (one class of several), multilabel, regression, link")
      ->check(CLI::IsMember({"node", "multilabel", "regression", "link"}));
  app.add_option("--metric", t.metric,
                 "On valid and test: accuracy, f1-micro, f1-macro, rocauc, ap, "
                 "rmse, mae; of links ap, rocauc, mrr, hits@K, filtered-mrr "
                 "(among all nodes)  "
                 "[the task's: accuracy, rocauc, rmse, ap]");
  DeclareLinks(app, t);
  DeclareTimes(app, t);
  AddWhole<uint64_t>(app, "--epochs", o.epochs, 0, o.kMaxEpochs,
                     "Passes over the training inputs; 0, with --load-model or "
                     "--predict: no training")
      ->default_str("10; 0 with --load-model and --predict");
  AddWhole<uint64_t>(app, "--eval-every", o.eval_every, 1, o.kMaxEpochs,
                     "Epochs between validations");
  AddWhole<uint64_t>(app, "--patience", t.patience, 0, o.kMaxEpochs,
                     "End after so many validations without an improvement; "
                     "0: never");
  AddReal(app, "--min-delta", t.min_delta,
          "A change of the metric that is more than this is an improvement");
  AddReal(app, "--lr", o.learning_rate, "Adam's learning rate");
  DeclareSchedule(app, a, t);
  AddReal(app, "--weight-decay", o.weight_decay,
          "L2 regularisation, added to the gradient");
  AddReal(app, "--clip-grad-norm", o.clip_grad_norm,
          "Largest norm of all gradients together; 0: any");
  AddWhole<uint64_t>(app, "--accumulate", o.accumulate, 1, o.kMaxAccumulate,
                     "Batches of each rank per optimizer step, whose gradients "
                     "are added: as with so many times the ranks");
  option("--amp", o.amp,
         "Mixed precision: none, or bf16 (the model computes in bfloat16 where "
         "torch.autocast does; parameters, losses and metrics stay float32)");
  app.add_flag("--row-normalize", o.row_normalize,
               "Divide each feature row by its sum");
  AddWhole<int64_t>(app, "--num-classes", o.num_classes, 0, o.kMaxClasses,
                    "Number of classes; 0: the largest training label + 1, "
                    "found by a pass over the inputs");
  option("--device", o.device, "Device: auto, cpu or cuda");
}

void DeclareCheckpoints(CLI::App& app, TrainArguments& a, TrainFlagTexts& t) {
  CheckpointOptions& checkpoints = a.train.checkpoints;
  constexpr uint64_t kMost = uint64_t{1} << 40;
  app.add_option("--checkpoint-dir", checkpoints.folder,
                 "Folder that checkpoints of the run are written to");
  AddWhole<uint64_t>(app, "--checkpoint-every", checkpoints.every_steps, 0,
                     kMost, "Steps between checkpoints; 0: not by steps");
  AddReal(app, "--checkpoint-minutes", t.checkpoint_minutes,
          "Minutes between checkpoints; 0: not by time");
  AddWhole<uint64_t>(app, "--checkpoint-keep", t.checkpoint_keep, 1, 1000,
                     "Checkpoints to keep, the newest");
  app.add_option("--resume", checkpoints.resume,
                 "Go on from the newest checkpoint that can be used in this "
                 "folder, or from one checkpoint's folder; auto: in that of "
                 "--checkpoint-dir, or from the start if there is none");
  app.add_option(
      "--save-model", a.train.save_model,
      "Write the best epoch's parameters to this file at the end, in "
      "the safetensors format");
}

void DeclarePrediction(CLI::App& app, TrainArguments& a, TrainFlagTexts& t) {
  app.add_option("--load-model", a.train.load_model,
                 "Start from the parameters in this file of --save-model");
  app.add_option("--predict", t.predict,
                 "[TYPE:]SPLIT or [TYPE:]* (all nodes): write the best epoch's "
                 "predictions and embeddings of these into --out");
  app.add_option("--out", t.out,
                 "Folder for ids.npy, predictions.npy and embeddings.npy; all "
                 "ranks must reach it");
  app.add_option("--inference", t.inference,
                 "sampled (batches with --eval-num-neighbors) or layerwise "
                 "(each layer once for all nodes, from all neighbours)  "
                 "[sampled for a split, layerwise for *]")
      ->check(CLI::IsMember({"sampled", "layerwise"}));
  app.add_option("--ext-ids", t.ext_ids,
                 "Folder of the graph, on rank 0's machine: write the ids of "
                 "the user's data beside ids.npy");
}

void DeclareRunning(CLI::App& app, TrainArguments& a, TrainFlagTexts& t) {
  AddWhole(app, "--nproc", a.nproc, 1, 1024,
           "Ranks to start on this machine; without it RANK, WORLD_SIZE, "
           "MASTER_ADDR and MASTER_PORT are read, as torchrun sets them");
  AddWhole(app, "--nnodes", a.node.nnodes, 1, NodePlace::kMaxNodes,
           "Machines of the job; start the program once on each, with the same "
           "flags but --node-rank");
  AddWhole(app, "--node-rank", a.node.node_rank, 0, NodePlace::kMaxNodes - 1,
           "Which of them this one is")
      ->default_str("");
  app.add_option("--master-addr", a.node.master_addr,
                 "Host name or address of the machine with --node-rank 0");
  AddWhole<uint16_t>(app, "--master-port", a.node.master_port, 1, 65535,
                     "The port there where the machines and ranks meet")
      ->default_str("29500; on one machine a free one");
  AddWhole(app, "--max-restarts", a.max_restarts, 0, 1000,
           "How often all ranks are started again after one ended or froze; "
           "with --checkpoint-dir they go on from the newest checkpoint");
  AddReal(app, "--replace-timeout", t.replace_timeout,
          "Seconds to wait for a machine that is lost, or got SIGTERM, to be "
          "started again with the same --node-rank; 0: its end is that of the "
          "job");
  app.add_option("--run-id", a.run_id,
                 "The run's name, the same on all machines: those of another "
                 "run are refused  [torchrun's --rdzv-id, or a digest of the "
                 "command line without --node-rank]");
  AddReal(app, "--grace-period", t.grace_period,
          "Seconds that ranks have after SIGTERM or SIGINT to write a "
          "checkpoint and end; at least 15 s less than what the machine gives, "
          "such as terminationGracePeriodSeconds");
  app.add_option("--log", a.log, "Write a JSON object per epoch to this file");
  app.add_option("--tensorboard", a.tensorboard,
                 "Write TensorBoard's event files into this folder");
  app.add_option(
      "--http", a.http,
      "HOST:PORT of /metrics and /healthz of a rank, plain text for "
      "all who reach it: rank N of a machine, from 0, listens at PORT "
      "+ N; port 0: any, told on stderr; default: none");
  app.add_flag("--dry-run", a.dry_run,
               "Print the plan (inputs, rounds, sizes of batches, model and "
               "checkpoints) and end; samples one batch of each split");
  app.add_flag("--no-progress", t.no_progress,
               "Print no progress on a terminal");
  AddLogFlags(app, t.log);
}

}  // namespace

void DeclareTrainFlags(CLI::App& app, TrainArguments& arguments,
                       TrainFlagTexts& texts) {
  app.footer(kFooter);
  app.set_version_flag("--version",
                       absl::StrCat("tributary-train ", kVersion, " semantics ",
                                    kSemanticsVersion));
  DeclareSource(app, arguments, texts);
  DeclareSampling(app, arguments, texts);
  DeclareModel(app, arguments);
  DeclareTraining(app, arguments, texts);
  DeclareCheckpoints(app, arguments, texts);
  DeclarePrediction(app, arguments, texts);
  DeclareRunning(app, arguments, texts);
}

}  // namespace tributary
