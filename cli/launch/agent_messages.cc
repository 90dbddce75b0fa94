#include "cli/launch/agent_messages.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/json/json_object.h"
#include "common/random/hop_key.h"
#include "common/text/status.h"
#include "common/text/version.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr int kProtocol = 1;
constexpr uint64_t kMaxMilliseconds = 24 * 3600 * 1000;
const std::vector<std::string>& RequestNames() {
  static const auto& names =
      *new std::vector<std::string>{"beat", "preflight", "start", "end"};
  return names;
}
const std::vector<std::string>& ReportNames() {
  static const auto& names =
      *new std::vector<std::string>{"beat", "hello", "ready", "line", "ended"};
  return names;
}

std::string Line(const Json& json) {
  return absl::StrCat(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                      "\n");
}

std::vector<std::string> TextList(JsonObject& in, absl::string_view key) {
  std::vector<std::string> texts;
  for (const Json& item : in.Array(key)) {
    if (item.is_string()) {
      texts.push_back(item.get<std::string>());
    } else {
      in.Fail(key, "has something else than texts");
    }
  }
  return texts;
}

absl::Duration Milliseconds(JsonObject& in, absl::string_view key) {
  return absl::Milliseconds(in.Whole(key, kMaxMilliseconds));
}

Json ToJson(const PreflightQuestion& question) {
  return {{"workspace", question.workspace},
          {"graph", question.graph},
          {"layout_digest", question.layout_digest},
          {"partitions", question.partitions},
          {"server_file", question.server_file},
          {"server_file_digest", question.server_file_digest},
          {"listen", question.listen},
          {"readable", question.readable},
          {"program", question.program},
          {"batch_bytes", question.batch_bytes}};
}

PreflightQuestion ReadQuestion(JsonObject in) {
  PreflightQuestion question;
  question.workspace = in.Text("workspace");
  question.graph = in.Text("graph");
  question.layout_digest = in.Text("layout_digest");
  for (const int64_t partition : in.Counts("partitions")) {
    question.partitions.push_back(static_cast<uint32_t>(partition));
  }
  question.server_file = in.Text("server_file");
  question.server_file_digest = in.Text("server_file_digest");
  question.listen = TextList(in, "listen");
  question.readable = TextList(in, "readable");
  question.program = in.Text("program");
  question.batch_bytes = in.Whole("batch_bytes");
  in.RefuseOthers();
  return question;
}

Json ToJson(const AgentProcess& process) {
  return {{"name", process.name},
          {"stage", process.stage},
          {"shell", process.shell},
          {"arguments", process.arguments},
          {"environment", process.environment}};
}

AgentProcess ReadProcess(JsonObject in) {
  AgentProcess process;
  process.name = in.Text("name");
  process.stage = static_cast<uint32_t>(in.Whole("stage", kMaxProcesses));
  process.shell = in.Text("shell");
  process.arguments = TextList(in, "arguments");
  process.environment = TextList(in, "environment");
  if (process.shell.empty() == process.arguments.empty()) {
    in.FailWith("allowed: either shell or arguments");
  }
  in.RefuseOthers();
  return process;
}

}  // namespace

std::string ToLine(const AgentRequest& request) {
  using Kind = AgentRequest::Kind;
  Json json = {{"ask", RequestNames()[static_cast<size_t>(request.kind)]}};
  if (request.kind == Kind::kPreflight) {
    json["question"] = ToJson(request.preflight);
    json["lost_after_ms"] = absl::ToInt64Milliseconds(request.lost_after);
  }
  if (request.kind == Kind::kPreflight || request.kind == Kind::kEnd) {
    json["grace_ms"] = absl::ToInt64Milliseconds(request.grace);
  }
  if (request.kind == Kind::kStart) {
    json["id"] = request.id;
    json["workspace"] = request.workspace;
    json["process"] = ToJson(request.process);
  }
  if (request.kind == Kind::kEnd) json["stage"] = request.stage;
  return Line(json);
}

std::string ToLine(const AgentReport& report) {
  using Kind = AgentReport::Kind;
  Json json = {{"say", ReportNames()[static_cast<size_t>(report.kind)]}};
  if (report.kind == Kind::kHello) json["version"] = report.version;
  if (report.kind == Kind::kReady) json["problems"] = report.problems;
  if (report.kind == Kind::kLine || report.kind == Kind::kEnded) {
    json["id"] = report.id;
  }
  if (report.kind == Kind::kLine) {
    json["stderr"] = report.is_error;
    json["text"] = report.text;
  }
  if (report.kind == Kind::kEnded) json["wait_status"] = report.wait_status;
  return Line(json);
}

absl::StatusOr<AgentRequest> ParseAgentRequest(absl::string_view line) {
  using Kind = AgentRequest::Kind;
  ASSIGN_OR_RETURN(const Json json, ParseJson(line, "request"));
  JsonObject in(json, "request");
  AgentRequest request;
  request.kind = static_cast<Kind>(in.OneOf("ask", RequestNames()));
  if (request.kind == Kind::kPreflight) {
    request.preflight = ReadQuestion(in.Object("question"));
    request.lost_after = Milliseconds(in, "lost_after_ms");
  }
  if (request.kind == Kind::kPreflight || request.kind == Kind::kEnd) {
    request.grace = Milliseconds(in, "grace_ms");
  }
  if (request.kind == Kind::kStart) {
    request.id = static_cast<uint32_t>(in.Whole("id", kMaxProcesses - 1));
    request.workspace = in.Text("workspace");
    request.process = ReadProcess(in.Object("process"));
  }
  if (request.kind == Kind::kEnd) {
    request.stage = static_cast<uint32_t>(in.Whole("stage", kMaxProcesses));
  }
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return request;
}

absl::StatusOr<AgentReport> ParseAgentReport(absl::string_view line) {
  using Kind = AgentReport::Kind;
  ASSIGN_OR_RETURN(const Json json, ParseJson(line, "report"));
  JsonObject in(json, "report");
  AgentReport report;
  report.kind = static_cast<Kind>(in.OneOf("say", ReportNames()));
  if (report.kind == Kind::kHello) report.version = in.Text("version");
  if (report.kind == Kind::kReady) {
    report.problems = TextList(in, "problems");
    if (report.problems.size() > kMaxProblems) {
      in.Fail("problems", absl::StrCat("has ", report.problems.size(),
                                       " items; allowed: ", kMaxProblems));
    }
  }
  if (report.kind == Kind::kLine || report.kind == Kind::kEnded) {
    report.id = static_cast<uint32_t>(in.Whole("id", kMaxProcesses - 1));
  }
  if (report.kind == Kind::kLine) {
    report.is_error = in.Bool("stderr");
    report.text = in.Text("text");
  }
  if (report.kind == Kind::kEnded) {
    report.wait_status = static_cast<int>(in.Whole("wait_status", 0xffff));
  }
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  return report;
}

std::string AgentVersion() {
  return absl::StrCat(kVersion, " semantics ", kSemanticsVersion, " agent ",
                      kProtocol);
}

}  // namespace tributary
