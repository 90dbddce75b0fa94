#include "trainer_client/torch/ddp/agree.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::Status AgreeOnRank0(ProcessGroup& group, const absl::Status& of_rank_0) {
  ASSIGN_OR_RETURN(const std::string text,
                   group.BroadcastText(
                       of_rank_0.ok() ? "" : std::string(of_rank_0.message())));
  ASSIGN_OR_RETURN(const std::string code,
                   group.BroadcastText(absl::StrCat(of_rank_0.raw_code())));
  if (code == "0") return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(std::stoi(code)), text);
}

}  // namespace tributary
