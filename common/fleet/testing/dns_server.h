// A small name server for tests.
#ifndef TRIBUTARY_COMMON_FLEET_TESTING_DNS_SERVER_H_
#define TRIBUTARY_COMMON_FLEET_TESTING_DNS_SERVER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A question as the server has received it.
struct DnsQuestion {
  std::string name;   // in lower case, without the dot at the end
  uint16_t type = 0;  // 1: A, 28: AAAA
  bool over_tcp = false;
  friend bool operator==(const DnsQuestion&, const DnsQuestion&) = default;
};

// Its answers.
struct DnsReply {
  enum class Kind {
    kRecords,  // the records, none with code 0: the name has none of this type
    kNoName,   // NXDOMAIN
    kFailure,  // SERVFAIL
    kSilence,
    kGarbage,  // bytes that are no answer
  };
  Kind kind = Kind::kRecords;
  std::vector<std::string> addresses;  // as text, of the question's family
  uint32_t ttl_s = 5;
};

// Answers over UDP and TCP on one port of 127.0.0.1, on a thread of its own.
// Answers of more than 512 bytes are cut off over UDP, and say so.
class DnsServer {
 public:
  static constexpr uint16_t kA = 1;
  static constexpr uint16_t kAaaa = 28;
  using Script = std::function<DnsReply(const DnsQuestion&)>;

  // `script` runs on the server's thread.
  explicit DnsServer(Script script);
  ~DnsServer();

  // "127.0.0.1:PORT", as HostResolverOptions::servers takes it.
  std::string address() const;
  std::vector<DnsQuestion> asked() const;

 private:
  void Run();
  void AnswerUdp();
  void AnswerTcp();
  std::string Answer(const std::string& request, bool over_tcp);

  const Script script_;
  UniqueFd udp_;
  UniqueFd tcp_;
  UniqueFd stop_;
  uint16_t port_ = 0;
  mutable Mutex mutex_;
  std::vector<DnsQuestion> asked_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_TESTING_DNS_SERVER_H_
