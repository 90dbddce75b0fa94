#include "common/fleet/testing/dns_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kMaxUdpBytes = 512;

void Put16(std::string* out, uint16_t value) {
  *out += static_cast<char>(value >> 8);
  *out += static_cast<char>(value & 0xFF);
}
void Put32(std::string* out, uint32_t value) {
  Put16(out, static_cast<uint16_t>(value >> 16));
  Put16(out, static_cast<uint16_t>(value & 0xFFFF));
}
uint16_t Get16(const std::string& from, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(from[at]) << 8 |
                               static_cast<uint8_t>(from[at + 1]));
}

// Reads the only question of a request; `end`: where it ends.
DnsQuestion ReadQuestion(const std::string& request, bool over_tcp,
                         size_t* end) {
  DnsQuestion question;
  size_t at = kHeaderBytes;
  while (at < request.size() && request[at] != 0) {
    const size_t length = static_cast<uint8_t>(request[at]);
    absl::StrAppend(&question.name, question.name.empty() ? "" : ".",
                    absl::AsciiStrToLower(request.substr(at + 1, length)));
    at += 1 + length;
  }
  *end = at + 5;
  if (*end > request.size()) std::abort();  // not of c-ares
  question.type = Get16(request, at + 1);
  question.over_tcp = over_tcp;
  return question;
}

// Returns the bytes of a record; empty if the address is of another family.
std::string RecordOf(const std::string& address, uint16_t type,
                     uint32_t ttl_s) {
  char bytes[16];
  const bool v4 = type == DnsServer::kA;
  if (inet_pton(v4 ? AF_INET : AF_INET6, address.c_str(), bytes) != 1) {
    return "";
  }
  std::string record;
  Put16(&record, 0xC000 | kHeaderBytes);  // the question's name
  Put16(&record, type);
  Put16(&record, 1);  // IN
  Put32(&record, ttl_s);
  Put16(&record, v4 ? 4 : 16);
  record.append(bytes, v4 ? 4 : 16);
  return record;
}

// Binds both sockets to one free port; returns 0 if another process has it for
// one of them.
uint16_t BindBoth(int udp, int tcp) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(tcp, generic, size) != 0 || getsockname(tcp, generic, &size) != 0 ||
      bind(udp, generic, size) != 0) {
    return 0;
  }
  return ntohs(address.sin_port);
}

}  // namespace

DnsServer::DnsServer(Script script)
    : script_(std::move(script)), stop_(eventfd(0, EFD_CLOEXEC)) {
  for (int tries = 0; port_ == 0 && tries < 50; ++tries) {
    udp_ = UniqueFd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    tcp_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    port_ = BindBoth(udp_.get(), tcp_.get());
  }
  if (port_ == 0 || listen(tcp_.get(), 16) != 0) std::abort();
  thread_ = std::thread([this] { Run(); });
}

DnsServer::~DnsServer() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::string DnsServer::address() const {
  return absl::StrCat("127.0.0.1:", port_);
}

std::vector<DnsQuestion> DnsServer::asked() const {
  MutexLock lock(mutex_);
  return asked_;
}

void DnsServer::Run() {
  pollfd waits[] = {{stop_.get(), POLLIN, 0},
                    {udp_.get(), POLLIN, 0},
                    {tcp_.get(), POLLIN, 0}};
  while (poll(waits, 3, -1) >= 0 && waits[0].revents == 0) {
    if (waits[1].revents != 0) AnswerUdp();
    if (waits[2].revents != 0) AnswerTcp();
  }
}

void DnsServer::AnswerUdp() {
  char buffer[4096];
  sockaddr_in from{};
  socklen_t size = sizeof(from);
  auto* const generic = reinterpret_cast<sockaddr*>(&from);
  const ssize_t n =
      recvfrom(udp_.get(), buffer, sizeof(buffer), 0, generic, &size);
  if (n < static_cast<ssize_t>(kHeaderBytes)) return;
  std::string answer = Answer(std::string(buffer, n), /*over_tcp=*/false);
  if (answer.empty()) return;
  if (answer.size() > kMaxUdpBytes) {
    size_t end = 0;
    ReadQuestion(answer, false, &end);
    answer.resize(end);
    answer[2] = static_cast<char>(answer[2] | 2);  // TC
    answer[6] = answer[7] = 0;                     // no answers
  }
  sendto(udp_.get(), answer.data(), answer.size(), 0, generic, size);
}

// Answers one connection to its end.
void DnsServer::AnswerTcp() {
  const UniqueFd client(accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  for (;;) {
    std::string length(2, 0);
    if (recv(client.get(), length.data(), 2, MSG_WAITALL) != 2) return;
    std::string request(Get16(length, 0), 0);
    if (recv(client.get(), request.data(), request.size(), MSG_WAITALL) !=
        static_cast<ssize_t>(request.size())) {
      return;
    }
    const std::string answer = Answer(request, /*over_tcp=*/true);
    if (answer.empty()) continue;
    std::string framed;
    Put16(&framed, static_cast<uint16_t>(answer.size()));
    framed += answer;
    if (send(client.get(), framed.data(), framed.size(), MSG_NOSIGNAL) < 0) {
      return;
    }
  }
}

std::string DnsServer::Answer(const std::string& request, bool over_tcp) {
  size_t end = 0;
  const DnsQuestion question = ReadQuestion(request, over_tcp, &end);
  {
    MutexLock lock(mutex_);
    asked_.push_back(question);
  }
  const DnsReply reply = script_(question);
  if (reply.kind == DnsReply::Kind::kSilence) return "";
  if (reply.kind == DnsReply::Kind::kGarbage) {
    return request.substr(0, 2) + std::string(40, '\xA5');
  }
  std::string records;
  uint16_t count = 0;
  for (const std::string& address : reply.addresses) {
    const std::string record = RecordOf(address, question.type, reply.ttl_s);
    if (!record.empty()) ++count;
    records += record;
  }
  const int code = reply.kind == DnsReply::Kind::kNoName    ? 3
                   : reply.kind == DnsReply::Kind::kFailure ? 2
                                                            : 0;
  std::string answer = request.substr(0, 2);
  Put16(&answer, static_cast<uint16_t>(0x8180 | code));
  Put16(&answer, 1);
  Put16(&answer, count);
  Put32(&answer, 0);
  answer += request.substr(kHeaderBytes, end - kHeaderBytes);
  return answer + records;
}

}  // namespace tributary
