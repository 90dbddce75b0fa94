// Prints the content digest of a folder in DGL's chunked format:
//   print_digest FOLDER
#include <cstdio>
#include <string>

#include "common/hash/sha256.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/writer/content_digest.h"

int main(int argc, char** argv) {
  using namespace tributary;  // NOLINT(google-build-using-namespace)
  if (argc != 2) return 2;
  const auto input = ReadInput({.folder = argv[1], .format = "dgl-chunked"});
  if (!input.ok()) {
    std::fprintf(stderr, "%s\n", input.status().ToString().c_str());
    return 1;
  }
  std::puts(ToHex(ComputeContentDigest(input->content)).c_str());
  return 0;
}
