#include "sampler_server/engine/testing/layouts.h"

#include <gtest/gtest.h>

#include <set>

#include "sampler_server/engine/testing/filled_batch.h"

namespace tributary {
std::shared_ptr<RecordingSink> ExpectDigestOnLayouts(
    const std::function<std::shared_ptr<MemoryGraph>(uint32_t partitions)>&
        make_graph,
    const BatchCase& batch, const std::string& digest) {
  std::shared_ptr<RecordingSink> sink;
  for (uint32_t partitions : {1, 2, 3, 5, 7}) {
    const auto graph = make_graph(partitions);
    sink = OneBatchWorld(graph).Run(batch);
    EXPECT_EQ(DigestOf(*sink), digest) << partitions << " partitions";
    std::set<uint32_t> here;
    for (uint32_t p = 1; p < partitions; ++p) here.insert(p);
    EXPECT_EQ(DigestOf(*OneBatchWorld(graph->Only(here), graph).Run(batch)),
              digest)
        << partitions << " partitions, the first a peer's";
    const auto in_files = std::make_shared<FeaturesInFiles>(graph->Only(here));
    EXPECT_EQ(DigestOf(*OneBatchWorld(in_files, graph).Run(batch)), digest)
        << partitions << " partitions, features in files";
    OneBatchWorld parted(in_files, graph);
    EXPECT_EQ(DigestWithTrainerRows(parted, *graph, batch, partitions), digest)
        << partitions << " partitions, features in files, rows left out";
  }
  return sink;
}

}  // namespace tributary
