#include "common/observe/process_metrics.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <string>

#include "gtest/gtest.h"

namespace tributary {
namespace {

// Returns the value of the line that begins with `series`; NaN without one.
double ValueOf(const std::string& text, const std::string& series) {
  const size_t at = text.find("\n" + series + " ");
  if (at == std::string::npos) return std::nan("");
  return std::stod(text.substr(at + series.size() + 2));
}

class ProcessMetricsTest : public ::testing::Test {
 protected:
  double Read(const std::string& series) {
    process_.Update();
    return ValueOf("\n" + metrics_.Exposition(), series);
  }
  Metrics metrics_;
  ProcessMetrics process_{&metrics_, "1.2.3"};
};

TEST_F(ProcessMetricsTest, TellsTheVersion) {
  EXPECT_EQ(Read("tributary_build_info{version=\"1.2.3\"}"), 1);
}

TEST_F(ProcessMetricsTest, CountsOpenDescriptors) {
  const double before = Read("process_open_fds");
  const int fd = open("/dev/null", O_RDONLY);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(Read("process_open_fds"), before + 1);
  close(fd);
  EXPECT_EQ(Read("process_open_fds"), before);
  EXPECT_GT(Read("process_max_fds"), before);
}

TEST_F(ProcessMetricsTest, CpuTimeIsCountedOnce) {
  const double before = Read("process_cpu_seconds_total");
  const std::clock_t start = std::clock();
  while (std::clock() - start < CLOCKS_PER_SEC / 20) {
  }
  const double after = Read("process_cpu_seconds_total");
  EXPECT_GE(after - before, 0.04);
  // The process's own clock counts the same time.
  EXPECT_LE(after, static_cast<double>(std::clock()) / CLOCKS_PER_SEC + 0.05);
}

TEST_F(ProcessMetricsTest, ResidentMemoryGrowsWithWhatIsWritten) {
  constexpr size_t kBytes = size_t{64} << 20;
  const double before = Read("process_resident_memory_bytes");
  const std::string written(kBytes, 'x');
  EXPECT_GE(Read("process_resident_memory_bytes") - before, kBytes / 2);
  EXPECT_GE(Read("process_virtual_memory_bytes"),
            Read("process_resident_memory_bytes"));
  EXPECT_EQ(written.back(), 'x');
}

TEST_F(ProcessMetricsTest, TheStartWasBeforeNowAndAfterTheYear2000) {
  const double started = Read("process_start_time_seconds");
  EXPECT_LE(started, static_cast<double>(std::time(nullptr)) + 2);
  EXPECT_GT(started, 946684800);
}

}  // namespace
}  // namespace tributary
