// Plants faults in dictionaries of users' ids, and looks for each with
// `tributary verify`'s check.
#include <functional>
#include <string>
#include <vector>

#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/pipeline/check/testing/planted_folder.h"
#include "partition/pipeline/check/verify.h"

namespace tributary {
namespace {

using testing::HasSubstr;

constexpr char kNumbers[] = "ids/node.numbers.npy";
constexpr char kOffsets[] = "ids/node.offsets.npy";
constexpr char kBytes[] = "ids/node.bytes.npy";

template <typename T>
std::string Npy(NpyType type, const std::vector<T>& values) {
  std::string text =
      FormatNpyHeader(type, {static_cast<int64_t>(values.size())});
  return text.append(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(T));
}

std::string Int64s(const std::vector<int64_t>& values) {
  return Npy(kNpyInt64, values);
}

std::string Chars(const std::string& text) {
  return Npy(kNpyUint8, std::vector<char>(text.begin(), text.end()));
}

// A graph of four nodes called ann, bob, eve and zoe.
class TextsFolder : public PlantedFolder {
 public:
  TextsFolder() : PlantedFolder(PlainSpec()) {
    Add(kOffsets, Int64s({0, 3, 6, 9, 12}));
    Add(kBytes, Chars("annbobevezoe"));
    Seal();
  }
};

// A graph of four nodes called -7, 5, 6 and 70.
class NumbersFolder : public PlantedFolder {
 public:
  NumbersFolder() : PlantedFolder(PlainSpec()) {
    Add(kNumbers, Int64s({-7, 5, 6, 70}));
    Seal();
  }
};

template <typename Folder>
void ExpectFound(const std::function<void(PlantedFolder&)>& plant,
                 const std::string& found) {
  SCOPED_TRACE(found);
  Folder folder;
  const absl::Status sound = VerifyGraph(folder.path()).status();
  ASSERT_TRUE(sound.ok()) << sound;
  plant(folder);
  const absl::Status status = VerifyGraph(folder.path()).status();
  ASSERT_FALSE(status.ok()) << "not found";
  EXPECT_THAT(std::string(status.message()), HasSubstr(found));
}

// Plants and makes the checksums right.
std::function<void(PlantedFolder&)> Sealed(
    const std::function<void(PlantedFolder&)>& plant) {
  return [plant](PlantedFolder& folder) {
    plant(folder);
    folder.Seal();
  };
}

std::function<void(PlantedFolder&)> SetOffset(size_t row, int64_t value) {
  return Sealed([row, value](PlantedFolder& folder) {
    folder.Set<int64_t>(kOffsets, row, value);
  });
}

std::function<void(PlantedFolder&)> SetByte(size_t at, char value) {
  return Sealed([at, value](PlantedFolder& folder) {
    folder.Set<char>(kBytes, at, value);
  });
}

TEST(PlantedIds, DamagedFilesAreFound) {
  ExpectFound<TextsFolder>(
      [](PlantedFolder& f) { f.Set<char>(kBytes, 1, 'm'); },
      "ids/node.bytes.npy: its CRC32C");
  ExpectFound<TextsFolder>([](PlantedFolder& f) { f.Cut(kOffsets); },
                           "bytes; graph.json says");
  ExpectFound<TextsFolder>([](PlantedFolder& f) { f.Remove(kBytes); },
                           "ids/node.bytes.npy");
  ExpectFound<NumbersFolder>(
      [](PlantedFolder& f) { f.Set<int64_t>(kNumbers, 3, 71); },
      "ids/node.numbers.npy: its CRC32C");
}

TEST(PlantedIds, TextsThatAreNoDictionaryAreFound) {
  ExpectFound<TextsFolder>(SetOffset(0, 1), "offsets from 1 to 12");
  ExpectFound<TextsFolder>(SetOffset(4, 11), "offsets from 0 to 11");
  ExpectFound<TextsFolder>(SetOffset(2, 3), "row 1: offsets 3 and 3");
  ExpectFound<TextsFolder>(SetOffset(2, 10), "row 2: offsets 10 and 9");
  ExpectFound<TextsFolder>(SetOffset(1, 13), "row 0: offsets 0 and 13");
  ExpectFound<TextsFolder>(SetByte(6, 'a'), "row 2 is \"ave\"");
  ExpectFound<TextsFolder>(Sealed([](PlantedFolder& f) {
                             for (size_t i = 0; i < 3; ++i) {
                               f.Set<char>(kBytes, 3 + i, "ann"[i]);
                             }
                           }),
                           "row 1 is \"ann\"");
  // Bytes have no sign: \xe9 is behind all letters.
  ExpectFound<TextsFolder>(SetByte(3, '\xe9'), "row 2 is \"eve\"");
}

TEST(PlantedIds, NumbersThatAreNoDictionaryAreFound) {
  ExpectFound<NumbersFolder>(
      Sealed([](PlantedFolder& f) { f.Set<int64_t>(kNumbers, 1, 6); }),
      "row 2 is 6 after 6");
  ExpectFound<NumbersFolder>(
      Sealed([](PlantedFolder& f) { f.Set<int64_t>(kNumbers, 0, 9); }),
      "row 1 is 5 after 9");
}

TEST(PlantedIds, FilesThatDoNotBelongTogetherAreFound) {
  ExpectFound<TextsFolder>(Sealed([](PlantedFolder& f) { f.Unlist(kBytes); }),
                           "neither numbers alone nor offsets and bytes");
  ExpectFound<TextsFolder>(Sealed([](PlantedFolder& f) {
                             f.Add(kNumbers, Int64s({1, 2, 3, 4}));
                           }),
                           "neither numbers alone nor offsets and bytes");
  ExpectFound<NumbersFolder>(Sealed([](PlantedFolder& f) {
                               f.Unlist(kNumbers);
                               f.Add(kNumbers, Int64s({1, 2, 3}));
                             }),
                             "has 3 rows; the graph has 4 nodes");
  ExpectFound<NumbersFolder>(Sealed([](PlantedFolder& f) {
                               f.Add("ids/user.numbers.npy", Int64s({1}));
                             }),
                             "ids/user.numbers.npy: it is of no node type's");
  ExpectFound<NumbersFolder>(
      Sealed([](PlantedFolder& f) { f.Add("ids/node.npy", Int64s({1})); }),
      "ids/node.npy: it is of no node type's");
}

}  // namespace
}  // namespace tributary
