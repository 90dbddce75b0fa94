// What a fuzzer holds to be true of every input.
#ifndef TRIBUTARY_TESTS_FUZZ_MUST_H_
#define TRIBUTARY_TESTS_FUZZ_MUST_H_

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tributary {

// Ends the process, which is what makes an input a finding.
inline void Must(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %.*s\n", static_cast<int>(what.size()),
               what.data());
  std::abort();
}

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_MUST_H_
