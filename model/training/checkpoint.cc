#include "model/training/checkpoint.h"

#include <fcntl.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "model/training/report/text_file.h"

namespace aaren::training {
namespace {

std::string PathIn(const std::string& folder) { return folder + "/checkpoint.pt"; }

void Put(const std::string& key, const TensorMap& tensors, torch::serialize::OutputArchive& archive) {
  c10::Dict<std::string, torch::Tensor> dict;
  for (const auto& [name, tensor] : tensors) dict.insert(name, tensor.detach());
  archive.write(key, c10::IValue(dict));
}

bool Has(const std::string& key, torch::serialize::InputArchive& archive) {
  c10::IValue value;
  return archive.try_read(key, value);
}

c10::IValue Get(const std::string& key, torch::serialize::InputArchive& archive) {
  c10::IValue value;
  archive.read(key, value);
  return value;
}

TensorMap GetTensors(const std::string& key, torch::serialize::InputArchive& archive) {
  TensorMap tensors;
  for (const auto& item : Get(key, archive).toGenericDict())
    tensors[item.key().toStringRef()] = item.value().toTensor();
  return tensors;
}

// The bytes must reach the disk before the rename does.
bool Flush(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool flushed = fsync(file) == 0;
  return close(file) == 0 && flushed;
}

// The bytes of the file. torch does not write the file itself, because torch's writer ends the program on a full disk.
std::string Bytes(const Checkpoint& checkpoint) {
  torch::serialize::OutputArchive archive;
  archive.write("fingerprint", c10::IValue(checkpoint.fingerprint));
  archive.write("step", c10::IValue(checkpoint.step));
  archive.write("seconds", c10::IValue(checkpoint.seconds));
  archive.write("best_loss", c10::IValue(checkpoint.best_loss));
  archive.write("checks_since_best", c10::IValue(checkpoint.checks_since_best));
  Put("weights", checkpoint.weights, archive);
  Put("optimizer", checkpoint.optimizer, archive);
  Put("average", checkpoint.average, archive);
  Put("best", checkpoint.best, archive);
  Put("history", checkpoint.history, archive);
  std::ostringstream bytes;
  archive.save_to(bytes);
  return bytes.str();
}

Checkpoint Read(const std::string& path) {
  torch::serialize::InputArchive archive;
  archive.load_from(path);
  Checkpoint checkpoint;
  checkpoint.fingerprint = Get("fingerprint", archive).toStringRef();
  checkpoint.step = Get("step", archive).toInt();
  checkpoint.seconds = Get("seconds", archive).toDouble();
  checkpoint.best_loss = Get("best_loss", archive).toDouble();
  checkpoint.checks_since_best = Get("checks_since_best", archive).toInt();
  checkpoint.weights = GetTensors("weights", archive);
  checkpoint.optimizer = GetTensors("optimizer", archive);
  checkpoint.average = GetTensors("average", archive);
  checkpoint.best = GetTensors("best", archive);
  // Checkpoints of earlier versions have no curves.
  if (Has("history", archive)) checkpoint.history = GetTensors("history", archive);
  return checkpoint;
}

}  // namespace

absl::Status SaveCheckpoint(const std::string& folder, const Checkpoint& checkpoint) {
  const std::string path = PathIn(folder), partial = path + ".partial";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // After a failure, the old checkpoint stays and keeps its room. After a rename, nothing is left to remove.
  const absl::Cleanup removes = [&partial] { std::remove(partial.c_str()); };
  if (absl::Status status = WriteTextFile(partial, Bytes(checkpoint)); !status.ok()) return status;
  if (!Flush(partial)) return absl::UnavailableError(absl::StrCat("cannot flush ", partial));
  std::filesystem::rename(partial, path, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot rename ", partial, ": ", error.message()));
  return absl::OkStatus();
}

absl::StatusOr<Checkpoint> LoadCheckpoint(const std::string& folder) {
  const std::string path = PathIn(folder);
  if (!std::filesystem::exists(path)) return absl::NotFoundError(absl::StrCat("no ", path));
  try {
    return Read(path);
    // A torn file makes torch throw exceptions of several kinds, and all mean the same to the caller.
  } catch (const c10::Error& e) {
    return absl::DataLossError(absl::StrCat("cannot read ", path, ": ", e.what_without_backtrace()));
  } catch (const std::exception& e) {
    return absl::DataLossError(absl::StrCat("cannot read ", path, ": ", e.what()));
  }
}

absl::StatusOr<CheckpointFolder> OpenCheckpoints(const std::string& folder,
                                                 const std::function<std::string(int64_t)>& fingerprint) {
  // The lock comes before the load: another run might replace the checkpoint in between.
  absl::StatusOr<std::unique_ptr<FolderLock>> lock = FolderLock::Take(folder);
  if (!lock.ok()) return lock.status();
  absl::StatusOr<Checkpoint> loaded = LoadCheckpoint(folder);
  if (absl::IsNotFound(loaded.status())) return CheckpointFolder{.lock = *std::move(lock), .newest = std::nullopt};
  if (!loaded.ok()) return loaded.status();
  const std::string own = fingerprint(loaded->step);
  if (loaded->fingerprint != own) {
    return absl::FailedPreconditionError(absl::StrCat("the checkpoint in ", folder, " is of another run: it has\n  ",
                                                      loaded->fingerprint, "\nand this one has\n  ", own));
  }
  return CheckpointFolder{.lock = *std::move(lock), .newest = *std::move(loaded)};
}

TensorMap ParametersOf(const torch::nn::Module& module) {
  TensorMap parameters;
  for (const auto& item : module.named_parameters()) parameters[item.key()] = item.value();
  return parameters;
}

absl::Status CopyTensors(const TensorMap& from, const TensorMap& to) {
  torch::NoGradGuard no_grad;
  for (const auto& [name, target] : to) {
    const auto source = from.find(name);
    if (source == from.end()) return absl::FailedPreconditionError(absl::StrCat("tensor ", name, " is missing"));
    // Without this check, copy_ would repeat a smaller tensor over a larger one.
    if (source->second.sizes() != target.sizes()) {
      return absl::FailedPreconditionError(absl::StrCat("tensor ", name, " has another shape"));
    }
    torch::Tensor(target).copy_(source->second);
  }
  return absl::OkStatus();
}

TensorMap CloneTensors(const TensorMap& tensors) {
  TensorMap clones;
  for (const auto& [name, tensor] : tensors) clones[name] = tensor.detach().clone();
  return clones;
}

}  // namespace aaren::training
