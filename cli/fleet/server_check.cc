#include "cli/fleet/server_check.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/text/named_list.h"

namespace tributary {
namespace {

using Level = Check::Level;

// Calls within one site take well under a millisecond.
constexpr absl::Duration kSlowRoundTrip = absl::Milliseconds(20);

std::string Milliseconds(absl::Duration d) {
  return absl::StrCat(absl::ToDoubleMilliseconds(d), " ms");
}

std::string RemedyOf(const absl::Status& status, const std::string& address) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return absl::StrCat("start `tributary serve --listen ", address,
                          "`, or take it from the list; if it runs, let this "
                          "machine reach that port");
    case absl::StatusCode::kDeadlineExceeded:
      return "look for a firewall that drops packets or a frozen process; "
             "--timeout waits longer";
    case absl::StatusCode::kNotFound:
      return "add the graph's folder to the --graph of `tributary serve` there";
    case absl::StatusCode::kFailedPrecondition:
      return "run the same release of tributary on both ends";
    case absl::StatusCode::kUnauthenticated:
      return "give --tls-ca, --tls-cert and --tls-key of the authority that "
             "the server's certificate is of, or none where it speaks plain "
             "text";
    case absl::StatusCode::kPermissionDenied:
      return "give the certificate of a role that may ask for this";
    default:
      return "see whether something else than `tributary serve` listens there";
  }
}

}  // namespace

Check CheckServer(const ServerAnswer& answer) {
  const std::string address = answer.address.ToString();
  Check check{Level::kOk, absl::StrCat("server ", address), "answers", ""};
  if (!answer.reports.ok()) {
    check.level = Level::kFail;
    check.detail = answer.reports.status().ToString();
    check.remedy = RemedyOf(answer.reports.status(), address);
    return check;
  }
  if (!answer.round_trip.has_value()) return check;
  check.detail =
      absl::StrCat("answers, round trip ", Milliseconds(*answer.round_trip));
  if (*answer.round_trip > kSlowRoundTrip) {
    check.level = Level::kWarn;
    check.remedy = absl::StrCat("above ", Milliseconds(kSlowRoundTrip),
                                ": place trainers and servers on one site, or "
                                "raise prefetch_size");
  }
  return check;
}

Check CheckTransport(const std::vector<ServerAnswer>& answers) {
  std::vector<std::string> tcp, grpc, lost;
  for (const ServerAnswer& answer : answers) {
    if (!answer.reports.ok()) continue;
    const std::string address = answer.address.ToString();
    if (!answer.reports->front().takes_tcp) {
      grpc.push_back(address);
    } else if (answer.tcp.value_or(absl::OkStatus()).ok()) {
      tcp.push_back(address);
    } else {
      lost.push_back(absl::StrCat(address, ": ", answer.tcp->ToString()));
    }
  }
  if (!lost.empty()) {
    return {Level::kWarn, "transport",
            absl::StrCat("streams over TCP do not get through to ",
                         NamedList(lost)),
            "let bytes through to the port as they are (a proxy or a mesh may "
            "pass HTTP/2 alone), or accept gRPC, which trainers use then: it "
            "costs more CPU per byte"};
  }
  if (grpc.empty()) return {Level::kOk, "transport", "TCP and gRPC", ""};
  return {Level::kOk, "transport",
          absl::StrCat(tcp.empty()
                           ? "gRPC alone"
                           : absl::StrCat("gRPC alone at ", NamedList(grpc),
                                          "; TCP, too, at ", NamedList(tcp))),
          ""};
}

}  // namespace tributary
