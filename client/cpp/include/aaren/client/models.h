#ifndef AAREN_CLIENT_MODELS_H_
#define AAREN_CLIENT_MODELS_H_

// Models lists the models of a server.
//
//   Models models({.target = "localhost:7860"});
//   auto list = models.List();                    // StatusOr<ModelList>
//
// Threading: safe from any thread; calls block. Errors: the server's, with code and message; DEADLINE_EXCEEDED without
// an answer in time, UNAVAILABLE without a server, INVALID_ARGUMENT for invalid options.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aaren/client/model_info.h"
#include "aaren/client/service.h"
#include "absl/status/statusor.h"

namespace aaren::client {

struct ModelUse {
  bool retiring = false;  // not for new sessions
  uint64_t sessions = 0;  // in the server's memory
};

struct ModelLabel {
  std::string label;  // "name@label", as a session may ask for
  int version = 0;
  double share = 0;  // part of the new sessions opened by the bare name, 0 to 1
};

// A package in the server's folder that is not served.
struct PendingPackage {
  std::string folder;
  std::string refusal;  // why; empty: loading
};

struct ModelList {
  std::vector<ModelInfo> models = {};  // by name, then version
  std::string default_model = {};      // name:version for a session without a model
  std::vector<ModelUse> uses = {};     // an element for each of the models
  std::vector<ModelLabel> labels = {};
  std::vector<PendingPackage> pending = {};
};

class Models {
 public:
  // Connects with the first call.
  explicit Models(ServiceOptions options);
  ~Models();
  Models(const Models&) = delete;
  Models& operator=(const Models&) = delete;

  absl::StatusOr<ModelList> List(const CallOptions& call = {}) const;

  // `model` is "name", "name:version" or "name@label". NOT_FOUND if unknown.
  absl::StatusOr<ModelInfo> Get(const std::string& model, const CallOptions& call = {}) const;

 private:
  class Calls;
  const std::unique_ptr<const Calls> calls_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_MODELS_H_
