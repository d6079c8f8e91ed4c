#ifndef AAREN_CLIENT_MODELS_H_
#define AAREN_CLIENT_MODELS_H_

// Models says what a server can forecast with.
//
//   Models models({.target = "localhost:7860"});
//   auto list = models.List();                    // StatusOr<ModelList>
//
// Threading: safe from any thread; calls block. Errors: the server's, with code and message; DEADLINE_EXCEEDED if no
// answer came in time, UNAVAILABLE if nobody is there, INVALID_ARGUMENT for options that cannot be right.

#include <memory>
#include <string>
#include <vector>

#include "aaren/client/model_info.h"
#include "aaren/client/service.h"
#include "absl/status/statusor.h"

namespace aaren::client {

struct ModelList {
  std::vector<ModelInfo> models = {};  // by name, then version
  std::string default_model = {};      // name:version that a session without a model gets
};

class Models {
 public:
  // Connects with the first call.
  explicit Models(ServiceOptions options);
  ~Models();
  Models(const Models&) = delete;
  Models& operator=(const Models&) = delete;

  absl::StatusOr<ModelList> List(const CallOptions& call = {}) const;

  // `model` is "name" or "name:version". NOT_FOUND if there is none.
  absl::StatusOr<ModelInfo> Get(const std::string& model, const CallOptions& call = {}) const;

 private:
  class Calls;
  const std::unique_ptr<const Calls> calls_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_MODELS_H_
