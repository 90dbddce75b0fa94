// Runs a fuzz function without libFuzzer: over the files that are named, and
// over mutations of them that are the same in every run.
//
//   ..._fuzz_test [--mutations=N] FILE...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

constexpr char kMutationsFlag[] = "--mutations=";
constexpr size_t kMaxGrowth = 64;  // bytes

void Run(const Bytes& input) {
  // A copy of its exact size, so that AddressSanitizer sees an overrun.
  const Bytes exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void MutateOnce(Bytes& bytes, std::mt19937& random) {
  static constexpr uint8_t kEdges[] = {0, 1, 0x7f, 0x80, 0xff};
  const size_t at = bytes.empty() ? 0 : random() % bytes.size();
  switch (bytes.empty() ? 3 : random() % 5) {
    case 0:
      bytes[at] ^= static_cast<uint8_t>(1u << random() % 8);
      break;
    case 1:
      bytes[at] = kEdges[random() % std::size(kEdges)];
      break;
    case 2:
      bytes.resize(at);  // cut short
      break;
    case 3:
      bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at),
                   random() % kMaxGrowth, static_cast<uint8_t>(random()));
      break;
    default: {  // a length that is far too large
      const size_t end = std::min(bytes.size(), at + 1 + random() % 8);
      std::fill(bytes.begin() + static_cast<ptrdiff_t>(at),
                bytes.begin() + static_cast<ptrdiff_t>(end), 0xff);
    }
  }
}

bool ReadInput(const char* path, std::vector<Bytes>& corpus) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot open %s\n", path);
    return false;
  }
  corpus.emplace_back(std::istreambuf_iterator<char>(file),
                      std::istreambuf_iterator<char>());
  return true;
}

void RunMutations(const std::vector<Bytes>& corpus, int count) {
  std::mt19937 random(1);
  for (int i = 0; i < count; ++i) {
    Bytes input = corpus[random() % corpus.size()];
    for (unsigned n = 1 + random() % 4; n > 0; --n) MutateOnce(input, random);
    Run(input);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int mutations = 0;
  std::vector<Bytes> corpus = {{}};
  for (int i = 1; i < argc; ++i) {
    const size_t flag = std::strlen(kMutationsFlag);
    if (std::strncmp(argv[i], kMutationsFlag, flag) == 0) {
      mutations = std::atoi(argv[i] + flag);
    } else if (!ReadInput(argv[i], corpus)) {
      return 1;
    }
  }
  for (const Bytes& input : corpus) Run(input);
  RunMutations(corpus, mutations);
  std::printf("%zu inputs and %d mutations\n", corpus.size(), mutations);
  return 0;
}
