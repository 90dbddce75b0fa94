// The costs of repeated transfers and their medians.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_TRANSFER_SERIES_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_TRANSFER_SERIES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tributary {

// The cost of one transfer.
struct TransferCost {
  double seconds = 0;
  double sender_cpu_seconds = 0;
  double receiver_cpu_seconds = 0;
};

// The rounds of one way to transfer bytes; entry i of each vector is round i.
struct TransferSeries {
  std::vector<double> rates;          // GB/s
  std::vector<double> sender_cpus;    // CPU seconds a GB
  std::vector<double> receiver_cpus;  // CPU seconds a GB

  // Adds a round that transferred `bytes` (at least 1).
  void Add(const TransferCost& cost, uint64_t bytes);
};

// Returns the median; the upper one of an even number of values. Requires that
// `values` is not empty.
double Median(std::vector<double> values);

// Returns "2.30 GB/s (1.98 to 2.78); CPU s/GB: sender 0.40, receiver 0.60":
// medians, and the least and largest rate. Requires at least one round.
std::string ToText(const TransferSeries& series);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_TRANSFER_SERIES_H_
