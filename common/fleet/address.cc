#include "common/fleet/address.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMaxHostBytes = 253;  // limit of a DNS name (RFC 1035)

absl::Status Malformed(std::string_view text, const char* why) {
  return absl::InvalidArgumentError(
      absl::StrCat("address \"", std::string(text), "\": ", why,
                   "; wanted HOST:PORT, [IPV6]:PORT or unix:/PATH"));
}

bool IsSocketPath(std::string_view path) {
  // sockaddr_un holds 108 bytes; the rest is left for prefixes of a host
  // system.
  return path.size() > 1 && path.size() <= 100 && path.front() == '/' &&
         std::none_of(path.begin(), path.end(), [](char c) {
           return c == ',' || absl::ascii_isspace(c) || absl::ascii_iscntrl(c);
         });
}

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_';
}

bool IsName(std::string_view host) {
  return !host.empty() && host.size() <= kMaxHostBytes &&
         std::all_of(host.begin(), host.end(), IsNameCharacter);
}

// Accepts a zone (RFC 4007) too: "fe80::1%eth0".
bool IsIpv6(std::string_view host) {
  const size_t percent = host.find('%');
  if (percent != host.npos && !IsName(host.substr(percent + 1))) return false;
  const std::string_view digits = host.substr(0, percent);
  in6_addr address;
  return digits.find('\0') == digits.npos &&
         inet_pton(AF_INET6, std::string(digits).c_str(), &address) == 1;
}

bool IsIpv4(std::string_view host) {
  in_addr address;
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

// A host without a port. Digits and dots that are no IPv4 address are refused:
// they are a port, or the beginning of an address.
bool IsHostAlone(std::string_view text) {
  if (text.size() >= 2 && text.front() == '[') return text.back() == ']';
  const bool numeric =
      text.find_first_not_of("0123456789.") == std::string_view::npos;
  return IsName(text) && (!numeric || IsIpv4(text));
}

bool ParsePort(std::string_view text, bool allow_zero, uint16_t* port) {
  if (text.empty() || text.size() > 5) return false;
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit)) return false;
  uint32_t value = 0;
  if (!absl::SimpleAtoi(std::string(text), &value)) return false;
  if (value > 65535 || (value == 0 && !allow_zero)) return false;
  *port = static_cast<uint16_t>(value);
  return true;
}

}  // namespace

std::string Address::ToString() const {
  if (is_unix()) return host;
  if (host.find(':') != std::string::npos) {
    return absl::StrCat("[", host, "]:", port);
  }
  return absl::StrCat(host, ":", port);
}

absl::StatusOr<Address> ParseAddress(std::string_view text,
                                     bool allow_port_zero) {
  if (text.substr(0, 5) == "unix:") {
    if (IsSocketPath(text.substr(5))) return Address{std::string(text), 0};
    return Malformed(text, "no absolute path of 2 to 100 bytes");
  }
  const size_t colon = text.rfind(':');
  if (colon == text.npos) {
    return Malformed(text, "no port (only lines of file:PATH may omit it)");
  }
  std::string_view host = text.substr(0, colon);
  const bool bracketed =
      host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (bracketed ? !IsIpv6(host) : !IsName(host)) {
    return Malformed(text, bracketed ? "no IPv6 address" : "no host name");
  }
  Address address;
  address.host = std::string(host);
  if (!ParsePort(text.substr(colon + 1), allow_port_zero, &address.port)) {
    return Malformed(text, allow_port_zero ? "port not in 0..65535"
                                           : "port not in 1..65535");
  }
  return address;
}

absl::StatusOr<Address> ParseAddressLine(std::string_view line) {
  const std::string text(line);
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() == 2) {
    const bool bare_ipv6 =
        words[0].find(':') != text.npos && words[0][0] != '[';
    return ParseAddress(bare_ipv6 ? absl::StrCat("[", words[0], "]:", words[1])
                                  : absl::StrCat(words[0], ":", words[1]));
  }
  if (IsHostAlone(line)) {
    return ParseAddress(absl::StrCat(text, ":", kDefaultPort));
  }
  if (text.find(':') == text.npos) {
    return Malformed(line, "no host name and no IPv4 address");
  }
  return ParseAddress(line);
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         host.substr(0, 6) == "unix:/" ||
         (host.substr(0, 4) == "127." &&
          host.find_first_not_of("0123456789.") == host.npos);
}

absl::StatusOr<std::vector<Address>> ParseAddressList(std::string_view text) {
  std::vector<Address> addresses;
  for (const std::string& item :
       std::vector<std::string>(absl::StrSplit(std::string(text), ','))) {
    ASSIGN_OR_RETURN(Address address, ParseAddress(item));
    if (std::count(addresses.begin(), addresses.end(), address) > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("address ", address.ToString(), " is listed twice in \"",
                       std::string(text), "\""));
    }
    addresses.push_back(std::move(address));
  }
  return addresses;
}

}  // namespace tributary
