"""What the C++ of a page or header takes for granted, as parameters."""

LOADER = """
    NeighborLoaderOptions options, RemoteDistSamplingWorkerOptions worker,
    LoaderEnvironment environment"""
CHECKPOINT = """
    std::string root, uint64_t step, std::vector<TensorView> tensors,
    CheckpointManifest manifest"""

NAMES = {
    "docs/checkpoints.md": CHECKPOINT,
    "docs/distributed-data.md": """
        const SamplingWorkerOptionsOfAMode& options, int rank, int world,
        uint64_t step, std::vector<int64_t> ids, std::vector<uint8_t> values,
        const RankEnvironment& place, std::shared_ptr<OwnModel> model,
        std::vector<at::Tensor> batches,
        std::function<at::Tensor(const at::Tensor&)> loss_of""",
    "docs/modes.md": "NeighborLoaderOptions options",
    "docs/training.md": LOADER,
    "trainer_client/core/dist_loader.h":
        LOADER + ", std::function<void(const BatchView&)> Train",
    "trainer_client/core/dist_neighbor_loader.h":
        "LoaderEnvironment environment",
    "trainer_client/core/kinds/session_options.h": "CommonLoaderOptions common",
    "trainer_client/core/options.h": "int world_size, int rank",
    "trainer_client/core/recent_wait.h": "absl::Time start",
    "trainer_client/graph/dist_data_loader.h": """
        RankShare share,
        std::function<absl::StatusOr<Blocks>(absl::Span<const int64_t>)> Sample,
        std::function<void(const Blocks&)> Train""",
    "trainer_client/graph/dist_graph.h":
        "DistContext* context, std::vector<int64_t> ids",
    "trainer_client/modes/sampling_workers.h": "NeighborLoaderOptions options",
    "trainer_client/tensors/initialize.h":
        "int world_size, int rank, DistOptions options",
    "trainer_client/torch/checkpoint/checkpoint_writer.h": CHECKPOINT,
    "trainer_client/torch/ddp/ddp.h": """
        std::shared_ptr<OwnModel> model, ProcessGroup* group, DistLoader* loader,
        std::function<at::Tensor(const BatchLease&)> LossOf""",
    "trainer_client/torch/embedding/dist_embedding.h": """
        DistContext* context, std::vector<at::Tensor> batches,
        torch::optim::Optimizer& optimizer, DistributedDataParallel* ddp,
        std::shared_ptr<OwnModel> model,
        std::function<at::Tensor(const at::Tensor&)> LossOf""",
    "trainer_client/torch/embedding/sparse_optimizer.h": """
        torch::optim::Optimizer& optimizer, DistributedDataParallel* ddp,
        SparseOptimizer* sparse, at::Tensor loss, uint32_t batches,
        uint32_t world, uint32_t rank,
        std::function<at::Tensor(uint32_t)> LossOf""",
    "trainer_client/torch/inference/predictor.h": """
        BatchSource* source, PredictOptions options, TrainOptions train_options,
        ProcessGroup* group, TrainObserver* observer, Learner* learner""",
    "trainer_client/torch/tasks/input_order.h": """
        std::vector<uint64_t> input_numbers, std::vector<float> scores,
        size_t num_tasks""",
    "trainer_client/torch/batch_tensors/tensor_inputs.h": "at::Tensor train_mask",
    "trainer_client/torch/batch_tensors/torch_batch.h": "BatchLease* lease",
    "trainer_client/torch/train/schedule/lr_schedule.h": """
        std::function<void(double)> SetLearningRate, uint64_t step,
        uint64_t epoch""",
}
