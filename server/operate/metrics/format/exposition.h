#ifndef AAREN_SERVER_OPERATE_METRICS_FORMAT_EXPOSITION_H_
#define AAREN_SERVER_OPERATE_METRICS_FORMAT_EXPOSITION_H_

// Serves /metrics over HTTP for Prometheus to scrape, on threads of its own; HEAD asks what GET would bring, and / says
// where the metrics are. Stops when destroyed.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "prometheus/collectable.h"
#include "prometheus/exposer.h"
#include "server/machine/address/address.h"
#include "server/machine/cores/background.h"

namespace aaren::metrics {

class Exposition {
 public:
  // Port 0: any free port. InvalidArgument for a bad address, AlreadyExists if the port is in use.
  static absl::StatusOr<std::unique_ptr<Exposition>> Start(
      const std::string& listen, std::vector<std::shared_ptr<prometheus::Collectable>> sources);

  ~Exposition();

  std::string address() const { return address_.ToString(); }

 private:
  explicit Exposition(std::vector<std::shared_ptr<prometheus::Collectable>> sources) : sources_(std::move(sources)) {}

  address::Address address_;
  std::vector<std::shared_ptr<prometheus::Collectable>> sources_;
  std::unique_ptr<prometheus::Exposer> exposer_;
  cores::Background visitor_;  // knocks until the threads end
};

}  // namespace aaren::metrics

#endif  // AAREN_SERVER_OPERATE_METRICS_FORMAT_EXPOSITION_H_
