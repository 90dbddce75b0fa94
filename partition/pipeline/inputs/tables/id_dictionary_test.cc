#include "partition/pipeline/inputs/tables/id_dictionary.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/tables/id_text.h"

namespace tributary {
namespace {

using testing::HasSubstr;

constexpr size_t kMuch = size_t{64} << 20;

class IdDictionaryTest : public testing::Test {
 protected:
  IdDictionaryTest() : spool_(folder_.path()) {}

  ColumnPtr Texts(const std::string& name,
                  const std::vector<std::string>& texts) {
    auto writer = spool_.Create(name, {DType::kUint8, 0});
    EXPECT_TRUE(writer.ok()) << writer.status();
    for (const std::string& text : texts) {
      EXPECT_TRUE(AppendIdText(text, *writer).ok());
    }
    return *writer->Finish();
  }
  static std::vector<int64_t> Ids(const Column& column) {
    return *ReadValues<int64_t>(column, 0, column.num_rows());
  }
  static std::vector<std::string> TextsOf(const IdDictionary& dictionary) {
    const auto ends = Ids(*dictionary.offsets);
    const auto bytes =
        *ReadValues<char>(*dictionary.bytes, 0, dictionary.bytes->num_rows());
    std::vector<std::string> texts;
    for (size_t i = 0; i + 1 < ends.size(); ++i) {
      texts.emplace_back(bytes.data() + ends[i], ends[i + 1] - ends[i]);
    }
    return texts;
  }

  const TemporaryFolder folder_;
  const Spool spool_;
};

TEST_F(IdDictionaryTest, NumbersAscendAndTextsAreInByteOrder) {
  const ColumnPtr numbers = Texts("n", {"10", "9", "-3", "9"});
  const auto by_value =
      MakeIdDictionary({numbers}, /*texts=*/false, kMuch, spool_, "a");
  ASSERT_TRUE(by_value.ok()) << by_value.status();
  ASSERT_TRUE(by_value->is_numbers());
  EXPECT_EQ(Ids(*by_value->numbers), (std::vector<int64_t>{-3, 9, 10}));
  EXPECT_FALSE(by_value->identity);
  const auto by_bytes =
      MakeIdDictionary({numbers}, /*texts=*/true, kMuch, spool_, "b");
  ASSERT_TRUE(by_bytes.ok()) << by_bytes.status();
  EXPECT_EQ(TextsOf(*by_bytes), (std::vector<std::string>{"-3", "10", "9"}));
}

// A run that ends between the two files of texts: the next one must not take
// offsets without their bytes for a dictionary.
TEST_F(IdDictionaryTest, GoesOnAfterAnEndBetweenItsFiles) {
  const ColumnPtr ids = Texts("n", {"b", "a", "b"});
  ASSERT_TRUE(MakeIdDictionary({ids}, true, kMuch, spool_, "d").ok());
  for (const char* file : {"d-bytes.uint8.0.rows", "d-offsets.int64.0.rows"}) {
    ASSERT_TRUE(std::filesystem::remove(folder_.File(file))) << file;
    const auto dictionary = MakeIdDictionary({ids}, true, kMuch, spool_, "d");
    ASSERT_TRUE(dictionary.ok()) << dictionary.status();
    ASSERT_NE(dictionary->bytes, nullptr) << file;
    ASSERT_NE(dictionary->offsets, nullptr) << file;
    EXPECT_EQ(TextsOf(*dictionary), (std::vector<std::string>{"a", "b"}));
  }
}

TEST_F(IdDictionaryTest, FindsNumbersInOtherSpellings) {
  const auto odd = [&](const std::string& name,
                       const std::vector<std::string>& texts) {
    const auto dictionary = MakeIdDictionary({Texts("t-" + name, texts)}, true,
                                             kMuch, spool_, name);
    return *FindOddNumber(*dictionary);
  };
  EXPECT_EQ(odd("a", {"2", "01", "x"}), "01");
  EXPECT_EQ(odd("b", {"2", "1.0"}), "1.0");
  EXPECT_EQ(odd("c", {"2", "-7", "x", "1.5", "0x1"}), "");
  // Behind the first block of 65,536 texts.
  std::vector<std::string> many;
  for (int i = 0; i < 65536; ++i) many.push_back(std::to_string(100000 + i));
  many.push_back("+9");
  many.push_back("9e0");
  EXPECT_EQ(odd("d", many), "+9");
  many.erase(many.end() - 2);
  EXPECT_EQ(odd("e", many), "9e0");
}

TEST_F(IdDictionaryTest, OneWordMakesAllTexts) {
  for (const char* word : {"b", "07", "+1", "-0", "1.0", " 1", "é"}) {
    const ColumnPtr ids = Texts(std::string("n-") + word, {"2", "10", word});
    const auto dictionary = MakeIdDictionary({ids}, /*texts=*/false, kMuch,
                                             spool_, std::string("d-") + word);
    ASSERT_TRUE(dictionary.ok()) << dictionary.status();
    EXPECT_FALSE(dictionary->is_numbers()) << word;
    const std::set<std::string> wanted = {"2", "10", word};
    EXPECT_EQ(TextsOf(*dictionary),
              std::vector<std::string>(wanted.begin(), wanted.end()));
  }
}

TEST_F(IdDictionaryTest, KnowsIdsThatAreTheirOwnNumbers) {
  const auto dictionary = MakeIdDictionary({Texts("n", {"2", "0", "1", "2"})},
                                           false, kMuch, spool_, "a");
  ASSERT_TRUE(dictionary.ok()) << dictionary.status();
  EXPECT_TRUE(dictionary->identity);
}

// So little memory that ids are sorted in runs, more than are merged at once,
// and looked up in many parts of the dictionary.
TEST_F(IdDictionaryTest, IsTheSameInLittleMemory) {
  std::mt19937 random(3);
  std::vector<std::string> texts;
  for (int i = 0; i < 60000; ++i) {
    texts.push_back(std::string(1 + random() % 3, 'a') +
                    std::to_string(random() % 30000));
  }
  const std::set<std::string> sorted(texts.begin(), texts.end());
  std::map<std::string, int64_t> number_of;
  for (const std::string& text : sorted) {
    number_of.emplace(text, static_cast<int64_t>(number_of.size()));
  }
  const ColumnPtr column = Texts("n", texts);
  constexpr size_t kLittle = 32 << 10;
  const auto dictionary =
      MakeIdDictionary({column}, false, kLittle, spool_, "a");
  ASSERT_TRUE(dictionary.ok()) << dictionary.status();
  EXPECT_EQ(TextsOf(*dictionary),
            std::vector<std::string>(sorted.begin(), sorted.end()));
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_THAT(file.path().string(), testing::Not(HasSubstr(".run")));
  }
  const auto numbers =
      NumberIds(*column, *dictionary, column.get(), kLittle, spool_, "numbers");
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  std::vector<int64_t> wanted;
  for (const std::string& text : texts) wanted.push_back(number_of.at(text));
  EXPECT_EQ(Ids(**numbers), wanted);
  // An earlier run's results are found.
  const auto again = MakeIdDictionary({}, false, kLittle, spool_, "a");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->num_ids(), static_cast<int64_t>(sorted.size()));
}

TEST_F(IdDictionaryTest, AnIdAtLeastIsInMemoryAtATime) {
  const ColumnPtr column = Texts("n", {"b", "a"});
  constexpr size_t kNone = 1;
  const auto dictionary = MakeIdDictionary({column}, true, kNone, spool_, "a");
  ASSERT_TRUE(dictionary.ok()) << dictionary.status();
  const auto numbers =
      NumberIds(*column, *dictionary, column.get(), kNone, spool_, "numbers");
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(Ids(**numbers), (std::vector<int64_t>{1, 0}));
}

TEST_F(IdDictionaryTest, NamesTheRowOfAnUnknownId) {
  const auto dictionary =
      MakeIdDictionary({Texts("n", {"a", "b"})}, false, kMuch, spool_, "a");
  ASSERT_TRUE(dictionary.ok()) << dictionary.status();
  const PlacedColumn edges(Texts("e", {"b", "x"}), [](int64_t row) {
    return "edges.csv line " + std::to_string(row + 2);
  });
  const auto numbers =
      NumberIds(edges, *dictionary, &edges, kMuch, spool_, "numbers");
  EXPECT_EQ(numbers.status().message(),
            "edges.csv line 3: \"x\" is no id in the table of nodes; "
            "allowed: those in its column of ids");
}

// A kill between the ends of the two columns.
TEST_F(IdDictionaryTest, BytesThatWereFinishedAreNotWrittenAgain) {
  const ColumnPtr ids = Texts("n", {"b", "a", "cc"});
  ASSERT_TRUE(MakeIdDictionary({ids}, /*texts=*/true, kMuch, spool_, "a").ok());
  const std::string bytes = folder_.File("a-bytes.uint8.0.rows");
  struct stat before {
  }, after{};
  ASSERT_EQ(stat(bytes.c_str(), &before), 0);
  ASSERT_TRUE(std::filesystem::remove(folder_.File("a-offsets.int64.0.rows")));
  const auto again =
      MakeIdDictionary({ids}, /*texts=*/true, kMuch, spool_, "a");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(TextsOf(*again), (std::vector<std::string>{"a", "b", "cc"}));
  ASSERT_EQ(stat(bytes.c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
}

}  // namespace
}  // namespace tributary
