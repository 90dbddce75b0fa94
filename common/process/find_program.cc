#include "common/process/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tributary {

std::optional<std::string> FindProgram(const std::string& name) {
  std::vector<std::string> folders;
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
  if (n > 0) {
    const std::string path(self, static_cast<size_t>(n));
    folders.push_back(path.substr(0, path.rfind('/')));
  }
  if (const char* path = std::getenv("PATH")) {
    for (absl::string_view folder : absl::StrSplit(path, ':')) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  for (const std::string& folder : folders) {
    std::string path = absl::StrCat(folder, "/", name);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

}  // namespace tributary
