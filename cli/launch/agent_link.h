// The launcher's end of the connection to a host's agent.
#ifndef TRIBUTARY_CLI_LAUNCH_AGENT_LINK_H_
#define TRIBUTARY_CLI_LAUNCH_AGENT_LINK_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/launch/agent_messages.h"
#include "cli/launch/child_process.h"
#include "cli/launch/line_splitter.h"

namespace tributary {

// A child process, ssh or the agent itself, whose input takes requests and
// whose output gives reports. Nothing blocks: the owner polls the descriptors,
// of which those that are closed are -1. All that comes from the child is
// bounded and checked. Not thread-safe.
class AgentLink {
 public:
  using OnReport = absl::FunctionRef<void(const AgentReport&)>;
  using OnGarbage = absl::FunctionRef<void(absl::string_view why)>;

  // Starts `argv`, whose first word is a path.
  static absl::StatusOr<std::unique_ptr<AgentLink>> Start(
      const std::vector<std::string>& argv);
  // Closes the pipes, upon which the agent ends all that it has started.
  void CloseInput();
  // Does so, and waits until the child has ended, for `patience` at most; then
  // kills it.
  void Close(absl::Duration patience);
  ~AgentLink();

  int input() const { return unsent_.empty() ? -1 : child_.in.get(); }
  int output() const { return child_.out.get(); }
  int errors() const { return child_.err.get(); }

  // Queues a request. What does not fit any more is a reason to give up.
  void Send(const AgentRequest& request);
  void Write();
  // Reads what there is. Lines before the agent's hello may be those of a login
  // shell and are kept for Ending() alone.
  void Read(OnReport on_report, OnGarbage on_garbage);
  void ReadErrors();

  // Returns how the child ended, with its last words, once its output is
  // closed; none while it runs.
  std::optional<std::string> Ending();

 private:
  explicit AgentLink(ChildProcess child) : child_(std::move(child)) {}
  void Keep(absl::string_view line);
  std::string Describe(int wait_status) const;

  ChildProcess child_;
  bool reaped_ = false;
  bool greeted_ = false;
  bool overflowed_ = false;
  size_t noise_ = 0;  // lines before the hello
  std::string unsent_;
  LineSplitter reports_{kMaxReportBytes};
  LineSplitter errors_{kMaxLineBytes};
  std::deque<std::string> last_words_;
  std::optional<absl::Time> closed_at_;  // its output
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_AGENT_LINK_H_
