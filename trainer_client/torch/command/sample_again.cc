#include "trainer_client/torch/command/sample_again.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "trainer_client/core/session_text/session_table.h"
#include "trainer_client/core/session_text/session_text.h"

namespace tributary {
namespace {

// Appends "--flag value".
void Add(std::vector<std::string>& words, const std::string& flag,
         std::string_view value) {
  words.push_back(flag);
  words.push_back(ShellWord(std::string(value)));
}

void AddSource(const BatchSourceOptions& source,
               std::vector<std::string>& words) {
  if (!source.worker_options.empty()) {
    return Add(words, "--worker-options", source.worker_options);
  }
  if (!source.graph.empty()) return Add(words, "--graph", source.graph);
  Add(words, "--servers", source.worker.servers);
  if (!source.worker.graph_name.empty()) {
    Add(words, "--graph-name", source.worker.graph_name);
  }
  const TlsFiles& tls = source.worker.tls;
  if (tls.empty()) return;
  Add(words, "--tls-ca", tls.ca);
  Add(words, "--tls-cert", tls.cert);
  Add(words, "--tls-key", tls.key);
}

void AddSession(const SessionText& session, std::vector<std::string>& words) {
  for (const SessionOption& option : SessionTable()) {  // in its order
    const auto found = session.given().find(option.words.name);
    if (found == session.given().end()) continue;
    const std::string flag = FlagOf(option.words.name);
    const std::string& value = found->second;
    if (option.form == OptionForm::kFlag) {
      words.push_back(flag);
    } else if (absl::StartsWith(value, "-")) {  // not another flag
      words.push_back(absl::StrCat(flag, "=", ShellWord(value)));
    } else {
      Add(words, flag, value);
    }
  }
}

}  // namespace

std::string ShellWord(absl::string_view word) {
  constexpr absl::string_view kPlain = "_-./:,=@%+";
  const bool plain =
      !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
               kPlain.find(c) != absl::string_view::npos;
      });
  if (plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string SampleAgainCommand(const BatchSourceOptions& source,
                               const SessionOptions& session, uint64_t epoch,
                               uint64_t index) {
  const auto text = TextOf(session);
  if (!text.ok()) return "";
  std::vector<std::string> words = {"tributary", "sample"};
  AddSource(source, words);
  AddSession(*text, words);
  Add(words, "--epoch", absl::StrCat(epoch));
  Add(words, "--batches", absl::StrCat(index, ":", index + 1));
  return absl::StrJoin(words, " ");
}

}  // namespace tributary
