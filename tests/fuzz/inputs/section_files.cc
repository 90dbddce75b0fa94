#include "tests/fuzz/inputs/section_files.h"

#include <algorithm>

namespace tributary {

void ForEachSection(
    absl::string_view text,
    absl::FunctionRef<void(absl::string_view, absl::string_view)> take) {
  while (true) {
    const size_t begin = text.find('=');
    if (begin == text.npos) return;
    text.remove_prefix(begin + 1);
    const absl::string_view section = text.substr(0, text.find('='));
    const size_t line = std::min(section.find('\n'), section.size());
    take(section.substr(0, line),
         section.substr(std::min(line + 1, section.size())));
    text.remove_prefix(section.size());
  }
}

}  // namespace tributary
