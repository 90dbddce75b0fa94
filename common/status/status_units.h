// Figures with units that a person compares at a glance.
#ifndef TRIBUTARY_COMMON_STATUS_STATUS_UNITS_H_
#define TRIBUTARY_COMMON_STATUS_STATUS_UNITS_H_

#include <cstdint>
#include <string>

namespace tributary {

// "0", "0.31", "12.3", "1234".
std::string RateText(double per_second);
// "83%".
std::string PercentText(uint64_t part, uint64_t whole);
// "850 us", "12.3 ms", "3.2 s", "15 min".
std::string MicrosText(uint64_t us);
// "45 s", "12 min", "3 h", "5 d".
std::string SecondsText(uint64_t seconds);
// "640 MB", "1.2 GB": of 1e6 and 1e9 bytes.
std::string MemoryText(uint64_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_STATUS_UNITS_H_
