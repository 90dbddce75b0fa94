#include "cli/query/tensor_query.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/query/fleet_connection.h"
#include "common/hash/sha256.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;

absl::StatusOr<std::unique_ptr<FleetConnection>> Connect(
    const FleetAccess& access, absl::Duration timeout) {
  return FleetConnection::Open(access, StreamMethod::kData, timeout);
}

std::vector<TensorAnswer> List(FleetConnection& fleet, const std::string& job) {
  v1::ListTensorsRequest request;
  request.set_job(job);
  const auto replies = fleet.CallAll(
      {MessageKind::kListTensorsRequest, request.SerializeAsString()});
  std::vector<TensorAnswer> answers;
  for (size_t i = 0; i < replies.size(); ++i) {
    answers.push_back({fleet.addresses()[i].ToString(),
                       ReplyAs<v1::ListTensorsReply>(
                           replies[i], MessageKind::kListTensorsReply)});
  }
  return answers;
}

absl::StatusOr<bool> Drop(FleetConnection& fleet, size_t server,
                          const std::string& job, const std::string& name,
                          const std::string& content) {
  v1::DropTensorRequest request;
  request.mutable_attempt()->set_job(job);
  request.mutable_attempt()->set_content_digest(content);
  request.set_name(name);
  ASSIGN_OR_RETURN(const auto told,
                   ReplyAs<v1::DropTensorReply>(
                       fleet.Call(server, {MessageKind::kDropTensorRequest,
                                           request.SerializeAsString()}),
                       MessageKind::kDropTensorReply));
  return told.existed();
}

std::string DTypeText(uint32_t code) {
  const auto dtype = DTypeFromCode(code);
  return dtype.ok() ? std::string(DTypeName(*dtype)) : "invalid";
}

std::string OptimizerText(v1::SparseOptimizer optimizer) {
  switch (optimizer) {
    case v1::SPARSE_SGD:
      return "sgd";
    case v1::SPARSE_ADAGRAD:
      return "adagrad";
    case v1::SPARSE_ADAM:
      return "adam";
    default:
      return "none";
  }
}

std::string Hex(const std::string& digest) {
  Sha256Digest bytes{};
  if (digest.size() != bytes.size()) return "";
  std::copy(digest.begin(), digest.end(), bytes.begin());
  return ToHex(bytes);
}

Json ToJson(const v1::ListTensorsReply::Tensor& tensor) {
  const v1::TensorSpec& spec = tensor.spec();
  return {{"job", tensor.job()},
          {"name", spec.name()},
          {"content_digest", Hex(tensor.content_digest())},
          {"num_rows", spec.num_rows()},
          {"dim", spec.dim()},
          {"dtype", DTypeText(spec.dtype())},
          {"policy", spec.policy()},
          {"persistent", spec.persistent()},
          {"optimizer", OptimizerText(tensor.optimizer())},
          {"local_rows", tensor.local_rows()},
          {"written_rows", tensor.written_rows()},
          {"bytes", tensor.bytes()},
          {"attempt", tensor.attempt()}};
}

}  // namespace

absl::StatusOr<std::vector<TensorAnswer>> AskForTensors(
    const FleetAccess& access, const std::string& job, absl::Duration timeout) {
  ASSIGN_OR_RETURN(const auto fleet, Connect(access, timeout));
  return List(*fleet, job);
}

absl::StatusOr<int> DropTensors(const FleetAccess& access,
                                const std::string& job, const std::string& name,
                                absl::Duration timeout) {
  ASSIGN_OR_RETURN(const auto fleet, Connect(access, timeout));
  int dropped = 0;
  absl::Status status;
  const std::vector<TensorAnswer> answers = List(*fleet, job);
  for (size_t i = 0; i < answers.size(); ++i) {
    absl::Status one = answers[i].tensors.status();
    std::set<std::string> contents;
    if (one.ok()) {
      for (const auto& tensor : answers[i].tensors->tensors()) {
        if (tensor.spec().name() == name) {
          contents.insert(tensor.content_digest());
        }
      }
    }
    for (const std::string& content : contents) {
      const auto existed = Drop(*fleet, i, job, name, content);
      one.Update(existed.status());
      if (existed.ok() && *existed) ++dropped;
    }
    if (!one.ok()) {
      status.Update(absl::Status(
          one.code(), absl::StrCat(answers[i].address, ": ", one.message())));
    }
  }
  RETURN_IF_ERROR(status);
  if (dropped > 0) return dropped;
  return absl::NotFoundError(absl::StrCat(
      "job '", job, "' has no tensor '", name,
      "' on these servers; `tributary tensors list` prints those there are"));
}

std::string DescribeTensor(const v1::ListTensorsReply::Tensor& tensor) {
  const v1::TensorSpec& spec = tensor.spec();
  return absl::StrCat(
      spec.name(), " job=", tensor.job(),
      " graph=", Hex(tensor.content_digest()).substr(0, 12),
      " rows=", spec.num_rows(), " dim=", spec.dim(), " ",
      DTypeText(spec.dtype()), " optimizer=", OptimizerText(tensor.optimizer()),
      " local=", tensor.local_rows(), " written=", tensor.written_rows(),
      " bytes=", tensor.bytes(), " attempt=", tensor.attempt(),
      spec.persistent() ? " persistent" : "");
}

std::string TensorsToJson(const std::vector<TensorAnswer>& answers) {
  Json servers = Json::array();
  for (const TensorAnswer& answer : answers) {
    Json server = {{"address", answer.address}};
    if (!answer.tensors.ok()) {
      server["error"] = answer.tensors.status().ToString();
    } else {
      server["memory_limit"] = answer.tensors->memory_limit();
      server["memory_used"] = answer.tensors->memory_used();
      server["tensors"] = Json::array();
      for (const auto& tensor : answer.tensors->tensors()) {
        server["tensors"].push_back(ToJson(tensor));
      }
    }
    servers.push_back(std::move(server));
  }
  return Json{{"servers", servers}}.dump(-1, ' ', /*ensure_ascii=*/true,
                                         Json::error_handler_t::replace);
}

}  // namespace tributary
