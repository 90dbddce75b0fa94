// Fuzzes .npy files: any bytes are either a header with a valid dtype and shape
// or refused; likewise whole files that a user gives as input lists, masks,
// weights, links or negatives.
#include <cstdint>

#include "common/tensor/npy.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/scratch_file.h"
#include "trainer_client/core/inputs/input_file.h"
#include "trainer_client/core/inputs/link_file.h"
#include "trainer_client/core/inputs/negative_file.h"

namespace tributary {
namespace {

void CheckHeader(const NpyHeader& header, size_t size) {
  Must(header.data_offset <= size, "the data begin within the file");
  Must(header.data_bytes() >> 63 == 0, "sizes fit 63 bits");
  const std::string again = FormatNpyHeader(header.type, header.shape);
  if (again.size() > 65535) return;  // a version 1 header holds no more
  const auto reread = ParseNpyHeader(
      {reinterpret_cast<const uint8_t*>(again.data()), again.size()});
  Must(reread.ok(), "what was read can be written and read");
  Must(reread->type == header.type && reread->shape == header.shape,
       "and is the same then");
}

void CheckMatrices(const std::string& path, size_t size) {
  EdgeTypeLinks links;
  const bool has_links = ReadLinkFile(path, &links).ok();
  Must(has_links != links.source.empty(), "links that are read are some");
  Must(links.source.size() == links.destination.size(), "both ends");
  Must(links.edge_label.empty() || links.edge_label_float.empty(),
       "labels of one kind");
  Must(links.source.size() <= size, "no more links than bytes");
  const auto negatives = ReadNegativeFile(path);
  if (!negatives.ok()) return;
  Must(negatives->each > 0, "negatives of each link");
  Must(negatives->destination.size() % negatives->each == 0, "whole rows");
  Must(negatives->destination.size() <= size, "no more ids than bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto header = ParseNpyHeader({data, size});
  if (header.ok()) CheckHeader(*header, size);
  static const ScratchFile file;
  file.Write({data, size});
  const auto ids = ReadInputFile(file.path());
  Must(!ids.ok() || header.ok(), "a list has a header");
  Must(!ids.ok() || ids->size() <= size, "no more ids than bytes");
  const auto list = ReadInputListFile(file.path());
  Must(!list.ok() || list->ids.size() + list->mask.size() <= size,
       "a list is ids or a mask");
  Must(!ids.ok() || (list.ok() && list->ids == *ids), "ids are a list");
  const auto weights = ReadWeightFile(file.path());
  Must(!weights.ok() || weights->size() <= size, "no more weights than bytes");
  CheckMatrices(file.path(), size);
  return 0;
}

}  // namespace tributary
