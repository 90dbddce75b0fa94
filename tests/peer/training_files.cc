// Writes and reads files of training, for other programs to compare.
//
//   training_files write FILE    a safetensors file with a tensor of each type
//   training_files read FILE     its metadata and tensors, a line each
//   training_files events FOLDER two runs of TensorBoard events
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/tensor/value_bytes.h"
#include "trainer_client/torch/checkpoint/safetensors.h"
#include "trainer_client/torch/command/tensorboard_log.h"

namespace tributary {
namespace {

// Tensor i is named t<i>, has type code 10 - i, shape [2, 3], and bytes that
// count from i; "K\u00f6ln" is a scalar and "none" is empty.
absl::Status Write(const std::string& path) {
  std::vector<uint8_t> bytes(64);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  const auto data = absl::MakeConstSpan(bytes);
  std::vector<TensorView> tensors;
  for (uint32_t i = 0; i < 10; ++i) {
    const DType dtype = *DTypeFromCode(10 - i);
    tensors.push_back({absl::StrCat("t", i), dtype, Shape{2, 3},
                       data.subspan(i, 6 * DTypeSize(dtype))});
  }
  const std::vector<uint8_t> flags = {1, 0, 1, 0, 0, 1};
  tensors[0].data = flags;  // bools have the bytes 0 and 1
  const std::vector<double> scalar = {-0.5};
  tensors.push_back(
      {"K\u00f6ln", DType::kFloat64, Shape{}, ValueBytes(scalar)});
  tensors.push_back({"none", DType::kInt32, Shape{0, 4}, {}});
  return WriteSafetensors(path, tensors, {{"step", "12"}});
}

absl::Status Read(const std::string& path) {
  const auto file = SafetensorsFile::Open(path);
  if (!file.ok()) return file.status();
  for (const auto& [key, value] : file->metadata()) {
    std::printf("%s=%s\n", key.c_str(), value.c_str());
  }
  for (const TensorView& tensor : file->tensors()) {
    const absl::string_view data(
        reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
    std::printf("%s %s [%s] %s\n", tensor.name.c_str(),
                std::string(DTypeName(tensor.dtype)).c_str(),
                absl::StrJoin(tensor.shape, ",").c_str(),
                absl::BytesToHexString(data).c_str());
  }
  return absl::OkStatus();
}

// One run to step 4; a second one that resumed at step 3.
absl::Status Events(const std::string& folder) {
  absl::Status status;
  for (uint64_t run = 0; run < 2; ++run) {
    const absl::Time now = absl::FromUnixSeconds(1'700'000'000 + run * 100);
    auto log = run == 0 ? TensorBoardLog::Create(folder, now)
                        : TensorBoardLog::Create(folder, now, 3);
    if (!log.ok()) return log.status();
    for (uint64_t step = 3 * run; step < 5; ++step) {
      const auto value = static_cast<double>(run * 100 + step);
      status.Update(log->Add(step,
                             {{"loss/train", value + 0.5}, {"rate", -value}},
                             now + absl::Seconds(step)));
    }
    status.Update(log->Close());
  }
  return status;
}

absl::Status Run(const std::string& command, const std::string& path) {
  if (command == "write") return Write(path);
  if (command == "read") return Read(path);
  if (command == "events") return Events(path);
  return absl::InvalidArgumentError("allowed: write, read, events");
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  const absl::Status status =
      argc == 3 ? tributary::Run(argv[1], argv[2])
                : absl::InvalidArgumentError("training_files COMMAND PATH");
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
