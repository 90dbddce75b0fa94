// What is allocated while it lives is no leak to LeakSanitizer.
#ifndef TRIBUTARY_COMMON_TESTING_LEAKS_IGNORED_H_
#define TRIBUTARY_COMMON_TESTING_LEAKS_IGNORED_H_

#include "absl/base/config.h"

#ifdef ABSL_HAVE_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace tributary {

// The first member of a simulated world that ends like a power cut: no node
// finishes what it was doing, so that memory leaks that would end with a real
// process. For the thread that makes it.
class LeaksIgnored {
 public:
  LeaksIgnored() {}

 private:
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
  const __lsan::ScopedDisabler disabler_;
#endif
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TESTING_LEAKS_IGNORED_H_
