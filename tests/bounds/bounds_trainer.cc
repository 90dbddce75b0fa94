// A trainer without a model, with the flags and lines of `tributary sample`. An
// error in a batch's place is printed as a line, too, and the epoch continues:
//
//   error NTH CODE: TEXT
//
// NTH counts batches from the first one requested.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/grpc/grpc_transport.h"
#include "cli/sample/sample_flags.h"
#include "cli/sample/sample_output.h"
#include "cli/sample/sample_request.h"
#include "common/observe/log.h"
#include "common/runtime/thread_pool.h"
#include "common/text/status.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {
namespace {

void PrintLine(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// Prints every batch of the range, or its error; drops each lease before the
// next.
absl::Status TakeAll(const SampleRequest& request, DistLoader& loader) {
  RETURN_IF_ERROR(loader.StartEpoch(request.epoch));
  RETURN_IF_ERROR(loader.Limit(request.batches.from, request.batches.to));
  for (uint64_t nth = 0;; ++nth) {
    const auto batch = loader.Next();
    if (!batch.ok()) {
      PrintLine(absl::StrCat("error ", nth, " ", batch.status().ToString()));
    } else if (batch->has_value()) {
      PrintLine(SampleLine((*batch)->view()));
    } else {
      return absl::OkStatus();
    }
  }
}

absl::Status Train(const SampleArguments& arguments) {
  ASSIGN_OR_RETURN(SampleRequest request, ParseSampleArguments(arguments));
  SetLogLevel(LogLevel::kWarning);
  GrpcTransport transport;
  ThreadPool pool("trainer", request.threads);
  absl::Status status;
  {
    ASSIGN_OR_RETURN(auto loader,
                     DistLoader::Create(request.session.options, request.worker,
                                        {&pool, &transport}));
    status = TakeAll(request, *loader);
  }
  transport.Shutdown();  // what its handlers post to outlives it
  return status;
}

int Main(int argc, char** argv) {
  CLI::App app("A trainer for tests of bounds.");
  SampleArguments arguments;
  DeclareSampleSource(app, arguments);
  DeclareSession(app, arguments);
  DeclareSampleLimits(app, arguments);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = Train(arguments);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) { return tributary::Main(argc, argv); }
