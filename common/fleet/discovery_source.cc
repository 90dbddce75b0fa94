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
    absl::StatusOr<Address> address = ParseAddressLine(std::string(line));
    if (!address.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(path), ":", number, ": ", address.status().message(),
          "; allowed: HOST:PORT, HOST PORT, or HOST alone for port ",
          kDefaultPort));
    }
    if (std::find(addresses.begin(), addresses.end(), *address) ==
        addresses.end()) {
      addresses.push_back(*std::move(address));
    }
  }
  return addresses;
}

}  // namespace tributary
