#include "cli/sample/sample_request.h"

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "cli/sample/sample_workers.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::StatusOr<DescribedSession> ParseSession(
    const SampleArguments& arguments) {
  ASSIGN_OR_RETURN(const SessionText text, SessionTextOf(arguments));
  auto session = ReadSession(text);
  if (session.ok()) return session;
  const std::string& file = arguments.session_file;
  return UsageError(absl::StrCat(file.empty() ? "" : "with --session ", file,
                                 file.empty() ? "" : ": ",
                                 session.status().message()));
}

}  // namespace

absl::StatusOr<SessionText> SessionTextOf(const SampleArguments& arguments) {
  SessionText text = arguments.session;
  if (arguments.session_file.empty()) return text;
  ASSIGN_OR_RETURN(const SessionText more,
                   ReadSessionFile(arguments.session_file));
  text.Add(more);
  return text;
}

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
