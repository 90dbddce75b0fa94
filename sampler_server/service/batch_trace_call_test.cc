// Who may ask where the time of a batch went, and what is answered.
#include "sampler_server/service/batch_trace_call.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "common/proto/status.pb.h"
#include "sampler_server/service/service_core.h"

namespace tributary {
namespace {

class BatchTraceCallTest : public ::testing::Test {
 protected:
  void Made(const std::string& job, uint64_t index) {
    v1::BatchTrace trace;
    trace.set_job(job);
    trace.set_epoch(2);
    trace.set_index(index);
    trace.set_inputs(32);
    core_.recent_batches.Add(trace, absl::Seconds(1), absl::UnixEpoch());
  }
  absl::StatusOr<v1::BatchTraceReply> Ask(const Identity& identity,
                                          const std::string& job,
                                          uint64_t index) {
    v1::BatchTraceRequest request;
    request.set_job(job);
    request.set_epoch(2);
    request.set_index(index);
    IncomingCall call;
    call.kind = MessageKind::kBatchTraceRequest;
    call.header = request.SerializeAsString();
    call.caller = MakeCaller("10.0.0.1:1", identity);
    const auto answer = ServeBatchTrace(core_, call);
    if (!answer.ok()) return answer.status();
    EXPECT_EQ(answer->kind, MessageKind::kBatchTraceReply);
    v1::BatchTraceReply reply;
    EXPECT_TRUE(reply.ParseFromString(answer->header));
    return reply;
  }

  ServiceCore core_{16};
};

TEST_F(BatchTraceCallTest, AnOperatorAndPlainTextAskForAnyJob) {
  Made("train", 7);
  for (const Identity& who : {Identity(), Identity{Role::kOperator, "o"}}) {
    const auto reply = Ask(who, "train", 7);
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->traces_size(), 1);
    EXPECT_EQ(reply->traces(0).inputs(), 32u);
  }
}

TEST_F(BatchTraceCallTest, ATrainerAsksForItsOwnJobAlone) {
  Made("train", 7);
  Made("other", 7);
  const Identity trainer{Role::kTrainer, "train"};
  EXPECT_TRUE(Ask(trainer, "train", 7).ok());
  EXPECT_TRUE(Ask(trainer, "", 7).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Ask(trainer, "other", 7).status()));
}

TEST_F(BatchTraceCallTest, WhatIsNotKeptIsNotFoundAndSaysWhatIsKept) {
  Made("train", 7);
  const absl::Status status = Ask(Identity(), "train", 8).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_TRUE(absl::StrContains(status.message(), "batch 2/8 of job 'train'"))
      << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "slowest 16")) << status;
}

TEST_F(BatchTraceCallTest, AHeaderThatCannotBeReadIsRefused) {
  IncomingCall call;
  call.kind = MessageKind::kBatchTraceRequest;
  call.header = "\xff";
  call.caller = MakeCaller("10.0.0.1:1");
  EXPECT_FALSE(ServeBatchTrace(core_, call).ok());
}

}  // namespace
}  // namespace tributary
