#include "cli/sample/sample_request.h"

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "cli/sample/sample_workers.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Adds the texts of --session to those of the flags.
absl::StatusOr<DescribedSession> ParseSession(
    const SampleArguments& arguments) {
  SessionText text = arguments.session;
  const std::string& file = arguments.session_file;
  if (!file.empty()) {
    ASSIGN_OR_RETURN(const SessionText more, ReadSessionFile(file));
    text.Add(more);
  }
  auto session = ReadSession(text);
  if (session.ok()) return session;
  return UsageError(absl::StrCat(file.empty() ? "" : "with --session ", file,
                                 file.empty() ? "" : ": ",
                                 session.status().message()));
}

}  // namespace

absl::StatusOr<SampleRequest> ParseSampleArguments(
    const SampleArguments& arguments) {
  SampleRequest request;
  RETURN_IF_ERROR(ParseSampleSource(arguments, &request));
  ASSIGN_OR_RETURN(request.session, ParseSession(arguments));
  ASSIGN_OR_RETURN(request.epoch, ParseWhole("--epoch", arguments.epoch));
  ASSIGN_OR_RETURN(request.batches, ParseRange("--batches", arguments.batches));
  RETURN_IF_ERROR(ParseSampleWorker(arguments, &request));
  request.out = arguments.out;
  return request;
}

}  // namespace tributary
