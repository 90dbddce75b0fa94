#include "sampler_server/tensors/request_checks.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "common/text/utf8.h"

namespace tributary {
namespace {

constexpr size_t kMaxJobBytes = 200;
constexpr size_t kMaxNameBytes = 300;
constexpr size_t kMaxPolicyBytes = 300;
// A name in DNS has 253.
constexpr size_t kMaxAddressBytes = 300;

absl::Status CheckText(const char* what, const std::string& text, size_t least,
                       size_t most) {
  if (text.size() < least || text.size() > most) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " of ", text.size(), " bytes; allowed: ", least, " to ", most));
  }
  if (IsUtf8(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " is not UTF-8"));
}

// Refuses what this program does not know and would have to keep.
absl::Status RefuseUnknownFields(const google::protobuf::Message& message,
                                 const std::string& tensor) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (unknown.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "field ", unknown.field(0).number(), " of ", message.GetTypeName(),
      " for tensor '", TerminalLine(tensor),
      "' is unknown to this server: servers and trainers are of one version"));
}

InitialKind KindOf(v1::InitialKind kind) {
  switch (kind) {
    case v1::INITIAL_ONES:
      return InitialKind::kOnes;
    case v1::INITIAL_UNIFORM:
      return InitialKind::kUniform;
    case v1::INITIAL_NORMAL:
      return InitialKind::kNormal;
    case v1::INITIAL_XAVIER_UNIFORM:
      return InitialKind::kXavierUniform;
    default:
      return InitialKind::kZeros;
  }
}

}  // namespace

absl::StatusOr<std::string> CheckJob(const std::string& job) {
  if (job.empty()) return std::string("default");
  RETURN_IF_ERROR(CheckText("a job's name", job, 1, kMaxJobBytes));
  return job;
}

absl::StatusOr<AttemptScope> CheckScope(const v1::AttemptRef& ref) {
  ASSIGN_OR_RETURN(std::string job, CheckJob(ref.job()));
  if (ref.content_digest().size() != sizeof(Sha256Digest)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a content digest of ", ref.content_digest().size(),
                     " bytes; it has ", sizeof(Sha256Digest)));
  }
  return AttemptScope{std::move(job), ref.content_digest()};
}

absl::StatusOr<TensorShape> CheckTensorSpec(const v1::TensorSpec& spec) {
  RETURN_IF_ERROR(CheckText("a tensor's name", spec.name(), 1, kMaxNameBytes));
  RETURN_IF_ERROR(
      CheckText("a tensor's policy", spec.policy(), 0, kMaxPolicyBytes));
  RETURN_IF_ERROR(RefuseUnknownFields(spec, spec.name()));
  RETURN_IF_ERROR(RefuseUnknownFields(spec.initial(), spec.name()));
  if (spec.num_rows() == 0 || spec.num_rows() > kMaxTensorRows) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", TerminalLine(spec.name()), "' of ",
                     spec.num_rows(), " rows; allowed: 1 to ", kMaxTensorRows));
  }
  TensorShape shape;
  shape.name = spec.name();
  shape.num_rows = spec.num_rows();
  shape.dim = spec.dim();
  ASSIGN_OR_RETURN(shape.dtype, DTypeFromCode(spec.dtype()));
  if (shape.row_bytes() <= kMaxRowBytes) return shape;
  return absl::InvalidArgumentError(
      absl::StrCat("tensor '", TerminalLine(spec.name()), "' has rows of ",
                   shape.row_bytes(), " bytes; allowed: ", kMaxRowBytes));
}

absl::StatusOr<RowInitializer> CheckInitialValue(const v1::TensorSpec& spec) {
  const v1::InitialValue& initial = spec.initial();
  if (!v1::InitialKind_IsValid(initial.kind())) {
    return absl::InvalidArgumentError(
        absl::StrCat("initial values of kind ",
                     static_cast<int>(initial.kind()), ", which is unknown"));
  }
  InitialValueOptions options;
  options.kind = KindOf(initial.kind());
  options.low = initial.low();
  options.high = initial.high();
  options.random_seed = initial.random_seed();
  ASSIGN_OR_RETURN(const DType dtype, DTypeFromCode(spec.dtype()));
  return RowInitializer::Create(options, spec.name(), spec.num_rows(),
                                spec.dim(), dtype);
}

absl::StatusOr<OptimizerKind> CheckOptimizer(v1::SparseOptimizer optimizer) {
  switch (optimizer) {
    case v1::SPARSE_SGD:
      return OptimizerKind::kSgd;
    case v1::SPARSE_ADAGRAD:
      return OptimizerKind::kAdagrad;
    case v1::SPARSE_ADAM:
      return OptimizerKind::kAdam;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("optimizer ", static_cast<int>(optimizer),
                       "; allowed: SGD (1), Adagrad (2), Adam (3)"));
  }
}

absl::Status CheckMemberAddress(const std::string& address) {
  return CheckText("the address of a server that holds rows", address, 1,
                   kMaxAddressBytes);
}

absl::Status CheckCount(std::string_view header, int number, size_t most,
                        absl::string_view what) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream input(
      reinterpret_cast<const uint8_t*>(header.data()),
      static_cast<int>(header.size()));
  size_t count = 0;
  while (const uint32_t tag = input.ReadTag()) {
    if (WireFormatLite::GetTagFieldNumber(tag) == number) ++count;
    if (!WireFormatLite::SkipField(&input, tag)) break;  // parsing says so
  }
  if (count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a request with ", count, " ", what, "; allowed: ", most));
}

}  // namespace tributary
