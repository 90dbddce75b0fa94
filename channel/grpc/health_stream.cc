#include "channel/grpc/health_stream.h"

#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/proto/health.pb.h"

namespace tributary {

absl::Status HealthStream::Accept(CallerPtr) {
  deadline_.Set(std::chrono::system_clock::now() +
                    absl::ToChronoMilliseconds(kRequestTimeout),
                [weak = weak_from_this()](bool due) {
                  if (!due) return;
                  if (const auto self = weak.lock()) {
                    self->Close(absl::DeadlineExceededError(absl::StrCat(
                        "no request of a health check arrived within ",
                        absl::FormatDuration(kRequestTimeout))));
                  }
                });
  return absl::OkStatus();
}

bool HealthStream::TakeMessage(grpc::ByteBuffer* message) {
  Close(Answer(*message));
  return false;
}

absl::Status HealthStream::Answer(const grpc::ByteBuffer& request) {
  if (request.Length() > kMaxRequestBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a health check of ", request.Length(), " bytes, at most ",
                     kMaxRequestBytes, " are allowed"));
  }
  grpc::Slice bytes;
  v1::HealthCheckRequest check;
  if (!request.DumpToSingleSlice(&bytes).ok() ||
      !check.ParseFromArray(bytes.begin(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(
        "not a grpc.health.v1.HealthCheckRequest");
  }
  if (!check.service().empty()) {
    return absl::NotFoundError(
        "health is known of the service \"\" only, which is the server");
  }
  v1::HealthCheckResponse response;
  response.set_status(*serving_ ? v1::HealthCheckResponse::SERVING
                                : v1::HealthCheckResponse::NOT_SERVING);
  const grpc::Slice slice(response.SerializeAsString());
  response_ = grpc::ByteBuffer(&slice, 1);
  return absl::OkStatus();
}

void HealthStream::End(const absl::Status& why, bool orderly) {
  if (!why.ok()) {
    AcceptedStream::End(why, orderly);
  } else if (response_.Valid()) {
    StartWriteAndFinish(&response_, grpc::WriteOptions(), grpc::Status::OK);
  } else {
    // The other end has closed its side first.
    AcceptedStream::End(absl::InvalidArgumentError("no request"), orderly);
  }
}

}  // namespace tributary
