// The messages between `tributary launch` and the agent at a host.
#ifndef TRIBUTARY_CLI_LAUNCH_AGENT_MESSAGES_H_
#define TRIBUTARY_CLI_LAUNCH_AGENT_MESSAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tributary {

// Each message is a JSON object in a line. An agent says hello, is asked for a
// preflight and answers, then starts and ends processes and reports their
// lines. Both send a beat when they have been silent for kBeatPeriod.
inline constexpr size_t kMaxRequestBytes = size_t{1} << 20;
inline constexpr size_t kMaxReportBytes = size_t{64} << 10;
// Of a line of a process; longer ones are cut into pieces.
inline constexpr size_t kMaxLineBytes = size_t{4} << 10;
inline constexpr uint32_t kMaxProcesses = 4096;  // of a host
inline constexpr size_t kMaxProblems = 32;       // that a preflight names
inline constexpr absl::Duration kBeatPeriod = absl::Seconds(1);

// What a host is asked before anything starts.
struct PreflightQuestion {
  std::string workspace;
  std::string graph;          // folder; relative ones begin at the workspace
  std::string layout_digest;  // of its graph.json, hexadecimal
  std::vector<uint32_t> partitions;   // empty: all
  std::string server_file;            // the list of servers; empty: none
  std::string server_file_digest;     // SHA-256, hexadecimal
  std::vector<std::string> listen;    // HOST:PORT, which must be free
  std::vector<std::string> readable;  // further files
  std::string program;                // of COMMAND; empty: is not looked for
  uint64_t batch_bytes = 0;  // what its servers reserve beside the graph
};

// A process to start: either a shell's line or arguments of the agent's own
// program.
struct AgentProcess {
  std::string name;  // for the user: "server 0"
  uint32_t stage = 0;
  std::string shell;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // NAME=VALUE, beside the agent's
};

struct AgentRequest {
  enum class Kind { kBeat, kPreflight, kStart, kEnd };
  Kind kind = Kind::kBeat;
  // kPreflight: the question, and after what silence the agent ends all.
  PreflightQuestion preflight;
  absl::Duration lost_after = absl::Seconds(10);
  // kPreflight and kEnd: the time between SIGTERM and SIGKILL.
  absl::Duration grace = absl::Seconds(10);
  // kStart
  uint32_t id = 0;
  std::string workspace;
  AgentProcess process;
  // kEnd: ends the processes of this stage and higher ones; 0: the agent, too.
  uint32_t stage = 0;
};

struct AgentReport {
  enum class Kind { kBeat, kHello, kReady, kLine, kEnded };
  Kind kind = Kind::kBeat;
  std::string version;                // kHello
  std::vector<std::string> problems;  // kReady; empty: all is well
  uint32_t id = 0;                    // kLine, kEnded: the process
  bool is_error = false;              // kLine: of stderr
  std::string text;                   // kLine
  int wait_status = 0;                // kEnded, as of waitpid()
};

// Return the message as a line with its end. Text that is not UTF-8 is
// replaced.
std::string ToLine(const AgentRequest& request);
std::string ToLine(const AgentReport& report);

// INVALID_ARGUMENT, in one line, for what is no such message or beyond the
// bounds above.
absl::StatusOr<AgentRequest> ParseAgentRequest(absl::string_view line);
absl::StatusOr<AgentReport> ParseAgentReport(absl::string_view line);

// What an agent calls itself in its hello: the version of program and protocol.
std::string AgentVersion();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_AGENT_MESSAGES_H_
