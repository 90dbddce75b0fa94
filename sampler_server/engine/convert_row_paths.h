// The instruction sets that ConvertRowPaths() chooses from.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_CONVERT_ROW_PATHS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_CONVERT_ROW_PATHS_H_

#include "sampler_server/engine/convert_row.h"

namespace tributary {

// Needs AVX2 and F16C.
extern const ConvertRowPath kConvertRowAvx2;

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_CONVERT_ROW_PATHS_H_
