// Mapped files that lose their bytes.
#include "common/io/mapping_guard.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/config.h"
#include "common/io/file_mapping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr size_t kBytes = 40'000;  // some pages

class MappingGuardTest : public testing::Test {
 protected:
  MappingGuardTest() { InstallMappingGuard(); }
  std::string Write(const std::string& name) {
    const std::string path = testing::TempDir() + "/" + name;
    std::ofstream(path) << std::string(kBytes, 'x');
    return path;
  }
  static FileMapping Map(const std::string& path,
                         const std::shared_ptr<MappingDamage>& damage) {
    FileMapping mapping = FileMapping::Open(path).value();
    mapping.Guard(path, damage);
    return mapping;
  }
  static size_t CountZeros(const FileMapping& mapping) {
    size_t zeros = 0;
    for (const volatile uint8_t& byte : mapping.bytes()) {
      zeros += byte == 0 ? 1 : 0;
    }
    return zeros;
  }
};

TEST_F(MappingGuardTest, ALostFileReadsAsZerosAndSaysSo) {
  const std::string lost = Write("lost"), sound = Write("sound");
  const auto damage = std::make_shared<MappingDamage>();
  const auto other = std::make_shared<MappingDamage>();
  const FileMapping a = Map(lost, damage), b = Map(sound, other);
  EXPECT_EQ(CountZeros(a), 0);
  EXPECT_TRUE(damage->status().ok());
  std::filesystem::resize_file(lost, 0);
  EXPECT_EQ(CountZeros(a), kBytes);
  EXPECT_EQ(damage->status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(damage->status().message()), HasSubstr(lost));
  EXPECT_EQ(CountZeros(b), 0);
  EXPECT_TRUE(other->status().ok());
}

// All of its bytes are zeros, so that nothing is half old and half lost for
// long.
TEST_F(MappingGuardTest, AFileThatIsCutIsLostAsAWhole) {
  const std::string path = Write("cut");
  const auto damage = std::make_shared<MappingDamage>();
  const FileMapping mapping = Map(path, damage);
  std::filesystem::resize_file(path, 8192);
  EXPECT_EQ(mapping.bytes()[8191], 'x');
  EXPECT_TRUE(damage->status().ok()) << "nobody has read a lost byte";
  const volatile uint8_t& byte = mapping.bytes()[8192];
  EXPECT_EQ(byte, 0);
  EXPECT_EQ(CountZeros(mapping), kBytes);
  EXPECT_FALSE(damage->status().ok());
}

TEST_F(MappingGuardTest, ManyThreadsMayReadIt) {
  for (int round = 0; round < 20; ++round) {
    const std::string path = Write("many");
    const auto damage = std::make_shared<MappingDamage>();
    const FileMapping mapping = Map(path, damage);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (CountZeros(mapping) < kBytes) {
        }
        EXPECT_FALSE(damage->status().ok());
      });
    }
    std::filesystem::resize_file(path, 0);
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_F(MappingGuardTest, SlotsAreFreedAndGrow) {
  const std::string path = Write("slots");
  const auto damage = std::make_shared<MappingDamage>();
  for (int round = 0; round < 3; ++round) {
    std::vector<FileMapping> mappings;
    for (int i = 0; i < 1200; ++i) mappings.push_back(Map(path, damage));
  }
  const FileMapping last = Map(path, damage);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(CountZeros(last), kBytes);
}

using MappingGuardDeathTest = MappingGuardTest;

// Whether a process ended as by a SIGBUS that nobody guards: sanitizers have a
// handler, which reports it and exits.
bool EndedByFault(int status) {
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
  return testing::ExitedWithCode(1)(status);
#elif defined(ABSL_HAVE_THREAD_SANITIZER)
  return testing::ExitedWithCode(66)(status);
#else
  return testing::KilledBySignal(SIGBUS)(status);
#endif
}

TEST_F(MappingGuardDeathTest, AnotherFaultEndsTheProcessAsBefore) {
  const std::string path = Write("unguarded");
  const FileMapping mapping = FileMapping::Open(path).value();
  std::filesystem::resize_file(path, 0);
  EXPECT_EXIT((void)CountZeros(mapping), EndedByFault, "");
  EXPECT_EXIT(raise(SIGBUS), EndedByFault, "");
}

}  // namespace
}  // namespace tributary
