#include "sampler_server/access/policy_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"

namespace tributary {

PolicyFile::PolicyFile(std::string path, std::shared_ptr<Strand> strand,
                       Metrics* metrics)
    : path_(std::move(path)),
      strand_(std::move(strand)),
      broken_(metrics->AddGauge(
          "tributary_policy_broken",
          "1 while the file of --policy cannot be read or parsed, and the "
          "policy before it holds on")) {}

absl::Status PolicyFile::Start(OnPolicy on_policy) {
  on_policy_ = std::move(on_policy);
  RETURN_IF_ERROR(Read());
  broken_.Set(0);
  ReadAgainLater();
  return absl::OkStatus();
}

void PolicyFile::Stop() { stopped_ = true; }

absl::Status PolicyFile::Read() {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path_, AccessPolicy::kMaxBytes));
  if (text == text_ && problem_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(AccessPolicy policy, AccessPolicy::Parse(text, path_));
  if (text == text_) return absl::OkStatus();
  text_ = std::move(text);
  on_policy_(std::make_shared<const AccessPolicy>(std::move(policy)));
  return absl::OkStatus();
}

void PolicyFile::ReadAgainLater() {
  strand_->PostAfter(kPeriod, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr || self->stopped_) return;
    const std::string problem = [&] {
      const absl::Status read = self->Read();
      return read.ok() ? "" : read.ToString();
    }();
    if (problem != self->problem_) {
      self->problem_ = problem;
      self->broken_.Set(problem.empty() ? 0 : 1);
      Log(problem.empty() ? LogLevel::kInfo : LogLevel::kWarning,
          problem.empty()
              ? absl::StrCat("--policy ", self->path_, ": it is sound again")
              : absl::StrCat("--policy: ", TerminalLine(problem),
                             "; the policy before it holds on"));
    }
    self->ReadAgainLater();
  });
}

}  // namespace tributary
