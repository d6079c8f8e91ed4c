// forecast TARGET: streams two days of an hourly series into a session and prints what is forecast for the next hour.

#include <aaren/client.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

using namespace aaren::client;

// Keeps the latest forecast. Callbacks run on the client's thread; Flush and Close return after the last callback.
class Latest : public Listener {
 public:
  void OnForecast(Session&, const Forecast& forecast) override {
    ++forecasts;
    low = forecast.At(/*channel=*/0, /*horizon=*/0, /*quantile=*/0);
    high = forecast.At(0, 0, forecast.quantiles.size() - 1);
  }
  void OnDisconnected(Session&, const absl::Status& why) override {
    std::fprintf(stderr, "%s\n", why.ToString().c_str());
  }

  int forecasts = 0;
  double low = 0, high = 0;
};

absl::Status Stream(const std::string& target) {
  Latest latest;
  Client client({.target = target, .connect_timeout = absl::Seconds(5)});
  absl::StatusOr<std::unique_ptr<Session>> session =
      client.Open({.id = "example", .output = {.horizons = {1}}}, latest);
  if (!session.ok()) return session.status();
  const absl::StatusOr<Opened> opened = (*session)->WaitOpened(absl::Seconds(30));
  if (!opened.ok()) return opened.status();
  for (uint64_t seq = opened->next_seq; seq < 48; ++seq) {
    // A day of 24 hours is a full turn: 0.2618 is a twenty-fourth.
    const float value = 20 + 5 * std::sin(static_cast<float>(seq) * 0.2618f);
    const int64_t time_ns = 1'700'000'000'000'000'000 + static_cast<int64_t>(seq) * 3'600'000'000'000;
    const absl::Status sent = (*session)->Send(seq, {.values = {value}, .times_ns = {time_ns}});
    if (!sent.ok()) return sent;
  }
  const absl::Status closed = (*session)->Close();
  if (!closed.ok()) return closed;
  std::printf("%d forecasts by %s; the next value is between %.1f and %.1f\n", latest.forecasts,
              opened->model.FullName().c_str(), latest.low, latest.high);
  return absl::OkStatus();
}

// The session lives on at the server, until somebody deletes it.
absl::Status Delete(const std::string& target) {
  const Sessions sessions({.target = target, .timeout = absl::Seconds(10)});
  const absl::StatusOr<SessionInfo> session = sessions.Get("example");
  if (!session.ok()) return session.status();
  std::printf("%s has %d tokens\n", session->id.c_str(), static_cast<int>(session->next_seq));
  return sessions.Delete("example");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string target = argc > 1 ? argv[1] : "127.0.0.1:7860";
  absl::Status status = Stream(target);
  if (status.ok()) status = Delete(target);
  if (!status.ok()) std::fprintf(stderr, "forecast: %s\n", status.ToString().c_str());
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
