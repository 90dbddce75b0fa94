// Paths of the files in a graph's folder, relative to it. Types are written as
// TypePath() (partition/schema/type_path.h) has them.
#ifndef TRIBUTARY_PARTITION_FORMAT_PATHS_H_
#define TRIBUTARY_PARTITION_FORMAT_PATHS_H_

#include <cstdint>
#include <string>

#include "partition/schema/schema.h"

namespace tributary {

inline constexpr char kGraphJson[] = "graph.json";
// The folder of the cache of hot rows, and the file in it that describes it.
inline constexpr char kHotFolder[] = "hot";
inline constexpr char kHotJson[] = "hot.json";
// The folder of hot lists, each in a folder of its own name: list.json, which
// its digest is of, and files.json, which lists the files of the layout.
inline constexpr char kHotListsFolder[] = "hot-lists";
inline constexpr char kHotListJson[] = "list.json";
inline constexpr char kHotListFilesJson[] = "files.json";

// "part-0/nodes/paper/x.npy"; `array` is "orig_id", "x" or "y".
std::string NodeArrayPath(uint32_t partition, const std::string& node_type,
                          const std::string& array);
// "part-0/edges/a__rel__b/indptr.npy"; `array` is "indptr", "indices",
// "edge_id", "edge_attr" or a mask's.
std::string EdgeArrayPath(uint32_t partition, const EdgeTypeSchema& edge_type,
                          const std::string& array);
// "mask.train": the array of the mask of edges `name`.
std::string MaskArray(const std::string& name);
// "degrees/a__rel__b.in.npy"; `end` is "in" or "out".
std::string DegreePath(const EdgeTypeSchema& edge_type, const std::string& end);
// "edge_index/a__rel__b.partition.npy"; `array` is "partition" or "position".
std::string EdgeIndexPath(const EdgeTypeSchema& edge_type,
                          const std::string& array);
// "part-0/paper/x.npy", relative to the cache's folder; `array` is
// "internal_id", "orig_id", "x" or "y".
std::string HotArrayPath(uint32_t partition, const std::string& node_type,
                         const std::string& array);
// "paper/order.npy", relative to a hot list's folder; `array` is "order",
// "crc", "rank", "order.blocks" or "crc.blocks".
std::string HotListArrayPath(const std::string& node_type,
                             const std::string& array);
std::string NodeMapPath(const std::string& node_type);
std::string NodeRanksPath(const std::string& node_type);
// "ids/paper.numbers.npy": the user's ids by original id; `array` is one of the
// names below.
std::string ExternalIdsPath(const std::string& node_type,
                            const std::string& array);
inline constexpr char kExternalNumbers[] = "numbers";
inline constexpr char kExternalOffsets[] = "offsets";
inline constexpr char kExternalBytes[] = "bytes";
// "splits/public/paper/train.npy"; without a scheme "splits/paper/train.npy";
// of edges "splits/public/a__rel__b/train.npy".
std::string SplitPath(const SplitSchema& split);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_PATHS_H_
