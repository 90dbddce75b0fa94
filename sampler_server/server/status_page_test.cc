#include "sampler_server/server/status_page.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

v1::ServerStatus Status(double rate) {
  v1::ServerStatus status;
  for (const char* name : {"mine", "theirs"}) {
    v1::JobStatus& job = *status.add_jobs();
    job.set_name(name);
    job.set_batches_per_s(rate);
  }
  v1::Trouble& trouble = *status.add_troubles();
  trouble.set_code("callers_refused");
  trouble.set_text("1 policy");
  return status;
}

std::vector<ServerView> Peers() {
  ServerView told;
  told.address = "10.0.0.2:1";
  told.status = Status(3);
  ServerView silent;
  silent.address = "10.0.0.3:1";
  silent.answer = absl::UnavailableError("refused");
  return {told, silent};
}

HttpReply Page(const Identity& client, const v1::ServerStatus& own) {
  return StatusPageFor(client, "10.0.0.1:1", own, Peers(), absl::UnixEpoch());
}

TEST(StatusPageTest, OperatorsSeeTheFleet) {
  for (const Role role : {Role::kOperator, Role::kSampler, Role::kAnonymous}) {
    const HttpReply reply = Page({role, "x"}, Status(2));
    EXPECT_EQ(reply.status, 200u);
    EXPECT_THAT(reply.body,
                AllOf(HasSubstr("10.0.0.1:1"), HasSubstr("10.0.0.2:1"),
                      HasSubstr("<td>silent</td>"), HasSubstr("theirs"),
                      HasSubstr("callers_refused")));
  }
}

// `own` is what the service makes for that trainer.
TEST(StatusPageTest, ATrainerSeesItsJobAlone) {
  v1::ServerStatus own;
  v1::JobStatus& job = *own.add_jobs();
  job.set_name("mine");
  job.set_batches_per_s(2);
  const HttpReply reply = Page({Role::kTrainer, "mine"}, own);
  EXPECT_THAT(reply.body, HasSubstr("<th scope=\"row\">mine</th>"
                                    "<td class=\"number\">5.00</td>"));
  EXPECT_THAT(
      reply.body,
      AllOf(Not(HasSubstr("theirs")), Not(HasSubstr("10.0.0.2")),
            Not(HasSubstr("10.0.0.3")), Not(HasSubstr("callers_refused"))));
}

TEST(StatusPageTest, ABrowserIsToldToRunAndKeepNothing) {
  const HttpReply reply = Page({Role::kOperator, "x"}, Status(2));
  EXPECT_EQ(reply.type, "text/html; charset=utf-8");
  const std::map<std::string, std::string> headers(reply.headers.begin(),
                                                   reply.headers.end());
  EXPECT_THAT(headers.at("Content-Security-Policy"),
              HasSubstr("default-src 'none'; style-src 'unsafe-inline'"));
  EXPECT_EQ(headers.at("Cache-Control"), "no-store");
}

}  // namespace
}  // namespace tributary
