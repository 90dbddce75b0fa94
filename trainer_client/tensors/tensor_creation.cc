#include "trainer_client/tensors/tensor_creation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/parse_header.h"
#include "common/hash/sha256.h"
#include "common/text/status.h"
#include "common/text/utf8.h"

namespace tributary {
namespace {

constexpr size_t kMaxNameBytes = 300;
constexpr uint64_t kMaxRows = uint64_t{1} << 48;
constexpr size_t kMaxRowBytes = size_t{1} << 20;

absl::Status Refused(const DistTensorOptions& options, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("tensor '", options.name, "': ", what));
}

// Returns the number of rows that the policy gives.
absl::StatusOr<int64_t> RowsOf(const DistTensorOptions& options,
                               const GraphSchema& schema) {
  const absl::string_view policy = options.policy;
  if (policy.substr(0, 5) == "node:") {
    const int type = schema.FindNodeType(std::string(policy.substr(5)));
    if (type >= 0) return schema.node_types[type].num_nodes;
  } else if (policy.substr(0, 5) == "edge:") {
    const int type = schema.FindEdgeType(std::string(policy.substr(5)));
    if (type >= 0) {
      // Ids of edges that were dropped have rows, too.
      const EdgeTypeSchema& edges = schema.edge_types[type];
      return edges.edge_index ? edges.num_edge_ids : edges.num_edges;
    }
  } else {
    return Refused(options, absl::StrCat("policy '", policy,
                                         "'; allowed: node:TYPE, "
                                         "edge:SRC,REL,DST or none"));
  }
  return Refused(options, absl::StrCat("policy '", policy,
                                       "': the graph has no such type"));
}

absl::Status CheckInitial(const DistTensorOptions& options) {
  using Kind = InitialValues::Kind;
  const InitialValues& initial = options.initial;
  if (initial.kind == Kind::kZeros || initial.kind == Kind::kOnes) {
    return absl::OkStatus();
  }
  if (!IsFloating(options.dtype)) {
    return Refused(options, absl::StrCat("initial values of ",
                                         std::string(DTypeName(options.dtype)),
                                         " are zeros or ones"));
  }
  if (!std::isfinite(initial.low) || !std::isfinite(initial.high)) {
    return Refused(options, "initial: low and high must be finite");
  }
  if (initial.kind == Kind::kUniform && initial.low > initial.high) {
    return Refused(options, absl::StrCat("initial: low = ", initial.low,
                                         " exceeds high = ", initial.high));
  }
  if (initial.kind == Kind::kNormal && initial.high < 0) {
    return Refused(options, absl::StrCat("initial: the standard deviation ",
                                         initial.high, " is negative"));
  }
  return absl::OkStatus();
}

v1::InitialKind KindOf(InitialValues::Kind kind) {
  switch (kind) {
    case InitialValues::Kind::kZeros:
      return v1::INITIAL_ZEROS;
    case InitialValues::Kind::kOnes:
      return v1::INITIAL_ONES;
    case InitialValues::Kind::kUniform:
      return v1::INITIAL_UNIFORM;
    case InitialValues::Kind::kNormal:
      return v1::INITIAL_NORMAL;
    case InitialValues::Kind::kXavierUniform:
      return v1::INITIAL_XAVIER_UNIFORM;
  }
  return v1::INITIAL_ZEROS;
}

absl::Status CheckShape(const DistTensorOptions& options) {
  if (options.name.empty() || options.name.size() > kMaxNameBytes ||
      !IsUtf8(options.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tensor's name has ", options.name.size(),
                     " bytes; allowed: 1 to 300 bytes of UTF-8"));
  }
  RETURN_IF_ERROR(DTypeFromCode(static_cast<uint32_t>(options.dtype)).status());
  if (options.dim < 0 || static_cast<uint64_t>(options.dim) >
                             kMaxRowBytes / DTypeSize(options.dtype)) {
    return Refused(options, absl::StrCat("dim = ", options.dim,
                                         "; allowed: 0, and rows of at most ",
                                         kMaxRowBytes, " bytes"));
  }
  return CheckInitial(options);
}

// Encodes the members of the tensor for the other ranks; empty: all.
std::string EncodeMembers(const TensorClient& client,
                          const std::vector<uint32_t>& members) {
  if (members.size() == client.members().size()) return "";
  return {reinterpret_cast<const char*>(members.data()),
          members.size() * sizeof(uint32_t)};
}

absl::StatusOr<std::shared_ptr<TensorInfo>> InfoOf(const TensorClient& client,
                                                   const v1::TensorSpec& spec,
                                                   const std::string& members) {
  std::vector<uint32_t> member_of(members.size() / sizeof(uint32_t));
  if (member_of.empty()) {
    member_of.resize(client.members().size());
    std::iota(member_of.begin(), member_of.end(), uint32_t{0});
  } else {
    std::memcpy(member_of.data(), members.data(),
                member_of.size() * sizeof(uint32_t));
  }
  std::vector<RowMember> rows;
  for (const uint32_t member : member_of) {
    if (member >= client.members().size()) {
      return absl::InternalError("rank 0 names a member that there is not");
    }
    rows.push_back(client.members()[member]);
  }
  ASSIGN_OR_RETURN(RowPlacement placement,
                   RowPlacement::Create(std::move(rows)));
  ASSIGN_OR_RETURN(const DType dtype, DTypeFromCode(spec.dtype()));
  return std::make_shared<TensorInfo>(
      TensorInfo{spec, dtype, spec.dim() == 0 ? 1 : size_t{spec.dim()},
                 std::move(placement), std::move(member_of)});
}

// Creates a tensor on the members; rank 0's part.
class Creation {
 public:
  Creation(TensorClient& client, const v1::TensorSpec& spec)
      : client_(client), spec_(spec) {}

  absl::Status DropOn(const std::vector<uint32_t>& members) {
    if (members.empty()) return absl::OkStatus();
    v1::DropTensorRequest request;
    *request.mutable_attempt() = client_.ref();
    request.set_name(spec_.name());
    return client_.CallMembers(members, MessageKind::kDropTensorRequest,
                               MessageKind::kDropTensorReply, request);
  }

  // Returns the members that hold the tensor's rows.
  absl::StatusOr<std::vector<uint32_t>> Run() {
    RETURN_IF_ERROR(Ask());
    if (!error_.ok()) {
      (void)DropOn(made_);  // the first error says more
      return error_;
    }
    if (found_.empty()) return made_;
    // Of an earlier run, perhaps: its rows are where they were.
    auto members = PlacementFound();
    if (!members.ok()) (void)DropOn(made_);
    return members;
  }

 private:
  absl::Status Ask() {
    v1::CreateTensorRequest request;
    *request.mutable_attempt() = client_.ref();
    *request.mutable_spec() = spec_;
    std::vector<TensorClient::Request> requests;
    for (uint32_t m = 0; m < client_.members().size(); ++m) {
      requests.push_back({m,
                          {.kind = MessageKind::kCreateTensorRequest,
                           .reply = MessageKind::kCreateTensorReply,
                           .header = request.SerializeAsString(),
                           .deadline = client_.Deadline(),
                           .retry_when_full = false}});
    }
    const auto replies = client_.CallEach(std::move(requests));
    for (uint32_t m = 0; m < replies.size(); ++m) {
      if (!replies[m].ok()) {
        error_.Update(replies[m].status());
        continue;
      }
      ASSIGN_OR_RETURN(auto told, ParseReplyHeader<v1::CreateTensorReply>(
                                      replies[m]->kind, replies[m]->header));
      (told.existed() ? found_ : made_).push_back(m);
      if (told.existed()) placements_.push_back(std::move(told));
    }
    return absl::OkStatus();
  }

  // Returns the members of a tensor that some members had. A member whose
  // first answer was lost had it, too.
  absl::StatusOr<std::vector<uint32_t>> PlacementFound() {
    std::vector<uint32_t> members;
    std::vector<uint32_t> others = made_;
    for (const v1::TensorMember& holder : placements_[0].members()) {
      const RowMember wanted{holder.address(), holder.incarnation()};
      const auto at =
          std::find(client_.members().begin(), client_.members().end(), wanted);
      if (at == client_.members().end()) return Incomplete(wanted.address);
      members.push_back(static_cast<uint32_t>(at - client_.members().begin()));
      std::erase(others, members.back());
    }
    for (const v1::CreateTensorReply& other : placements_) {
      if (!SamePlacement(other, placements_[0])) {
        return Incomplete("that another run has placed it on");
      }
    }
    if (others.size() != made_.size()) RETURN_IF_ERROR(CheckNew());
    (void)DropOn(others);
    return members;
  }
  static bool SamePlacement(const v1::CreateTensorReply& a,
                            const v1::CreateTensorReply& b) {
    return std::equal(a.members().begin(), a.members().end(),
                      b.members().begin(), b.members().end(),
                      [](const auto& x, const auto& y) {
                        return x.address() == y.address() &&
                               x.incarnation() == y.incarnation();
                      });
  }
  // Some members of its placement had the tensor and others had not: it is new,
  // unless rows were written.
  absl::Status CheckNew() {
    v1::ListTensorsRequest request;
    request.set_job(client_.ref().job());
    std::vector<TensorClient::Request> requests;
    for (const uint32_t member : found_) {
      requests.push_back({member,
                          {.kind = MessageKind::kListTensorsRequest,
                           .reply = MessageKind::kListTensorsReply,
                           .header = request.SerializeAsString(),
                           .deadline = client_.Deadline()}});
    }
    for (const auto& reply : client_.CallEach(std::move(requests))) {
      RETURN_IF_ERROR(reply.status());
      ASSIGN_OR_RETURN(const auto told, ParseReplyHeader<v1::ListTensorsReply>(
                                            reply->kind, reply->header));
      for (const auto& one : told.tensors()) {
        if (one.spec().name() == spec_.name() && one.written_rows() > 0 &&
            one.content_digest() == client_.ref().content_digest()) {
          return Incomplete(client_.members()[made_[0]].address);
        }
      }
    }
    return absl::OkStatus();
  }
  absl::Status Incomplete(absl::string_view server) const {
    return absl::FailedPreconditionError(absl::StrCat(
        "tensor '", spec_.name(),
        "' is of an earlier run, and some of its rows were on the server ",
        server,
        ", which has ended, dropped it, or is not in this run; drop it by "
        "`tributary tensors drop`, or restore a snapshot"));
  }

  TensorClient& client_;
  const v1::TensorSpec& spec_;
  absl::Status error_;
  std::vector<uint32_t> made_;
  std::vector<uint32_t> found_;
  std::vector<v1::CreateTensorReply> placements_;  // of found_
};

absl::StatusOr<std::string> CreateAsRankZero(
    const std::shared_ptr<TensorClient>& client, const v1::TensorSpec& spec,
    CollectiveProgress& progress) {
  Creation creation(*client, spec);
  const auto restorer = client->restorer();
  const bool restored = restorer != nullptr && restorer->Has(spec.name());
  if (restored) {
    RETURN_IF_ERROR(restorer->Check(spec));
    std::vector<uint32_t> all(client->members().size());
    std::iota(all.begin(), all.end(), uint32_t{0});
    RETURN_IF_ERROR(creation.DropOn(all));
  }
  ASSIGN_OR_RETURN(const std::vector<uint32_t> members, creation.Run());
  const std::string encoded = EncodeMembers(*client, members);
  if (!restored) return encoded;
  ASSIGN_OR_RETURN(const auto info, InfoOf(*client, spec, encoded));
  info->optimizer = restorer->OptimizerOf(spec.name());
  RETURN_IF_ERROR(AttachOnMembers(*client, *info, info->optimizer));
  RETURN_IF_ERROR(restorer->Restore(client, info, progress));
  return encoded;
}

}  // namespace

absl::StatusOr<v1::TensorSpec> SpecOf(const DistTensorOptions& options,
                                      const GraphSchema& schema) {
  RETURN_IF_ERROR(CheckShape(options));
  int64_t num_rows = options.num_rows;
  if (!options.policy.empty()) {
    ASSIGN_OR_RETURN(const int64_t of_policy, RowsOf(options, schema));
    if (num_rows == 0) num_rows = of_policy;
    if (num_rows != of_policy) {
      return Refused(options,
                     absl::StrCat("num_rows = ", num_rows, "; the policy '",
                                  options.policy, "' gives ", of_policy));
    }
  }
  if (num_rows < 1 || static_cast<uint64_t>(num_rows) > kMaxRows) {
    return Refused(options, absl::StrCat("num_rows = ", num_rows,
                                         "; allowed: 1 to ", kMaxRows));
  }
  v1::TensorSpec spec;
  spec.set_name(options.name);
  spec.set_num_rows(static_cast<uint64_t>(num_rows));
  spec.set_dim(static_cast<uint32_t>(options.dim));
  spec.set_dtype(static_cast<uint32_t>(options.dtype));
  spec.mutable_initial()->set_kind(KindOf(options.initial.kind));
  spec.mutable_initial()->set_low(options.initial.low);
  spec.mutable_initial()->set_high(options.initial.high);
  spec.mutable_initial()->set_random_seed(options.initial.random_seed);
  spec.set_policy(options.policy);
  spec.set_persistent(options.persistent);
  return spec;
}

absl::Status AttachOnMembers(TensorClient& client, const TensorInfo& tensor,
                             v1::SparseOptimizer optimizer) {
  if (optimizer == v1::SPARSE_NONE) return absl::OkStatus();
  v1::AttachOptimizerRequest request;
  *request.mutable_attempt() = client.ref();
  request.set_name(tensor.spec.name());
  request.set_optimizer(optimizer);
  return client.CallMembers(tensor.member_of,
                            MessageKind::kAttachOptimizerRequest,
                            MessageKind::kAttachOptimizerReply, request);
}

absl::StatusOr<std::shared_ptr<const TensorInfo>> CreateTensor(
    const std::shared_ptr<TensorClient>& client,
    const DistTensorOptions& options) {
  const auto spec = SpecOf(options, client->schema());
  absl::StatusOr<std::string> mine = std::string();
  if (spec.ok()) {
    mine = ToHex(Sha256Of(spec->SerializeAsString()));
  } else {
    mine = spec.status();
  }
  const std::string what = absl::StrCat(
      "create tensor",
      spec.ok() ? absl::StrCat(" '", options.name, "'") : std::string());
  ASSIGN_OR_RETURN(
      const std::string members,
      RunTogether(*client, what, mine, [&](CollectiveProgress& progress) {
        return CreateAsRankZero(client, *spec, progress);
      }));
  ASSIGN_OR_RETURN(const auto info, InfoOf(*client, *spec, members));
  client->Put(info);
  return info;
}

}  // namespace tributary
