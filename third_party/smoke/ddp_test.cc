// Two processes train one model by c10d's reducer over Gloo, from C++ alone.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace tributary {
namespace {

constexpr int kProcesses = 2;
constexpr int kSteps = 20;
constexpr size_t kBucketBytes = 25 << 20;
constexpr std::chrono::seconds kTimeout(30);

c10::intrusive_ptr<c10d::TCPStore> MakeServer() {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  options.timeout = kTimeout;
  return c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
}

c10::intrusive_ptr<c10d::ProcessGroup> MakeGroup(int port, int rank) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(port);
  options.timeout = kTimeout;
  auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  auto gloo = c10d::ProcessGroupGloo::Options::create(kTimeout);
  gloo->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank,
                                                             kProcesses, gloo);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, kProcesses);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::GLOO, backend);
  group->setDefaultBackend(c10d::ProcessGroup::GLOO);
  return group;
}

std::shared_ptr<c10d::Reducer> MakeReducer(
    const std::vector<torch::Tensor>& params,
    const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  const std::vector<bool> sparse(params.size(), false);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      params, {1 << 20, kBucketBytes}, sparse);
  return std::make_shared<c10d::Reducer>(
      params, std::move(buckets), group, sparse, kBucketBytes,
      /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/false,
      std::unordered_map<size_t, std::string>{}, /*first_bucket_bytes_cap=*/
      1 << 20, /*skip_all_reduce_unused_params=*/false,
      /*use_python_reducer=*/false, std::vector<int64_t>{});
}

// Each rank sees other data; the parameters must stay equal. True if they did.
bool Train(int port, int rank) {
  auto group = MakeGroup(port, rank);
  torch::manual_seed(7);  // the same first parameters
  torch::nn::Linear model(4, 3);
  auto reducer = MakeReducer(model->parameters(), group);
  auto logger = std::make_shared<c10d::Logger>(reducer);
  reducer->set_logger(logger);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  torch::manual_seed(100 + rank);
  for (int step = 0; step < kSteps; ++step) {
    reducer->prepare_for_forward();
    torch::Tensor loss = model->forward(torch::randn({8, 4})).pow(2).mean();
    reducer->prepare_for_backward({});
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  torch::NoGradGuard no_grad;
  torch::Tensor mine =
      torch::cat({model->weight.flatten(), model->bias.flatten()});
  std::vector<torch::Tensor> sum = {mine.clone()};
  group->allreduce(sum)->wait();
  return torch::allclose(sum[0] / kProcesses, mine, 0, 1e-7);
}

TEST(Ddp, TwoProcessesKeepEqualParameters) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();  // before any thread of torch's
  if (child == 0) {
    int port = 0;
    const bool told = read(pipe_ends[0], &port, sizeof(port)) == sizeof(port);
    _exit(told && Train(port, 1) ? 0 : 1);
  }
  auto server = MakeServer();
  const int port = server->getPort();
  ASSERT_EQ(write(pipe_ends[1], &port, sizeof(port)),
            static_cast<ssize_t>(sizeof(port)));
  EXPECT_TRUE(Train(port, 0));
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tributary
