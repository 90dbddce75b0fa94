#include "trainer_client/core/window/loader_state.h"

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"

namespace tributary {

std::string LoaderState::TraceIdOf(uint64_t index) const {
  if (!trace_seed.has_value()) return "";
  const BatchKey key = epoch.KeyOf(index);
  std::string text =
      absl::StrCat("trace ", *trace_seed, " ", key.epoch, " ", key.index, " ");
  text.append(reinterpret_cast<const char*>(key.session.data()),
              key.session.size());
  const Sha256Digest digest = Sha256Of(text);
  return {reinterpret_cast<const char*>(digest.data()), 16};
}

}  // namespace tributary
