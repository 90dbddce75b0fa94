#include "channel/message.h"

#include "absl/strings/str_cat.h"

namespace tributary {

std::string MessageKindName(MessageKind kind) {
  switch (kind) {
    case MessageKind::kOpenSession:
      return "OpenSession";
    case MessageKind::kCredit:
      return "Credit";
    case MessageKind::kCancel:
      return "Cancel";
    case MessageKind::kReturned:
      return "Returned";
    case MessageKind::kFrame:
      return "Frame";
    case MessageKind::kReady:
      return "Ready";
    case MessageKind::kNeeds:
      return "Needs";
    case MessageKind::kBatchError:
      return "BatchError";
    case MessageKind::kUnknownSession:
      return "UnknownSession";
    case MessageKind::kProgress:
      return "Progress";
    case MessageKind::kCallError:
      return "CallError";
    case MessageKind::kDescribeRequest:
      return "DescribeRequest";
    case MessageKind::kDescribeReply:
      return "DescribeReply";
    case MessageKind::kGetInputIdsRequest:
      return "GetInputIdsRequest";
    case MessageKind::kGetInputIdsReply:
      return "GetInputIdsReply";
    case MessageKind::kSampleHopRequest:
      return "SampleHopRequest";
    case MessageKind::kSampleHopReply:
      return "SampleHopReply";
    case MessageKind::kGatherRequest:
      return "GatherRequest";
    case MessageKind::kGatherReply:
      return "GatherReply";
    case MessageKind::kAskKindRequest:
      return "AskKindRequest";
    case MessageKind::kAskKindReply:
      return "AskKindReply";
    case MessageKind::kFarewellRequest:
      return "FarewellRequest";
    case MessageKind::kFarewellReply:
      return "FarewellReply";
  }
  return absl::StrCat("kind ", static_cast<uint16_t>(kind));
}

}  // namespace tributary
