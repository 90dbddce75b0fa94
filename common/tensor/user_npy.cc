#include "common/tensor/user_npy.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Longer than any header that NumPy writes for the types read here.
constexpr size_t kHeaderBytes = size_t{64} << 10;
constexpr size_t kPrefix = 12;  // magic, version and length, at most
constexpr absl::string_view kDescr = "'descr':";
constexpr absl::string_view kFortran = "'fortran_order': True";

// Returns the quoted word that is the type of the elements; empty: there is
// none, as for a record.
absl::string_view DescrOf(absl::string_view header) {
  const size_t key = header.find(kDescr);
  if (key == absl::string_view::npos) return "";
  const size_t at = header.find_first_not_of(' ', key + kDescr.size());
  if (at == absl::string_view::npos || header[at] != '\'') return "";
  const size_t end = header.find('\'', at + 1);
  if (end == absl::string_view::npos) return "";
  return header.substr(at, end + 1 - at);
}

// Returns the type of "'<M8[ns]'" with the unit in `dim`; of kind 'f' for other
// types.
NpyType TimeType(absl::string_view descr) {
  const bool dates = absl::ConsumePrefix(&descr, "'<M8[");
  const bool spans = !dates && absl::ConsumePrefix(&descr, "'<m8[");
  NpyType type;
  if ((!dates && !spans) || !absl::ConsumeSuffix(&descr, "]'") ||
      descr.empty() || descr.size() > sizeof(type.dim)) {
    return type;
  }
  type = {dates ? 'M' : 'm', 8};
  for (size_t i = 0; i < descr.size(); ++i) {
    type.dim |= uint32_t{static_cast<uint8_t>(descr[i])} << (8 * i);
  }
  return type;
}

absl::Status CheckDescr(absl::string_view descr) {
  const bool little = descr.size() > 4 && descr[1] != '>';
  if (descr.empty() ||
      (little && absl::StrContains("uifbV", descr.substr(2, 1)))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      ".npy header: elements are ", descr,
      "; allowed: little-endian whole and floating-point numbers, bool, "
      "datetime64 with a unit, as ",
      descr.size() > 4 && !little
          ? "a.astype(a.dtype.newbyteorder(\"<\"))"
          : "a.astype(np.int64) or a.astype(np.float32)",
      " makes them"));
}

}  // namespace

// The header is made one of ours, without a change of its length.
absl::StatusOr<UserNpyHeader> ParseUserNpyHeader(
    absl::Span<const uint8_t> bytes) {
  const size_t size = std::min(bytes.size(), kHeaderBytes);
  std::string text(reinterpret_cast<const char*>(bytes.data()), size);
  UserNpyHeader header;
  // What follows the header may look like it, and a byte of its length like
  // its end.
  const size_t end = std::min(text.find('\n', kPrefix), size);
  const size_t fortran = text.find(kFortran.data());
  header.fortran_order = fortran < end;
  if (header.fortran_order) {
    text.replace(fortran, kFortran.size(), "'fortran_order':False");
  }
  const absl::string_view descr =
      DescrOf(absl::string_view(text).substr(0, end));
  const NpyType time = TimeType(descr);
  if (time.kind != 'f') {
    std::string whole = "'<i8'";
    whole.resize(descr.size(), ' ');
    text.replace(static_cast<size_t>(descr.data() - text.data()), descr.size(),
                 whole);
  } else if (absl::StartsWith(text, "\x93NUMPY")) {
    RETURN_IF_ERROR(CheckDescr(descr));
  }
  ASSIGN_OR_RETURN(
      static_cast<NpyHeader&>(header),
      ParseNpyHeader({reinterpret_cast<const uint8_t*>(text.data()), size}));
  if (time.kind != 'f') header.type = time;
  return header;
}

}  // namespace tributary
