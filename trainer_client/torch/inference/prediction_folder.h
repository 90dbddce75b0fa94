// The folder of predictions, and how far they are. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_FOLDER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_FOLDER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// What predictions are of, as texts by name: the graph, the model, options.
// Equal identities have equal predictions.
using PredictionIdentity = std::map<std::string, std::string>;

// A folder with
//
//   predict.json                          identity and progress
//   layers/L.TYPE.npy                     rows that layer L has computed, by
//                                         TypePath()
//   ids.npy, predictions.npy, ...         the result, with .part at the end
//                                         until all of it is there
//
// predict.json is replaced at once after what it says is on the disk, so that a
// program which ends at any time leaves a folder that is either complete or
// goes on where it was. One process changes a folder. Errors name the path.
class PredictionFolder {
 public:
  // OK if the folder does not exist, but its parent does, or if it holds no
  // result, or unfinished predictions. FAILED_PRECONDITION if it holds complete
  // ones, or files of the result's names that are none of ours; NOT_FOUND
  // without a parent.
  static absl::Status CheckUnused(const std::string& path);

  // Creates the folder (its parent exists), or goes on in it.
  // FAILED_PRECONDITION as CheckUnused(), and, naming what differs and both
  // values, if its predictions are of another identity; DATA_LOSS if its
  // predict.json is damaged.
  static absl::StatusOr<PredictionFolder> Open(
      const std::string& path, const PredictionIdentity& identity);

  // The number of layers whose rows are complete.
  int layers_done() const { return layers_done_; }
  // Marks the rows of the first `layers_done` layers as complete.
  absl::Status LayerDone(int layers_done);
  // Renames the files of the result, marks the predictions as complete, and
  // removes the rows of layers. `files` are names without ".part".
  absl::Status Finish(const std::vector<std::string>& files);

 private:
  PredictionFolder(std::string path, PredictionIdentity identity)
      : path_(std::move(path)), identity_(std::move(identity)) {}
  absl::Status WriteManifest(bool complete) const;

  std::string path_;
  PredictionIdentity identity_;
  int layers_done_ = 0;
};

// Returns the path of the rows that layer `layer`, from 1, has computed of a
// node type.
std::string LayerPath(const std::string& folder, int layer,
                      const std::string& node_type);
// Returns the path of a file of the result while it is written.
std::string PartPath(const std::string& folder, const std::string& name);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_FOLDER_H_
