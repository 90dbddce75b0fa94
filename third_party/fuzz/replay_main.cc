// Runs a fuzz function without libFuzzer: over the files that are named, and
// over mutations of them that are the same in every run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kMutations = 20000;
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

}  // namespace

int main(int argc, char** argv) {
  std::vector<Bytes> corpus = {{}};
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot open %s\n", argv[i]);
      return 1;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(file),
                        std::istreambuf_iterator<char>());
  }
  for (const Bytes& input : corpus) Run(input);
  std::mt19937 random(1);
  for (int i = 0; i < kMutations; ++i) {
    Bytes input = corpus[random() % corpus.size()];
    for (unsigned n = 1 + random() % 4; n > 0; --n) MutateOnce(input, random);
    Run(input);
  }
  std::printf("%zu inputs and %d mutations\n", corpus.size(), kMutations);
  return 0;
}
