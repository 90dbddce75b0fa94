// How many columns of a terminal a text takes.
#ifndef TRIBUTARY_COMMON_TEXT_DISPLAY_WIDTH_H_
#define TRIBUTARY_COMMON_TEXT_DISPLAY_WIDTH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tributary {

// Returns the most columns that a printable line (TerminalLine) takes: one for
// each character of the alphabets of Europe and the Middle East, two for every
// other one. Combining marks count, too, so the text may take fewer.
size_t DisplayWidth(absl::string_view line);

// Returns the line in at most `width` columns; one that is longer is cut
// between characters and ends in "..." if there is room for that.
std::string CutToWidth(absl::string_view line, size_t width);

// Returns `line`, which CutToWidth has cut, filled with spaces to `width`: at
// its end, or at its beginning for numbers.
std::string PadToWidth(std::string line, size_t width, bool at_beginning);

// Returns the words of a text in lines of at most `width` columns, at least 20.
// A word that is longer is divided.
std::vector<std::string> WrapToWidth(absl::string_view text, size_t width);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TEXT_DISPLAY_WIDTH_H_
