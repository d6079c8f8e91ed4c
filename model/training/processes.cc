#include "model/training/processes.h"

#include <torch/torch.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#ifdef USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif

namespace aaren::training {
namespace {

class Alone final : public Processes {
 public:
  int rank() const override { return 0; }
  int count() const override { return 1; }
  void Sum(const std::vector<torch::Tensor>&) const override {}
  void Copy(const std::vector<torch::Tensor>&) const override {}
};

struct Place {
  int rank = 0, count = 1, port = 0;
  std::string address;
};

std::string Variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

absl::Status ReadNumber(const char* name, int least, int most, int& number) {
  const std::string text = Variable(name);
  if (absl::SimpleAtoi(text, &number) && number >= least && number <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the environment has ", name, "=\"", text, "\", not a number from ", least, " to ", most));
}

absl::StatusOr<Place> ReadPlace() {
  Place place;
  if (Variable("WORLD_SIZE").empty()) return place;
  absl::Status status = ReadNumber("WORLD_SIZE", 1, 4096, place.count);
  if (status.ok() && place.count == 1) return place;
  status.Update(ReadNumber("RANK", 0, place.count - 1, place.rank));
  status.Update(ReadNumber("MASTER_PORT", 1, 65535, place.port));
  place.address = Variable("MASTER_ADDR");
  if (place.address.empty()) status.Update(absl::InvalidArgumentError("the environment has no MASTER_ADDR"));
  if (!status.ok()) return status;
  return place;
}

#ifdef USE_C10D_GLOO
std::shared_ptr<::gloo::transport::Device> DeviceFor(const Place& place) {
  const std::string interface = Variable("GLOO_SOCKET_IFNAME");
  if (!interface.empty()) return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  // The machine's own name need not lead to the loopback.
  const bool loopback = place.address == "localhost" || place.address == "127.0.0.1";
  return loopback ? c10d::ProcessGroupGloo::createDeviceForHostname(place.address)
                  : c10d::ProcessGroupGloo::createDefaultDevice();
}

class Together final : public Processes {
 public:
  explicit Together(const Place& place) : place_(place) {
    c10d::TCPStoreOptions store;
    store.port = static_cast<uint16_t>(place.port);
    store.isServer = place.rank == 0;
    store.numWorkers = static_cast<size_t>(place.count);
    const auto options = c10d::ProcessGroupGloo::Options::create();
    options->devices.push_back(DeviceFor(place));
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::TCPStore>(place.address, store),
                                                         place.rank, place.count, options);
  }

  int rank() const override { return place_.rank; }
  int count() const override { return place_.count; }

  void Sum(const std::vector<torch::Tensor>& tensors) const override {
    Exchange(tensors, [&](std::vector<torch::Tensor>& buffers) { return group_->allreduce(buffers); });
  }
  void Copy(const std::vector<torch::Tensor>& tensors) const override {
    Exchange(tensors, [&](std::vector<torch::Tensor>& buffers) { return group_->broadcast(buffers); });
  }

 private:
  using Work = std::function<c10::intrusive_ptr<c10d::Work>(std::vector<torch::Tensor>&)>;

  // All tensors travel as one buffer on the CPU, because a message takes longer than the bytes of a small model. In
  // float64, counts of steps are exact as well.
  static void Exchange(const std::vector<torch::Tensor>& tensors, const Work& work) {
    torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> flat;
    for (const torch::Tensor& tensor : tensors) flat.push_back(tensor.to(torch::kCPU, torch::kFloat64).flatten());
    std::vector<torch::Tensor> buffers = {torch::cat(flat)};
    work(buffers)->wait();
    int64_t at = 0;
    for (const torch::Tensor& tensor : tensors) {
      torch::Tensor(tensor).copy_(buffers[0].narrow(0, at, tensor.numel()).view(tensor.sizes()));
      at += tensor.numel();
    }
  }

  const Place place_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};
#endif

absl::StatusOr<std::unique_ptr<Processes>> Join(const Place& place) {
#ifdef USE_C10D_GLOO
  try {
    return std::make_unique<Together>(place);
  } catch (const std::exception& e) {
    return absl::UnavailableError(absl::StrCat("process ", place.rank, " of ", place.count,
                                               " cannot join the others at ", place.address, ":", place.port, ": ",
                                               e.what()));
  }
#else
  return absl::FailedPreconditionError(absl::StrCat(
      "WORLD_SIZE is ", place.count, ", and this program was built without Gloo: install libgloo-dev and build again"));
#endif
}

}  // namespace

absl::StatusOr<std::unique_ptr<Processes>> Processes::FromEnvironment() {
  const absl::StatusOr<Place> place = ReadPlace();
  if (!place.ok()) return place.status();
  if (place->count == 1) return std::make_unique<Alone>();
  return Join(*place);
}

}  // namespace aaren::training
