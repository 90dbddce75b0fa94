// Makes `tributary` send itself a signal at a fault point that a test names:
//
//   TRIBUTARY_STRIKE="batch.gather 9 FILE"   the signal by its number
//
// Of all processes with this variable, only the first that reaches the fault
// point does so: the one that removes FILE.
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
