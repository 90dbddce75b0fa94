// Asks every server of a list for the tensors that it holds rows of.
#ifndef TRIBUTARY_CLI_QUERY_TENSOR_QUERY_H_
#define TRIBUTARY_CLI_QUERY_TENSOR_QUERY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/query/fleet_access.h"
#include "common/proto/tensors.pb.h"

namespace tributary {

// The answer of one listed server.
struct TensorAnswer {
  std::string address;
  absl::StatusOr<v1::ListTensorsReply> tensors;
};

// Asks all servers of the list `access.servers` for the tensors of `job`, empty
// for all jobs, within `timeout`. Answers are ordered by address. Returns a
// usage error when the list has another form or some of the TLS files are not
// given; NOT_FOUND when the list is empty.
absl::StatusOr<std::vector<TensorAnswer>> AskForTensors(
    const FleetAccess& access, const std::string& job, absl::Duration timeout);

// Ends the tensor `name` of `job`, of every graph, on all servers; returns on
// how many there was one. NOT_FOUND if on none; otherwise the first error of a
// server, with its address, after all were asked.
absl::StatusOr<int> DropTensors(const FleetAccess& access,
                                const std::string& job, const std::string& name,
                                absl::Duration timeout);

// One line for each tensor: "NAME job=J graph=DIGEST rows=N dim=D DTYPE ...".
std::string DescribeTensor(const v1::ListTensorsReply::Tensor& tensor);
// The answers as one JSON object: servers, each with its memory and tensors, or
// its error.
std::string TensorsToJson(const std::vector<TensorAnswer>& answers);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_QUERY_TENSOR_QUERY_H_
