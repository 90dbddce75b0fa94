#include "tests/fuzz/changed_files.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/hash/crc32c.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFile = 4096;

void Overwrite(std::string& file, uint64_t at, const std::string& bytes) {
  if (at >= file.size()) return;
  const size_t n = std::min<size_t>(bytes.size(), file.size() - at);
  file.replace(at, n, bytes.substr(0, n));
}

std::string AsBytes(uint64_t value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

std::string* Choose(Files& files, const std::string& json, uint64_t number) {
  if (number == 0) return &files.at(json);
  auto it = files.begin();
  std::advance(it, (number - 1) % files.size());
  return &it->second;
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

Files ReadFiles(const std::string& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder)].assign(
        std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

void ChangeFiles(Script script, const std::string& json,
                 absl::FunctionRef<void(Files&)> correct, Files& files) {
  std::string* file = Choose(files, json, 0);
  while (!script.done()) {
    switch (script.Take()) {
      case 'f':
        file = Choose(files, json, script.Number());
        break;
      case 'w': {
        const uint64_t at = script.Number();
        Overwrite(*file, at, script.Text());
        break;
      }
      case 'v': {
        const uint64_t at = script.Number();
        Overwrite(*file, at, AsBytes(script.Number()));
        break;
      }
      case 't':
        file->resize(std::min<uint64_t>(file->size(), script.Number()));
        break;
      case 'a':
        *file += script.Text();
        file->resize(std::min(file->size(), kMaxFile));
        break;
      case 'c':
        correct(files);
        break;
      default:
        break;
    }
  }
}

void CorrectList(const Files& files, std::vector<FileSchema>& listed) {
  for (FileSchema& file : listed) {
    const auto it = files.find(file.path);
    if (it == files.end()) continue;
    file.bytes = it->second.size();
    file.crc32c = Crc32c({reinterpret_cast<const uint8_t*>(it->second.data()),
                          it->second.size()});
  }
}

void WithFiles(const std::string& folder, const Files& good, const Files& files,
               absl::FunctionRef<void()> use) {
  for (const auto& [name, content] : files) {
    if (content != good.at(name)) WriteFile(folder + "/" + name, content);
  }
  use();
  for (const auto& [name, content] : files) {
    if (content != good.at(name)) WriteFile(folder + "/" + name, good.at(name));
  }
}

}  // namespace tributary
