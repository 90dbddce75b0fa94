#include "trainer_client/core/inputs/link_file.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "trainer_client/core/inputs/link_array.h"
#include "trainer_client/core/inputs/npy_matrix.h"

namespace tributary {
namespace {

template <typename T>
bool Parse(absl::string_view text, T* value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && at == end && !text.empty();
}

bool ParseReal(absl::string_view text, float* value) {
  return absl::SimpleAtof(text, value) && std::isfinite(*value);
}

class LinkReader {
 public:
  absl::Status Read(absl::string_view text) {
    text = absl::StripTrailingAsciiWhitespace(text);  // blank last lines
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      RETURN_IF_ERROR(ReadLine(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (line_ == 0) return Refuse("the file is empty");
    return absl::OkStatus();
  }

  void MoveTo(EdgeTypeLinks* links) {
    links->source = std::move(source_);
    links->destination = std::move(destination_);
    if (whole_) {
      links->edge_label = std::move(labels_);
    } else {
      links->edge_label_float = std::move(real_labels_);
    }
  }

 private:
  template <typename... Parts>
  absl::Status Refuse(const Parts&... parts) const {
    return absl::InvalidArgumentError(
        absl::StrCat("line ", line_, ": ", parts...,
                     "\nallowed: source,destination or "
                     "source,destination,label in every line, as numbers"));
  }

  absl::Status ReadLine(absl::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::vector<absl::string_view> cells = absl::StrSplit(line, ',');
    if (columns_ == 0) columns_ = cells.size();
    if (cells.size() != columns_ || columns_ < 2 || columns_ > 3) {
      return Refuse(cells.size(), " columns");
    }
    int64_t source = 0, destination = 0;
    if (!Parse(cells[0], &source) || !Parse(cells[1], &destination)) {
      return Refuse("\"", line, "\" is not a link");
    }
    source_.push_back(source);
    destination_.push_back(destination);
    return columns_ == 3 ? ReadLabel(cells[2]) : absl::OkStatus();
  }

  absl::Status ReadLabel(absl::string_view cell) {
    int64_t label = 0;
    float real = 0;
    if (!ParseReal(cell, &real)) return Refuse("\"", cell, "\" is not a label");
    whole_ = whole_ && Parse(cell, &label);
    if (whole_) labels_.push_back(label);
    real_labels_.push_back(real);
    return absl::OkStatus();
  }

  size_t line_ = 0, columns_ = 0;
  std::vector<int64_t> source_, destination_;
  bool whole_ = true;
  std::vector<int64_t> labels_;
  std::vector<float> real_labels_;
};

absl::Status ReadLinkText(absl::string_view text, EdgeTypeLinks* links) {
  LinkReader reader;
  RETURN_IF_ERROR(reader.Read(text));
  reader.MoveTo(links);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadLinkFile(const std::string& path, EdgeTypeLinks* links) {
  ASSIGN_OR_RETURN(const FileMapping file, FileMapping::Open(path));
  const absl::Span<const uint8_t> bytes = file.bytes();
  const absl::Status status =
      IsNpyFile(bytes)
          ? ReadLinkArray(bytes, links)
          : ReadLinkText(
                {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                links);
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

}  // namespace tributary
