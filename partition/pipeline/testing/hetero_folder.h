// A test fixture: a small folder in OGB's heterogeneous layout, whose files
// tests replace.
#ifndef TRIBUTARY_PARTITION_PIPELINE_TESTING_HETERO_FOLDER_H_
#define TRIBUTARY_PARTITION_PIPELINE_TESTING_HETERO_FOLDER_H_

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"

namespace tributary {

// 3 authors (with x), 2 fields, 4 papers (with y); authors write papers (with
// attributes), papers cite papers, no edge leads to a field.
class HeteroTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("raw/num-node-dict.csv", "paper,author,field\n4,3,2\n");
    Write("raw/triplet-type-list.csv",
          "paper,cites,paper\nauthor,writes,paper\n");
    Write(kWrites + "edge.csv", "0,3\n2,3\n1,0\n");
    Write(kWrites + "num-edge-list.csv", "3\n");
    Write(kWrites + "edge-feat.csv", "0.5\n1.5\n2.5\n");
    Write(kCites + "edge.csv", "1,1\n3,2\n1,1\n");
    Write(kCites + "num-edge-list.csv", "3\n");
    Write("raw/node-feat/author/node-feat.csv", "1,2\n3,4\n5,6\n");
    Write("raw/node-label/paper/node-label.csv", "2\n-1\n0\n1\n");
    Write("raw/nodetype-has-feat.csv",
          "author,paper,field\nTrue,False,False\n");
    Write("raw/nodetype-has-label.csv", "author,paper\nFalse,True\n");
    Write("split/time/paper/train.csv", "3\n0\n");
    Write("split/time/paper/test.csv", "1\n");
    Write("split/time/nodetype-has-split.csv", "paper,field\nTrue,False\n");
  }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(
        std::filesystem::path(folder_.File(path)).parent_path());
    std::ofstream(folder_.File(path), std::ios::binary) << text;
  }
  void Remove(const std::string& path) {
    std::filesystem::remove_all(folder_.File(path));
  }
  absl::StatusOr<Input> Read(bool add_reverse = false, bool dedupe = false) {
    return ReadInput({.folder = folder_.path(),
                      .add_reverse = add_reverse,
                      .dedupe = dedupe});
  }
  // Expects that reading fails while the file `path` holds `text`; then
  // restores the file.
  void ExpectRefused(const std::string& path, const std::string& text,
                     const std::string& where, const std::string& what) {
    const std::filesystem::path file = folder_.File(path),
                                aside = folder_.File("aside");
    const bool was = std::filesystem::exists(file);
    if (was)
      std::filesystem::copy_file(
          file, aside, std::filesystem::copy_options::overwrite_existing);
    Write(path, text);
    ExpectError(absl::StatusCode::kInvalidArgument, where, what);
    std::filesystem::remove(file);
    if (was) std::filesystem::rename(aside, file);
  }
  void ExpectError(absl::StatusCode code, const std::string& where,
                   const std::string& what, bool add_reverse = false) {
    const absl::Status status = Read(add_reverse).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(where));
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(what));
  }

  const std::string kWrites = "raw/relations/author___writes___paper/";
  const std::string kCites = "raw/relations/paper___cites___paper/";
  TemporaryFolder folder_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_TESTING_HETERO_FOLDER_H_
