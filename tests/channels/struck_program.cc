// Makes `tributary` strike itself with a signal where a test wants it to:
//
//   TRIBUTARY_STRIKE="batch.gather 9 FILE"   the signal by number
//
// Of all processes that are told so, the first that gets there does it: it
// takes FILE away.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "common/runtime/fault_point.h"

namespace tributary {
namespace {

struct Strike {
  std::string point, file;
  int signal = 0;
};

Strike StrikeOfEnvironment() {
  Strike strike;
  const char* text = std::getenv("TRIBUTARY_STRIKE");
  std::istringstream words(text == nullptr ? "" : text);
  words >> strike.point >> strike.signal >> strike.file;
  return strike;
}

const Strike g_strike = StrikeOfEnvironment();
const ScopedFault g_fault(g_strike.point, [] {
  if (unlink(g_strike.file.c_str()) == 0) kill(getpid(), g_strike.signal);
  return absl::OkStatus();
});

}  // namespace
}  // namespace tributary
