#include "benchmarks/lib/measure/transfer_series.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace tributary {

void TransferSeries::Add(const TransferCost& cost, uint64_t bytes) {
  const double gigabytes = 1e-9 * static_cast<double>(bytes);
  rates.push_back(gigabytes / cost.seconds);
  sender_cpus.push_back(cost.sender_cpu_seconds / gigabytes);
  receiver_cpus.push_back(cost.receiver_cpu_seconds / gigabytes);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string ToText(const TransferSeries& s) {
  const auto [least, most] =
      std::minmax_element(s.rates.begin(), s.rates.end());
  return absl::StrFormat(
      "%.2f GB/s (%.2f to %.2f); CPU s/GB: sender %.2f, receiver %.2f",
      Median(s.rates), *least, *most, Median(s.sender_cpus),
      Median(s.receiver_cpus));
}

}  // namespace tributary
