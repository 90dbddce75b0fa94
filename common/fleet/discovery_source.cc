#include "common/fleet/discovery_source.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tributary {
namespace {

absl::Status SourceError(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("servers \"", text, "\": ", why,
                   "; allowed: HOST:PORT,... | file:PATH | dns:///NAME:PORT"));
}

// Returns "HOST:PORT" for "HOST PORT"; other text unchanged.
std::string JoinHostAndPort(absl::string_view line) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() != 2) return std::string(line);
  const bool bare_ipv6 =
      absl::StrContains(words[0], ':') && !absl::StartsWith(words[0], "[");
  return bare_ipv6 ? absl::StrCat("[", words[0], "]:", words[1])
                   : absl::StrCat(words[0], ":", words[1]);
}

}  // namespace

absl::StatusOr<DiscoverySource> ParseDiscoverySource(std::string_view text_in) {
  const std::string text(text_in);
  DiscoverySource source;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "file:")) {
    if (rest.empty()) return SourceError(text, "no path");
    source.kind = DiscoverySource::Kind::kFile;
    source.path = std::string(rest);
    return source;
  }
  if (absl::ConsumePrefix(&rest, "dns:")) {
    if (!absl::ConsumePrefix(&rest, "///")) {
      return SourceError(text, "dns: needs three slashes");
    }
    absl::StatusOr<Address> name = ParseAddress(std::string(rest));
    if (!name.ok()) return SourceError(text, name.status().message());
    source.kind = DiscoverySource::Kind::kDns;
    source.name = *std::move(name);
    return source;
  }
  absl::StatusOr<std::vector<Address>> list = ParseAddressList(text);
  if (!list.ok()) return SourceError(text, list.status().message());
  source.addresses = *std::move(list);
  return source;
}

absl::StatusOr<std::vector<Address>> ParseServerFile(std::string_view text,
                                                     std::string_view path) {
  std::vector<Address> addresses;
  int number = 0;
  const std::string lines(text);
  for (absl::string_view line : absl::StrSplit(lines, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    absl::StatusOr<Address> address = ParseAddress(JoinHostAndPort(line));
    if (!address.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(path), ":", number, ": ", address.status().message(),
          "; allowed: HOST:PORT or HOST PORT"));
    }
    if (std::find(addresses.begin(), addresses.end(), *address) ==
        addresses.end()) {
      addresses.push_back(*std::move(address));
    }
  }
  return addresses;
}

}  // namespace tributary
