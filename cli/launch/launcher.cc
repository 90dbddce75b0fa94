#include "cli/launch/launcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"

namespace tributary {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(100);

absl::Time Now() { return SteadyClock().Now(); }

}  // namespace

Launcher::Launcher(const LaunchPlan& plan, std::string workspace,
                   const LaunchLimits& limits, std::vector<AgentStart> starts,
                   FleetAccess fleet)
    : plan_(plan),
      limits_(limits),
      starts_(std::move(starts)),
      owners_(std::move(fleet)),
      links_(plan.hosts.size()),
      job_(plan, std::move(workspace), limits, *this) {}

Launcher::~Launcher() {
  // Agents of this machine are given the time that they need to end what they
  // started; those of others do so without their ssh.
  for (auto& [link, is_local] : closed_) {
    if (is_local) link->Close(2 * limits_.grace + absl::Seconds(10));
  }
}

LaunchResult Launcher::Run(SignalWatcher& signals) {
  std::atomic<int> signal{0};
  signals.OnStop([&signal](int number) { signal = number; });
  job_.Begin(Now());
  while (!job_.ended()) {
    Poll();
    if (const int number = signal.exchange(0)) job_.OnSignal(number, Now());
    for (const auto& [host, why] : std::exchange(not_started_, {})) {
      job_.OnClosed(host, why, Now());
    }
    if (const auto missing = owners_.TakeAnswer()) {
      job_.OnOwners(*missing, Now());
    }
    const bool held = printer_.full();
    if (held != held_) job_.OnHeld(held_ = held, Now());
    job_.OnTime(Now());
  }
  for (size_t host = 0; host < links_.size(); ++host) {
    if (links_[host]) Disconnect(host);
  }
  signals.OnStop(nullptr);
  return job_.result();
}

void Launcher::Poll() {
  std::vector<pollfd> fds;
  std::vector<size_t> hosts;
  for (size_t host = 0; host < links_.size(); ++host) {
    if (!links_[host]) continue;
    hosts.push_back(host);
    fds.push_back({links_[host]->input(), POLLOUT, 0});
    fds.push_back({held_ ? -1 : links_[host]->output(), POLLIN, 0});
    fds.push_back({links_[host]->errors(), POLLIN, 0});
  }
  poll(fds.data(), fds.size(),
       static_cast<int>(absl::ToInt64Milliseconds(kTick)));
  for (size_t i = 0; i < hosts.size(); ++i) {
    Serve(hosts[i], fds[3 * i].revents, fds[3 * i + 1].revents,
          fds[3 * i + 2].revents);
  }
}

void Launcher::Serve(size_t host, int input, int output, int errors) {
  // What the job does about one host's report may close any other.
  AgentLink* const link = links_[host].get();
  if (link == nullptr) return;
  if (errors != 0) link->ReadErrors();
  if (input != 0) link->Write();
  if (output != 0) {
    link->Read(
        [&](const AgentReport& report) { job_.OnReport(host, report, Now()); },
        [&](absl::string_view why) { job_.OnGarbage(host, why, Now()); });
  }
  if (links_[host].get() != link) return;
  if (const auto why = link->Ending()) job_.OnClosed(host, *why, Now());
}

void Launcher::Connect(size_t host) {
  auto link = AgentLink::Start(starts_[host].argv);
  if (link.ok()) {
    links_[host] = *std::move(link);
  } else {
    // Not inside this call, as the job expects.
    not_started_.emplace_back(
        host, absl::StrCat("cannot start ssh: ", link.status().message()));
  }
}

void Launcher::Send(size_t host, const AgentRequest& request) {
  if (links_[host]) links_[host]->Send(request);
}

void Launcher::Disconnect(size_t host) {
  if (!links_[host]) return;
  // It may be in the middle of a call of this link.
  closed_.emplace_back(std::move(links_[host]), starts_[host].is_local);
  closed_.back().first->CloseInput();
}

void Launcher::Show(size_t host, const AgentProcess& process, bool is_error,
                    absl::string_view text) {
  printer_.Print(is_error, absl::StrCat(plan_.hosts[host].name, " ",
                                        process.name, ": ", text));
}

void Launcher::Tell(absl::string_view text) {
  printer_.Print(true, absl::StrCat("tributary launch: ", text));
}

}  // namespace tributary
