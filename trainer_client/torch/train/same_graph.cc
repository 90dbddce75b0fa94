#include "trainer_client/torch/train/same_graph.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/fleet/graph_name.h"
#include "common/hash/sha256.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {

absl::Status CheckSameGraph(const GraphSchema& schema, ProcessGroup& group) {
  // The maximum over ranks of each word of the digest, and of its negative: the
  // two are opposite exactly where all ranks have the same word.
  constexpr size_t kWords = sizeof(Sha256Digest) / sizeof(uint32_t);
  std::array<uint32_t, kWords> words;
  std::memcpy(words.data(), schema.content_digest.data(), sizeof(words));
  std::array<double, 2 * kWords> ends;
  for (size_t i = 0; i < kWords; ++i) {
    ends[i] = words[i];
    ends[kWords + i] = -ends[i];
  }
  RETURN_IF_ERROR(group.Max(absl::MakeSpan(ends)));
  for (size_t i = 0; i < kWords; ++i) {
    if (ends[i] == -ends[kWords + i]) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "ranks have different graphs, this one ",
        VersionedName(schema.name, schema.content_digest),
        "; allowed: --graph-name NAME@VERSION, for one graph at all ranks"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
