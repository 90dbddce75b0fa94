#include "cli/k8s/image_reference.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tributary {
namespace {

constexpr size_t kMostNameBytes = 255;
constexpr size_t kMostTagBytes = 128;

bool IsLowerOrDigit(char c) {
  return absl::ascii_islower(c) || absl::ascii_isdigit(c);
}

bool AreDigits(absl::string_view text, size_t most) {
  return !text.empty() && text.size() <= most &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// A separator stands between two runs of letters and digits: one of . _ __, or
// any number of -.
bool IsSeparator(absl::string_view text) {
  return text == "." || text == "_" || text == "__" ||
         text.find_first_not_of('-') == absl::string_view::npos;
}

bool IsPathComponent(absl::string_view text) {
  if (text.empty() || !IsLowerOrDigit(text.front()) ||
      !IsLowerOrDigit(text.back())) {
    return false;
  }
  while (!text.empty()) {
    const size_t letters =
        std::find_if_not(text.begin(), text.end(), IsLowerOrDigit) -
        text.begin();
    text.remove_prefix(letters);
    const size_t others =
        std::find_if(text.begin(), text.end(), IsLowerOrDigit) - text.begin();
    if (others > 0 && !IsSeparator(text.substr(0, others))) return false;
    text.remove_prefix(others);
  }
  return true;
}

bool IsPath(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  return std::all_of(parts.begin(), parts.end(), IsPathComponent);
}

bool IsHostLabel(absl::string_view text) {
  const auto is_inner = [](char c) {
    return absl::ascii_isalnum(c) || c == '-';
  };
  return !text.empty() && text.front() != '-' && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), is_inner);
}

// Addresses of IPv6 stand in brackets.
bool IsHost(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "[")) {
    return absl::ConsumeSuffix(&text, "]") && !text.empty() &&
           text.find_first_not_of("0123456789abcdefABCDEF:") ==
               absl::string_view::npos;
  }
  const std::vector<absl::string_view> labels = absl::StrSplit(text, '.');
  return std::all_of(labels.begin(), labels.end(), IsHostLabel);
}

bool IsRegistry(absl::string_view text) {
  const size_t colon = text.rfind(':');
  const bool has_port =
      colon != absl::string_view::npos && !absl::EndsWith(text, "]");
  if (has_port && !AreDigits(text.substr(colon + 1), 5)) return false;
  return IsHost(has_port ? text.substr(0, colon) : text);
}

bool IsRepository(absl::string_view text) {
  if (text.size() > kMostNameBytes) return false;
  const absl::string_view first = text.substr(0, text.find('/'));
  if (first.size() < text.size() &&
      (first == "localhost" || absl::StrContains(first, '.') ||
       absl::StrContains(first, ':'))) {
    return IsRegistry(first) && IsPath(text.substr(first.size() + 1));
  }
  // A digest alone would be read as a tag of this repository.
  return text != "sha256" && text != "sha512" && IsPath(text);
}

bool IsTag(absl::string_view text) {
  const auto is_word = [](char c) {
    return absl::ascii_isalnum(c) || c == '_';
  };
  const auto is_inner = [&](char c) {
    return is_word(c) || c == '.' || c == '-';
  };
  return !text.empty() && text.size() <= kMostTagBytes &&
         is_word(text.front()) &&
         std::all_of(text.begin(), text.end(), is_inner);
}

bool IsDigest(absl::string_view text) {
  const size_t size = absl::ConsumePrefix(&text, "sha256:")   ? 64
                      : absl::ConsumePrefix(&text, "sha512:") ? 128
                                                              : 0;
  return size > 0 && text.size() == size &&
         text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

}  // namespace

bool IsImageReference(absl::string_view text) {
  const size_t at = text.find('@');
  const bool has_digest = at != absl::string_view::npos;
  if (has_digest && !IsDigest(text.substr(at + 1))) return false;
  text = text.substr(0, at);
  // A colon before the last slash begins a port.
  const size_t colon = text.rfind(':');
  const bool has_tag = colon != absl::string_view::npos &&
                       text.find('/', colon) == absl::string_view::npos;
  if (has_tag && !IsTag(text.substr(colon + 1))) return false;
  if (!has_tag && !has_digest) return false;
  return IsRepository(has_tag ? text.substr(0, colon) : text);
}

}  // namespace tributary
