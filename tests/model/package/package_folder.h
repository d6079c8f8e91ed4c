#ifndef AAREN_TESTS_MODEL_PACKAGE_PACKAGE_FOLDER_H_
#define AAREN_TESTS_MODEL_PACKAGE_PACKAGE_FOLDER_H_

// PackageFolder is a fresh folder with a saved package, which a test then damages.

#include <string>

#include "model/package/package.h"

namespace aaren::package {

class PackageFolder {
 public:
  // Saves a random package of TinyConfig into an empty folder named after the running test.
  PackageFolder();
  ~PackageFolder();
  PackageFolder(const PackageFolder&) = delete;
  PackageFolder& operator=(const PackageFolder&) = delete;

  const std::string& path() const { return path_; }
  const ModelPackage& package() const { return package_; }

  std::string Read(const std::string& file) const;
  void Write(const std::string& file, const std::string& bytes) const;

  // Replaces a text that model.json contains exactly once.
  void EditManifest(const std::string& text, const std::string& replacement) const;

  // Writes these bytes as the weights, with the matching hash in model.json.
  void ReplaceWeights(const std::string& bytes) const;

 private:
  std::string path_;
  ModelPackage package_;
};

}  // namespace aaren::package

#endif  // AAREN_TESTS_MODEL_PACKAGE_PACKAGE_FOLDER_H_
