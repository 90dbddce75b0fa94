#include "common/identity/tls_flags.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tributary {
namespace {

class TlsFlags : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"TRIBUTARY_TLS_CA", "TRIBUTARY_TLS_CERT", "TRIBUTARY_TLS_KEY"}) {
      unsetenv(name);
    }
  }

  // As `program command WORDS`.
  static TlsFiles Parse(std::vector<std::string> words) {
    TlsFiles files;
    CLI::App app;
    AddTlsFlags(*app.add_subcommand("command"), files);
    words.insert(words.begin(), "command");
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(words);
    return files;
  }
};

TEST_F(TlsFlags, GiveNothingByDefault) { EXPECT_TRUE(Parse({}).empty()); }

TEST_F(TlsFlags, ComeFromTheCommandLine) {
  const TlsFiles files =
      Parse({"--tls-ca", "ca", "--tls-cert", "cert", "--tls-key", "key"});
  EXPECT_EQ(files.ca, "ca");
  EXPECT_EQ(files.cert, "cert");
  EXPECT_EQ(files.key, "key");
  EXPECT_TRUE(CheckTlsFiles(files).ok());
}

TEST_F(TlsFlags, ComeFromTheEnvironmentAndGiveWayToTheCommandLine) {
  setenv("TRIBUTARY_TLS_CA", "env-ca", 1);
  setenv("TRIBUTARY_TLS_CERT", "env-cert", 1);
  setenv("TRIBUTARY_TLS_KEY", "", 1);
  const TlsFiles files = Parse({"--tls-cert", "cert"});
  EXPECT_EQ(files.ca, "env-ca");
  EXPECT_EQ(files.cert, "cert");
  EXPECT_EQ(files.key, "");
  EXPECT_EQ(CheckTlsFiles(files).message(),
            "--tls-key missing: TLS needs --tls-ca, --tls-cert and --tls-key");
}

}  // namespace
}  // namespace tributary
