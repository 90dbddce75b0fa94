#include "common/text/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tributary {

std::string NumberText(double number) {
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e15);
  std::array<char, 64> text;
  const auto [end, error] =
      plain ? std::to_chars(text.data(), text.data() + text.size(), number,
                            std::chars_format::fixed)
            : std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

}  // namespace tributary
