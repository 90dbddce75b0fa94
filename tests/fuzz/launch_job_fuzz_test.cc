// Fuzzes what agents say to `tributary launch`: any lines, in any order, end
// the job in bounded time, with messages of one line, and no host is spoken to
// that was left. An input has an event a line, which the first letter tells:
//
//   A, B      host 0 or 1 says hello as an agent of this version does
//   a, b      host 0 or 1 says what follows
//   x, y      the way to host 0 or 1 ends, for the reason that follows
//   o, m      each partition has an owner; what follows is missing
//   h         reports are held back, or no more
//   s         a signal
//   t         a second goes by
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "cli/launch/agent_messages.h"
#include "cli/launch/launch_job.h"
#include "cli/launch/launch_plan.h"
#include "cli/launch/line_splitter.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr size_t kHosts = 2;

class FuzzedWorld final : public LaunchWorld {
 public:
  void Connect(size_t host) override {
    Must(!connected[host], "a host is connected to once");
    connected[host] = true;
  }
  void Send(size_t host, const AgentRequest& request) override {
    Must(connected[host] && !left[host], "no host is spoken to that was left");
    const std::string line = ToLine(request);
    Must(line.size() <= kMaxRequestBytes, "a request is bounded");
    const auto read = ParseAgentRequest(line);
    Must(read.ok() && ToLine(*read) == line, "an agent reads what is asked");
  }
  void Disconnect(size_t host) override {
    Must(connected[host] && !left[host], "a host is left once");
    left[host] = true;
  }
  void AskOwners() override { asked = true; }
  void Show(size_t, const AgentProcess&, bool,
            absl::string_view text) override {
    Must(!absl::StrContains(text, '\n'), "a line is one line");
    Must(text.size() <= 4 * kMaxReportBytes, "and bounded");
  }
  void Tell(absl::string_view text) override {
    Must(!absl::StrContains(text, '\n'), "the launcher's lines are lines");
  }

  bool connected[kHosts] = {}, left[kHosts] = {};
  bool asked = false;
};

LaunchPlan MakePlan() {
  LaunchSettings options;
  options.ip_config = "ip.txt";
  options.graph = "g";
  options.insecure = true;
  options.command = ReadTrainerCommand("train").value();
  return PlanLaunch(options, {{"h0", 1}, {"h1", 1}}, 2, {}).value();
}

// A launch of two hosts, told of one event after another.
class FuzzedLaunch {
 public:
  FuzzedLaunch() : job_(plan_, "/w", {}, world_) { job_.Begin(now_); }

  void Do(absl::string_view event) {
    const absl::string_view rest = event.substr(1);
    switch (event[0]) {
      case 'A':
      case 'B':
        return SayHello(event[0] == 'B');
      case 'a':
      case 'b':
        return Say(event[0] == 'b', rest);
      case 'x':
      case 'y':
        return Close(event[0] == 'y', rest);
      case 'o':
      case 'm':
        if (world_.asked) job_.OnOwners(event[0] == 'o' ? "" : rest, now_);
        return;
      case 'h':
        held_ = !held_;
        return job_.OnHeld(held_, now_);
      case 's':
        return job_.OnSignal(SIGTERM, now_);
      default:
        return Tick();
    }
  }

  void End() {
    if (held_) job_.OnHeld(false, now_);
    // Within the limits of connecting, owners, silence and twice the end.
    constexpr int kSeconds = 20 + 300 + 10 + 2 * 15;
    for (int i = 0; i < kSeconds && !job_.ended(); ++i) Tick();
    Must(job_.ended(), "a launch whose agents are silent ends");
    const LaunchResult& result = job_.result();
    Must(std::count(result.what.begin(), result.what.end(), '\n') <= 1,
         "a failure has one line, and one with the command");
    for (const std::string& detail : result.details) {
      Must(!absl::StrContains(detail, '\n'), "a detail is one line");
    }
    Must((result.exit_code == 0) == result.what.empty(),
         "a failure has a message");
  }

 private:
  bool Hears(size_t host) const {
    return world_.connected[host] && !world_.left[host];
  }
  void SayHello(size_t host) {
    AgentReport hello;
    hello.kind = AgentReport::Kind::kHello;
    hello.version = AgentVersion();
    if (Hears(host)) job_.OnReport(host, hello, now_);
  }
  void Say(size_t host, absl::string_view line) {
    const auto report = ParseAgentReport(line);
    if (!report.ok()) {
      if (Hears(host)) job_.OnGarbage(host, report.status().message(), now_);
      return;
    }
    const auto again = ParseAgentReport(ToLine(*report));
    Must(again.ok() && ToLine(*again) == ToLine(*report),
         "a report can be written and read");
    if (Hears(host)) job_.OnReport(host, *report, now_);
  }
  void Close(size_t host, absl::string_view why) {
    if (Hears(host)) job_.OnClosed(host, why, now_);
  }
  void Tick() {
    now_ += absl::Seconds(1);
    job_.OnTime(now_);
  }

  const LaunchPlan plan_ = MakePlan();
  FuzzedWorld world_;
  absl::Time now_ = absl::UnixEpoch();
  bool held_ = false;
  LaunchJob job_;
};

void CheckRequest(absl::string_view line) {
  const auto request = ParseAgentRequest(line);
  if (!request.ok()) return;
  const auto again = ParseAgentRequest(ToLine(*request));
  Must(again.ok() && ToLine(*again) == ToLine(*request),
       "a request can be written and read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostBytes = 1 << 16;
  const absl::string_view text(reinterpret_cast<const char*>(data),
                               std::min(size, kMostBytes));
  FuzzedLaunch launch;
  LineSplitter splitter(kMaxLineBytes);
  const auto each = [&launch](absl::string_view line) {
    Must(!line.empty() && line.size() <= kMaxLineBytes, "lines are bounded");
    CheckRequest(line);
    launch.Do(line);
  };
  splitter.Feed(text, each);
  splitter.Finish(each);
  launch.End();
  return 0;
}

}  // namespace tributary
