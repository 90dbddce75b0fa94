#include "channel/method_roles.h"

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

struct MethodRule {
  absl::string_view name;
  absl::string_view allowed;  // in words, for messages
  bool sampler, trainer, op;
};

MethodRule RuleOf(StreamMethod method) {
  switch (method) {
    case StreamMethod::kLeaf:
      return {"Leaf", "samplers", true, false, false};
    case StreamMethod::kBatches:
      return {"StreamBatches", "trainers and operators", false, true, true};
    case StreamMethod::kData:
      return {"Data", "trainers and operators", false, true, true};
    case StreamMethod::kControl:
      return {"Control", "samplers, trainers and operators", true, true, true};
  }
  return {"unknown", "nobody", false, false, false};
}

bool IsAllowed(const MethodRule& rule, Role role) {
  switch (role) {
    case Role::kAnonymous:
      return true;
    case Role::kSampler:
      return rule.sampler;
    case Role::kTrainer:
      return rule.trainer;
    case Role::kOperator:
      return rule.op;
  }
  return false;
}

}  // namespace

absl::Status CheckMethodAllowed(StreamMethod method, const Identity& identity) {
  const MethodRule rule = RuleOf(method);
  if (IsAllowed(rule, identity.role)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(identity.ToString(), " may not open a stream of ", rule.name,
                   "; allowed: ", rule.allowed));
}

}  // namespace tributary
