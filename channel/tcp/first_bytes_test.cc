#include "channel/tcp/first_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

std::optional<bool> Begins(const std::string& bytes, bool tls) {
  return BeginsTcpStream(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, tls);
}

std::string Number(size_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) {
    text.push_back(static_cast<char>(value >> (8 * i)));
  }
  return text;
}

std::string Vector(const std::string& bytes, int bytes_of_size) {
  return Number(bytes.size(), bytes_of_size) + bytes;
}

// Returns a record with a ClientHello that has two extensions of which the
// second one offers `names`.
std::string Hello(const std::string& names) {
  const std::string extensions = Number(0, 2) + Vector("server name", 2) +
                                 Number(16, 2) + Vector(Vector(names, 2), 2);
  const std::string hello = Number(0x0303, 2) + std::string(32, 'r') +
                            Vector("session", 1) + Vector("\x13\x01", 2) +
                            Vector(std::string(1, '\0'), 1) +
                            Vector(extensions, 2);
  return Number(22, 1) + Number(0x0301, 2) +
         Vector(Number(1, 1) + Vector(hello, 3), 2);
}

TEST(FirstBytesTest, PlainTextBeginsWithTheMagicOfEnvelopes) {
  EXPECT_EQ(Begins("", false), std::nullopt);
  EXPECT_EQ(Begins("T", false), std::nullopt);
  EXPECT_EQ(Begins("TRI", false), std::nullopt);
  EXPECT_EQ(Begins("TRIB", false), true);
  EXPECT_EQ(Begins("TRIBUTARY", false), true);
  EXPECT_EQ(Begins("PRI * HTTP/2.0", false), false);
  EXPECT_EQ(Begins("P", false), false);
  EXPECT_EQ(Begins("TRAM", false), false);
}

TEST(FirstBytesTest, TlsBeginsWithTheOfferOfItsProtocol) {
  const std::string ours = Vector(std::string(kTcpAlpn), 1);
  for (const auto& [names, begins] :
       {std::pair{ours, true}, std::pair{Vector("h2", 1) + ours, true},
        std::pair{Vector("h2", 1), false}, std::pair{std::string(), false},
        std::pair{std::string("\xff junk"), false}}) {
    const std::string hello = Hello(names);
    EXPECT_EQ(Begins(hello, true), begins) << names;
    EXPECT_EQ(Begins(hello + "more", true), begins) << names;
    // Any part of it may still become one.
    for (size_t n = 0; n < hello.size(); ++n) {
      ASSERT_EQ(Begins(hello.substr(0, n), true), std::nullopt) << n;
    }
  }
}

TEST(FirstBytesTest, WhatIsNoClientHelloIsNoStream) {
  EXPECT_EQ(Begins("T", true), false);
  EXPECT_EQ(Begins("PRI * HTTP/2.0", true), false);
  std::string alert = Hello("");
  alert[0] = 21;
  EXPECT_EQ(Begins(alert, true), false);
  std::string server_hello = Hello("");
  server_hello[5] = 2;
  EXPECT_EQ(Begins(server_hello, true), false);
  // Every size that is wrong, whatever it makes of the rest.
  const std::string hello = Hello(Vector(std::string(kTcpAlpn), 1));
  for (size_t at = 5; at < hello.size(); ++at) {
    std::string damaged = hello;
    damaged[at] = static_cast<char>(0xff);
    EXPECT_TRUE(Begins(damaged, true).has_value()) << at;
  }
}

}  // namespace
}  // namespace tributary
