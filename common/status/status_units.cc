#include "common/status/status_units.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tributary {

std::string RateText(double per_second) {
  // A peer may say anything.
  if (!(per_second > 0)) return "0";
  if (!(per_second < 1e12)) return ">1e12";
  if (per_second < 0.005) return "<0.01";
  if (per_second < 9.995) return absl::StrFormat("%.2f", per_second);
  if (per_second < 999.95) return absl::StrFormat("%.1f", per_second);
  return absl::StrFormat("%.0f", per_second);
}

std::string PercentText(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  const double share =
      100 * static_cast<double>(part) / static_cast<double>(whole);
  return absl::StrFormat("%.0f%%", std::min(share, 999.0));
}

std::string MicrosText(uint64_t us) {
  if (us < 1000) return absl::StrCat(us, " us");
  if (us < 1'000'000) return absl::StrFormat("%.1f ms", 1e-3 * us);
  if (us < 600'000'000) return absl::StrFormat("%.1f s", 1e-6 * us);
  return SecondsText(us / 1'000'000);
}

std::string SecondsText(uint64_t seconds) {
  if (seconds < 120) return absl::StrCat(seconds, " s");
  if (seconds < 120 * 60) return absl::StrCat(seconds / 60, " min");
  if (seconds < 48 * 3600) return absl::StrCat(seconds / 3600, " h");
  return absl::StrCat(seconds / 86400, " d");
}

std::string MemoryText(uint64_t bytes) {
  if (bytes < 1'000'000'000) {
    return absl::StrFormat("%.0f MB", 1e-6 * static_cast<double>(bytes));
  }
  return absl::StrFormat("%.1f GB", 1e-9 * static_cast<double>(bytes));
}

}  // namespace tributary
