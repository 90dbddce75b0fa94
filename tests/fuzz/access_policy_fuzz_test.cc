// Fuzzes AccessPolicy: any text is either a policy that decides for every job,
// or refused with the file's name and what is wrong.
#include <cstdint>
#include <string>
#include <string_view>

#include "sampler_server/access/access_policy.h"
#include "tests/fuzz/must.h"

namespace tributary {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto policy = AccessPolicy::Parse(text, "policy.json");
  if (!policy.ok()) {
    const std::string message(policy.status().message());
    Must(message.find("policy policy.json") == 0, "the file is named");
    Must(message.size() < 10'000, "messages are bounded");
    for (const char c : message) {
      Must(static_cast<unsigned char>(c) >= 0x20, "and have one line");
    }
    return 0;
  }
  Must(policy->num_jobs() <= AccessPolicy::kMaxJobs, "jobs are bounded");
  const std::string job(text.substr(0, size / 2));
  const bool may = policy->MayRead(job, text, {});
  const auto again = AccessPolicy::Parse(text, "policy.json");
  Must(again.ok() && again->MayRead(job, text, {}) == may,
       "the same text decides the same");
  return 0;
}

}  // namespace tributary
