// Names of types as parts of parameter names.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_TYPE_KEY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_TYPE_KEY_H_

#include <string>
#include <string_view>

namespace tributary {

// Returns the name of a node type or of a relation ("src,rel,dst") as PyG's
// to_hetero writes it: "src__rel__dst", with '_' for ' ', '-' and ':'. Also for
// '.', which separates the parts of a parameter's name.
inline std::string TypeKey(std::string_view name) {
  std::string key;
  for (const char c : name) {
    if (c == ',') {
      key += "__";
    } else {
      key +=
          std::string_view(" -:.").find(c) == std::string_view::npos ? c : '_';
    }
  }
  return key;
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_TYPE_KEY_H_
