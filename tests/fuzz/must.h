// Checks what holds for every input of a fuzzer.
#ifndef TRIBUTARY_TESTS_FUZZ_MUST_H_
#define TRIBUTARY_TESTS_FUZZ_MUST_H_

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tributary {

// Aborts the process, which reports the input as a finding, unless `holds`.
// `what` names the property on stderr.
inline void Must(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %.*s\n", static_cast<int>(what.size()),
               what.data());
  std::abort();
}

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_MUST_H_
