#include "cli/dispatch/dispatch_report.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/text/terminal_text.h"

namespace tributary {

void ReportDispatched(absl::string_view program, const Dispatched& done) {
  const std::string name = TerminalLine(done.host.name);
  if (done.status.ok()) {
    std::printf("%s %s partitions=%s files=%lu bytes=%lu\n",
                done.already ? "complete already:" : "sent", name.c_str(),
                done.host.PartitionsText().c_str(), done.files, done.bytes);
    std::fflush(stdout);
    return;
  }
  std::fputs(
      TerminalError(program, absl::StrCat(name, ": ", done.status.message()))
          .c_str(),
      stderr);
}

}  // namespace tributary
