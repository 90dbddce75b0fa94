// One trainer and servers that hold rows, in a simulation.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_TESTING_TENSOR_WORLD_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_TESTING_TENSOR_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/testing/sim_network.h"
#include "common/fleet/host_resolver.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/sim_fleet.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {

struct TensorWorldOptions {
  uint64_t seed = 1;
  int num_servers = 2;
  SimNetworkFaults faults;
  absl::Duration timeout = absl::Seconds(30);
};

// Runs the real SamplerService on each server, and contexts of one rank whose
// calls run the world until they are answered. The graph has 500 nodes of type
// "node". Used on one thread.
class TensorWorld {
 public:
  explicit TensorWorld(const TensorWorldOptions& options);
  ~TensorWorld();

  // Opens a context of a new process of the trainer, which must end before the
  // world. Its workers() may not be called.
  absl::StatusOr<std::unique_ptr<DistContext>> Open(uint64_t attempt);

  SimFleet& fleet() { return fleet_; }
  SimServer& server(size_t i) { return *fleet_.servers[i]; }
  void RunFor(absl::Duration time);

 private:
  const TensorWorldOptions options_;
  SimFleet fleet_;
  SystemHostResolver resolver_;
  uint64_t clients_ = 0;
};

// The rows 0 to n - 1.
std::vector<int64_t> FirstRows(int64_t n);

// Typed reads and writes; a read's error fails the test.
template <typename T>
std::vector<T> ReadAs(DistTensor& tensor, const std::vector<int64_t>& rows,
                      std::unique_ptr<RowPrefetch> prefetch = nullptr) {
  std::vector<T> values(rows.size() * tensor.width());
  const absl::Status status =
      tensor.Read(rows,
                  absl::MakeSpan(reinterpret_cast<uint8_t*>(values.data()),
                                 values.size() * sizeof(T)),
                  std::move(prefetch));
  if (!status.ok()) ADD_FAILURE() << status;
  return values;
}
template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                             values.size() * sizeof(T));
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_TESTING_TENSOR_WORLD_H_
