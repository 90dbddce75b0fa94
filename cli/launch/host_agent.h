// Starts and ends processes at a host for `tributary launch`.
#ifndef TRIBUTARY_CLI_LAUNCH_HOST_AGENT_H_
#define TRIBUTARY_CLI_LAUNCH_HOST_AGENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/launch/agent_messages.h"
#include "cli/launch/child_process.h"
#include "cli/launch/line_splitter.h"

namespace tributary {

// Reads requests from one descriptor and writes reports to another; the lines
// of its processes are reports, too. It needs no terminal.
//
// Nothing stays behind: once its input ends, a request asks for it, a signal
// comes, or no request has come for as long as the launcher said, the agent
// ends the processes of each stage, the highest first: SIGTERM to their process
// groups, and SIGKILL after the grace. What has left its group is killed in the
// end, for the agent adopts orphans. If the agent itself is killed, each
// process that it started gets SIGTERM.
//
// A launcher that does not read holds up the processes that write, once
// kMaxUnread bytes wait; while they are being ended, their lines are dropped
// then. All of it runs on one thread.
class HostAgent {
 public:
  // `stop` becomes readable when a signal asks for the end. The descriptors
  // must outlive the agent.
  HostAgent(int in, int out, int stop);
  ~HostAgent();
  HostAgent(const HostAgent&) = delete;
  HostAgent& operator=(const HostAgent&) = delete;

  // Runs to the end of everything. INVALID_ARGUMENT if a request was none;
  // DEADLINE_EXCEEDED if a process survived SIGKILL.
  absl::Status Run();

 private:
  struct Child;

  void Poll();
  void Read();
  void Handle(absl::string_view line);
  void Start(const AgentRequest& request);
  void Say(const AgentReport& report);
  void SayLine(uint32_t id, bool is_error, absl::string_view text);
  void Flush();
  void ReadOutput(uint32_t id, Child& child);
  // Reports the end of those that have ended.
  void Reap();
  void ReportEnd(uint32_t id, Child& child);
  void EndFrom(uint32_t stage);
  void ContinueEnd();
  void KillAdopted();
  bool full() const;
  bool done() const;

  const int in_, out_, stop_;
  LineSplitter requests_{kMaxRequestBytes};
  std::string unsent_;
  bool output_lost_ = false;  // nobody reads what the agent says
  bool input_ended_ = false;
  std::map<uint32_t, std::unique_ptr<Child>> children_;
  // From which stage on processes are being ended; 0: all, and the agent.
  std::optional<uint32_t> ending_from_;
  absl::Duration grace_ = absl::Seconds(10);
  absl::Duration lost_after_ = absl::Minutes(1);  // until it is told
  absl::Time heard_, said_;
  absl::Status status_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_HOST_AGENT_H_
