#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/io/atomic_folder.h"
#include "common/io/file_mapping.h"
#include "common/io/file_writer.h"
#include "common/io/rename_folder.h"
#include "common/io/unique_fd.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/file_test-" + std::to_string(getpid());
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_;
};

TEST_F(FileTest, WriterCountsAndSums) {
  const std::string path = folder_ + "/a";
  auto writer = FileWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->Append(std::string_view("1234")).ok());
  ASSERT_TRUE(writer->Append(std::string_view("56789")).ok());
  ASSERT_TRUE(writer->SyncAndClose().ok());
  EXPECT_EQ(writer->bytes_written(), 9);
  EXPECT_EQ(writer->crc32c(), 0xE3069283);  // RFC 3720's check value
  EXPECT_EQ(*ReadFile(path, 9), "123456789");
}

TEST_F(FileTest, WriterRefusesAnExistingFile) {
  std::ofstream(folder_ + "/a") << "x";
  EXPECT_EQ(FileWriter::Create(folder_ + "/a").status().code(),
            absl::StatusCode::kAlreadyExists);
}

TEST_F(FileTest, ReadFileIsBounded) {
  std::ofstream(folder_ + "/a") << "12345";
  const auto text = ReadFile(folder_ + "/a", 4);
  EXPECT_EQ(text.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(text.status().message().find("5 bytes"), std::string::npos);
}

TEST_F(FileTest, OnlyRegularFilesAreOpenedAndNoneIsWaitedFor) {
  ASSERT_EQ(mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", folder_ + "/device");
  for (const auto& [path, kind] :
       std::map<std::string, std::string>{{folder_ + "/fifo", "a FIFO"},
                                          {folder_ + "/device", "a device"},
                                          {folder_, "a folder"}}) {
    const absl::Status status = ReadFile(path, 9).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              absl::StrCat(path, " is ", kind, "; allowed: a regular file"));
  }
}

TEST_F(FileTest, MappingSeesTheBytesAndOutlivesTheName) {
  std::ofstream(folder_ + "/a") << "hello";
  auto mapping = FileMapping::Open(folder_ + "/a");
  ASSERT_TRUE(mapping.ok()) << mapping.status();
  fs::remove(folder_ + "/a");
  const FileMapping moved = *std::move(mapping);
  EXPECT_EQ(std::string(moved.bytes().begin(), moved.bytes().end()), "hello");
}

TEST_F(FileTest, FilesOfAPageAndMoreHaveTheirBytes) {
  for (const size_t size : {1, 63, 64, 4095, 4096, 4097, 9000}) {
    std::string text(size, 'x');
    text.front() = 'a';
    text.back() = 'z';
    std::ofstream(folder_ + "/a") << text;
    const auto file = FileMapping::Open(folder_ + "/a");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(std::string(file->bytes().begin(), file->bytes().end()), text);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file->bytes().data()) % 64, 0);
  }
}

size_t CountMappings() {
  std::ifstream maps("/proc/self/maps");
  size_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

// The kernel allows a process some 65,000 mappings.
TEST_F(FileTest, SmallFilesAreNotMapped) {
  constexpr size_t kFiles = 500;
  for (const size_t size : {size_t{4096}, size_t{4097}}) {
    std::vector<FileMapping> files;
    const size_t before = CountMappings();
    for (size_t i = 0; i < kFiles; ++i) {
      const std::string path = absl::StrCat(folder_, "/", size, "-", i);
      std::ofstream(path) << std::string(size, 'x');
      auto file = FileMapping::Open(path);
      ASSERT_TRUE(file.ok()) << file.status();
      files.push_back(*std::move(file));
    }
    const size_t more = CountMappings() - before;
    if (size == 4096) {
      EXPECT_LT(more, kFiles / 5);  // the heap's own
    } else {
      EXPECT_GE(more, kFiles);
    }
  }
}

TEST_F(FileTest, AMappingThatIsRefusedNamesTheRemedy) {
  const std::string path = folder_ + "/large";
  std::ofstream(path).flush();
  fs::resize_file(path, uint64_t{2} << 40);  // without blocks
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  rlimit less = old;
  less.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (uint64_t{1} << 40);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &less), 0);
  const auto file = FileMapping::Open(path);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &old), 0);
  EXPECT_EQ(file.status().code(), absl::StatusCode::kResourceExhausted);
  for (const char* word : {"/large", "vm.max_map_count", "fewer partitions"}) {
    EXPECT_NE(file.status().message().find(word), std::string::npos)
        << file.status();
  }
}

TEST_F(FileTest, MappingNamesWhatIsMissing) {
  const auto none = FileMapping::Open(folder_ + "/none");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(none.status().message().find("/none"), std::string::npos);
  EXPECT_FALSE(FileMapping::Open(folder_).ok());
}

bool Never() { return false; }

std::string LargeText() {
  std::string text((size_t{5} << 20) + 17, 'x');
  for (size_t i = 0; i < text.size(); i += 997) {
    text[i] = static_cast<char>('a' + i % 26);
  }
  return text;
}

TEST_F(FileTest, ACopyHasTheBytesWhateverHappensToTheFile) {
  const std::string path = folder_ + "/large", text = LargeText();
  std::ofstream(path) << text;
  auto copy = FileMapping::Copy(path, /*reserved=*/false, Never);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->copied_bytes(), size_t{6} << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copy->bytes().data()) % (2 << 20), 0u);
  const auto damage = std::make_shared<MappingDamage>();
  copy->Guard(path, damage);
  fs::resize_file(path, 0);
  FileMapping moved = *std::move(copy);
  FileMapping assigned;
  assigned = std::move(moved);
  EXPECT_EQ(std::string(assigned.bytes().begin(), assigned.bytes().end()),
            text);
  EXPECT_TRUE(damage->status().ok());
}

TEST_F(FileTest, SmallFilesAndThoseInMemoryAreNotCopied) {
  const std::string small = folder_ + "/small";
  std::ofstream(small) << std::string((size_t{2} << 20) - 1, 'x');
  EXPECT_EQ(FileMapping::Copy(small, false, Never)->copied_bytes(), 0u);
  std::ofstream(small, std::ios::app) << 'x';
  EXPECT_EQ(FileMapping::Copy(small, false, Never)->copied_bytes(),
            size_t{2} << 20);
  const int memory = memfd_create("large", MFD_CLOEXEC);  // on tmpfs
  ASSERT_GE(memory, 0);
  ASSERT_EQ(ftruncate(memory, 4 << 20), 0);
  const auto file =
      FileMapping::Copy(absl::StrCat("/proc/self/fd/", memory), false, Never);
  close(memory);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->bytes().size(), size_t{4} << 20);
  EXPECT_EQ(file->copied_bytes(), 0u);
}

TEST_F(FileTest, CopyingEndsAsItMust) {
  const std::string path = folder_ + "/large";
  std::ofstream(path) << LargeText();
  const auto cancelled = FileMapping::Copy(path, false, [] { return true; });
  EXPECT_EQ(cancelled.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(FileMapping::Copy(folder_ + "/none", false, Never).status().code(),
            absl::StatusCode::kNotFound);
  std::ifstream reserved("/proc/sys/vm/nr_hugepages");
  int pages = 0;
  if (!(reserved >> pages) || pages > 0) return;  // there may be enough
  const auto none = FileMapping::Copy(path, true, Never);
  EXPECT_EQ(none.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(none.status().message().find("3 of 2 MiB; allowed: to reserve"),
            std::string::npos)
      << none.status();
}

TEST_F(FileTest, EmptyFileMapsToNothing) {
  std::ofstream(folder_ + "/a").flush();
  EXPECT_TRUE(FileMapping::Open(folder_ + "/a")->bytes().empty());
}

TEST_F(FileTest, CommittedFolderAppearsUnderItsName) {
  auto folder = AtomicFolder::Create(folder_ + "/new/graph/");
  ASSERT_TRUE(folder.ok()) << folder.status();
  std::ofstream(*folder->PathFor("part-0/a")) << "x";
  EXPECT_FALSE(fs::exists(folder_ + "/new/graph"));
  ASSERT_TRUE(folder->Commit().ok());
  EXPECT_TRUE(fs::exists(folder_ + "/new/graph/part-0/a"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/new"), {}), 1);
}

TEST_F(FileTest, AbandonedFolderLeavesNothing) {
  {
    auto folder = AtomicFolder::Create(folder_ + "/graph");
    ASSERT_TRUE(folder.ok());
    std::ofstream(*folder->PathFor("a/b/c")) << "x";
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FileTest, WhatACrashHasLeftIsRemovedUnlessItsProcessLives) {
  const auto make = [&](const std::string& name) {
    fs::create_directories(folder_ + "/" + name + "/part-0");
    fs::last_write_time(folder_ + "/" + name, fs::file_time_type::clock::now() -
                                                  std::chrono::minutes(1));
    return folder_ + "/" + name;
  };
  const std::string crashed = make("graph.tmp-1-0");
  const std::string other = make("graph2.tmp-1-0");
  const std::string lives = make("graph.tmp-2-0");
  const UniqueFd lock(open(lives.c_str(), O_RDONLY));
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
  const auto folder = AtomicFolder::Create(folder_ + "/graph");
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_FALSE(fs::exists(crashed));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(lives));
  EXPECT_TRUE(fs::exists(folder->path()));
}

TEST_F(FileTest, AReplacedFolderIsThereUntilTheNewOneIs) {
  fs::create_directories(folder_ + "/hot");
  std::ofstream(folder_ + "/hot/old") << "x";
  {
    auto folder =
        AtomicFolder::Create(folder_ + "/hot", ExistingFolder::kReplace);
    ASSERT_TRUE(folder.ok()) << folder.status();
    std::ofstream(*folder->PathFor("part-0/new")) << "y";
    EXPECT_TRUE(fs::exists(folder_ + "/hot/old"));
    ASSERT_TRUE(folder->Commit().ok());
  }
  EXPECT_FALSE(fs::exists(folder_ + "/hot/old"));
  EXPECT_TRUE(fs::exists(folder_ + "/hot/part-0/new"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  // Without one before it, the new one appears as any does; not committed, it
  // changes nothing.
  {
    const auto again =
        AtomicFolder::Create(folder_ + "/hot", ExistingFolder::kReplace);
    ASSERT_TRUE(again.ok());
    auto first =
        AtomicFolder::Create(folder_ + "/first", ExistingFolder::kReplace);
    ASSERT_TRUE(first.ok() && first->Commit().ok());
  }
  EXPECT_TRUE(fs::exists(folder_ + "/hot/part-0/new"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(FileTest, ExistingTargetIsRefusedEarlyAndLate) {
  auto folder = AtomicFolder::Create(folder_ + "/graph");
  ASSERT_TRUE(folder.ok());
  fs::create_directories(folder_ + "/graph/mine");
  EXPECT_EQ(folder->Commit().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(fs::exists(folder_ + "/graph/mine"));
  EXPECT_EQ(AtomicFolder::Create(folder_ + "/graph").status().code(),
            absl::StatusCode::kAlreadyExists);
}

TEST_F(FileTest, SyncTreeReachesEveryFile) {
  for (int i = 0; i < 40; ++i) {
    const std::string below = absl::StrCat(folder_, "/", i % 4, "/", i);
    fs::create_directories(below);
    std::ofstream(below + "/file") << "x";
  }
  EXPECT_TRUE(SyncTree(folder_).ok());
  // A link that leads nowhere cannot be opened.
  fs::create_symlink("nowhere", folder_ + "/3/39/link");
  const absl::Status status = SyncTree(folder_);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("/3/39/link"), std::string::npos) << status;
  EXPECT_FALSE(SyncTree(folder_ + "/missing").ok());
}

}  // namespace
}  // namespace tributary
