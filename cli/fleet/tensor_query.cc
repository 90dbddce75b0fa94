#include "cli/fleet/tensor_query.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "channel/network.h"
#include "channel/parse_header.h"
#include "channel/transports/network_choice.h"
#include "cli/command/command.h"
#include "common/fleet/discovery_source.h"
#include "common/hash/sha256.h"
#include "common/identity/tls_material.h"
#include "common/runtime/thread_pool.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/core/fleet/fleet_calls.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

// Connections to all servers of a list, for calls on tensors.
class TensorFleet {
 public:
  explicit TensorFleet(const TlsFiles& tls)
      : transport_(MakeNetworkTransport({.tls = tls})) {}
  static absl::StatusOr<std::unique_ptr<TensorFleet>> Connect(
      const FleetAccess& access, absl::Duration timeout) {
    const absl::Status tls = CheckTlsFiles(access.tls);
    if (!tls.ok()) return UsageError(tls.message());
    if (!access.tls.empty()) {
      RETURN_IF_ERROR(ReadTlsMaterial(access.tls).status());
    }
    auto source = ParseDiscoverySource(access.servers);
    if (!source.ok()) {
      return UsageError(absl::StrCat("--servers: ", source.status().message()));
    }
    auto fleet = std::make_unique<TensorFleet>(access.tls);
    RETURN_IF_ERROR(CheckRoomForNetwork());
    fleet->deadline_ = fleet->pool_.Now() + timeout;
    ASSIGN_OR_RETURN(fleet->addresses_,
                     ListServers(*std::move(source), timeout, fleet->pool_));
    std::sort(fleet->addresses_.begin(), fleet->addresses_.end());
    fleet->calls_ =
        std::make_unique<FleetCalls>(fleet->addresses_, fleet->transport_.get(),
                                     &fleet->pool_, StreamMethod::kData);
    return fleet;
  }
  ~TensorFleet() {
    calls_ = nullptr;
    transport_->Shutdown();
  }

  std::vector<TensorAnswer> List(const std::string& job) {
    std::vector<TensorAnswer> answers;
    for (const Address& address : addresses_) {
      answers.push_back(
          {address.ToString(), absl::DeadlineExceededError("no answer")});
    }
    std::vector<size_t> all(addresses_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    v1::ListTensorsRequest request;
    request.set_job(job);
    for (const FleetReply& r : calls_->Call(
             all,
             {MessageKind::kListTensorsRequest, request.SerializeAsString()},
             deadline_)) {
      answers[r.server].tensors = ToReply<v1::ListTensorsReply>(
          r.reply, MessageKind::kListTensorsReply);
    }
    return answers;
  }

  absl::StatusOr<bool> Drop(size_t server, const std::string& job,
                            const std::string& name,
                            const std::string& content) {
    v1::DropTensorRequest request;
    request.mutable_attempt()->set_job(job);
    request.mutable_attempt()->set_content_digest(content);
    request.set_name(name);
    const auto replies = calls_->Call(
        {server},
        {MessageKind::kDropTensorRequest, request.SerializeAsString()},
        deadline_);
    if (replies.empty()) return absl::DeadlineExceededError("no answer");
    ASSIGN_OR_RETURN(const auto told,
                     ToReply<v1::DropTensorReply>(
                         replies.front().reply, MessageKind::kDropTensorReply));
    return told.existed();
  }

 private:
  template <typename Reply>
  static absl::StatusOr<Reply> ToReply(const absl::StatusOr<CallReply>& reply,
                                       MessageKind wanted) {
    RETURN_IF_ERROR(reply.status());
    if (reply->kind != wanted) {
      return absl::InternalError(
          absl::StrCat("answered by ", MessageKindName(reply->kind)));
    }
    return ParseHeader<Reply>(reply->kind, reply->header);
  }

  const std::unique_ptr<NetworkTransport> transport_;
  ThreadPool pool_{"tensors", 1};
  absl::Time deadline_;
  std::vector<Address> addresses_;
  std::unique_ptr<FleetCalls> calls_;
};

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
  ASSIGN_OR_RETURN(auto fleet, TensorFleet::Connect(access, timeout));
  return fleet->List(job);
}

absl::StatusOr<int> DropTensors(const FleetAccess& access,
                                const std::string& job, const std::string& name,
                                absl::Duration timeout) {
  ASSIGN_OR_RETURN(auto fleet, TensorFleet::Connect(access, timeout));
  int dropped = 0;
  absl::Status status;
  const std::vector<TensorAnswer> answers = fleet->List(job);
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
      const auto existed = fleet->Drop(i, job, name, content);
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
