#include "tests/fuzz/inputs/write_and_verify.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "partition/format/graph.h"
#include "partition/pipeline/check/verify.h"
#include "partition/writer/writer.h"
#include "tests/fuzz/must.h"

namespace tributary {

absl::Status WriteAndVerify(const GraphContent& content,
                            const std::string& folder) {
  NodePlan plan{2, "test", {}};
  for (const NodeContent& type : content.node_types) {
    std::vector<uint16_t>& of = plan.partition_of.emplace_back();
    for (int64_t i = 0; i < type.num_nodes; ++i) of.push_back(i % 2);
  }
  const auto written =
      WriteGraph(content, plan, folder, {.made_by = "", .flush = false});
  if (!written.ok()) return written.status();
  const auto again = VerifyGraph(folder);
  Must(again.ok(), absl::StrCat("what was written is verified: ",
                                again.status().message()));
  Must(CompareContent(*again, content).ok(), "and is the same then");
  return absl::OkStatus();
}

}  // namespace tributary
