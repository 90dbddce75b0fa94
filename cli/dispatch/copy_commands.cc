#include "cli/dispatch/copy_commands.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/dispatch/host_list.h"
#include "cli/dispatch/shell_word.h"

namespace tributary {
namespace {

// No password prompts, and an end for a connection that is silent. Of two
// values ssh takes the first: the user's.
std::string Options(const CopyRoute& route) {
  std::string text;
  for (const std::string& option : route.options) {
    absl::StrAppend(&text, "-o ", option, " ");
  }
  return absl::StrCat(
      text, "-o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15");
}

std::string User(const CopyRoute& route, const char* flag) {
  return route.user.empty() ? "" : absl::StrCat(" ", flag, route.user);
}

std::string Ssh(const CopyRoute& route) {
  return absl::StrCat("ssh ", Options(route), " -p ", route.port,
                      User(route, "-l "));
}

std::string Scp(const CopyRoute& route) {
  return absl::StrCat("scp -qr ", Options(route), " -P ", route.port,
                      User(route, "-o User="));
}

std::string Rsync(const CopyRoute& route) {
  return absl::StrCat("rsync -a --partial --mkpath --timeout=300 -e '",
                      Ssh(route), "'");
}

// A path of this machine, in a template.
std::string Literal(const std::string& path) {
  return absl::StrReplaceAll(ShellWord(path), {{"{", "{{"}});
}

}  // namespace

absl::Status CheckRoute(const CopyRoute& route) {
  std::vector<std::string> words = route.options;
  words.push_back(route.remote_program);
  if (!route.user.empty()) words.push_back(route.user);
  for (const std::string& word : words) {
    if (IsPlainWord(word)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("\"", word,
                     "\" goes through shells\nallowed: letters, digits and "
                     "/._+=:@%~-[]"));
  }
  return absl::OkStatus();
}

std::string CopyCommandOf(const CopyRoute& route) {
  if (route.use_scp) {
    return absl::StrCat(Ssh(route), " {host} mkdir -p {to} && ", Scp(route),
                        " {folder}/. {host}:{to}/");
  }
  return absl::StrCat(Rsync(route),
                      " --files-from={list} {graph}/ {host}:{to}/");
}

std::string VerifyCommandOf(const CopyRoute& route) {
  return absl::StrCat(Ssh(route), " {host} ", route.remote_program,
                      " verify {to} --partitions {partitions} "
                      "--layout-digest {digest} --hot-digest {hot} "
                      "--hot-lists {lists}");
}

std::string SendCommandOf(const CopyRoute& route, const std::string& path,
                          const std::string& folder) {
  const std::string to = Literal(folder);
  if (route.use_scp) {
    return absl::StrCat(Ssh(route), " {host} mkdir -p ", to, " && ", Scp(route),
                        " ", Literal(path), " {host}:", to, "/");
  }
  return absl::StrCat(Rsync(route), " ", Literal(path), " {host}:", to, "/");
}

}  // namespace tributary
