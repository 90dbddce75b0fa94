#include "channel/shm/worker_report.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace tributary {
namespace {

constexpr size_t kMostText = 4096;

}  // namespace

// The report is one byte, the code, then the text.
void SendWorkerReport(int door, const absl::Status& status) {
  std::string report(1, static_cast<char>(status.code()));
  report.append(std::string(status.message().substr(0, kMostText)));
  // If it fails, the trainer has ended or will see this worker's end.
  (void)send(door, report.data(), report.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::optional<absl::Status> ReceiveWorkerReport(int door) {
  char report[1 + kMostText];
  const ssize_t n = recv(door, report, sizeof(report), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (n <= 0) return absl::UnavailableError("the worker has ended");
  const auto code = static_cast<absl::StatusCode>(report[0]);
  if (code < absl::StatusCode::kOk ||
      code > absl::StatusCode::kUnauthenticated) {
    return absl::DataLossError("the worker's report is none");
  }
  return absl::Status(
      code, absl::string_view(report + 1, static_cast<size_t>(n) - 1));
}

}  // namespace tributary
