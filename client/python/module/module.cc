// The module aaren._engine: models, and the rows of sessions. aaren/forecaster.py gives them a face; _engine.pyi their
// types.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/python/module/batch.h"
#include "client/python/module/model.h"

namespace aaren::python {
namespace {

namespace nb = nanobind;
using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Wanted = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ends = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Covariates = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<float, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<uint8_t, nb::c_contig, nb::device::cpu>;

// Raises the exception that aaren.errors has for the code.
void Throw(const absl::Status& status) {
  if (status.ok()) return;
  nb::module_::import_("aaren.errors")
      .attr("raise_status")(static_cast<int>(status.code()), std::string(status.message()));
}

// Asks Python about signals now and then, such as Ctrl-C. The interpreter's lock is taken only for the question.
class Signals {
 public:
  bool Interrupted() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    // Ctrl-C ends a call within a moment, and the interpreter's lock is seldom asked for.
    next_ = now + std::chrono::milliseconds(50);
    nb::gil_scoped_acquire held;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
};

// Takes workers under the interpreter's lock, works without it, and gives them back.
void Run(Model& model, absl::Span<const Part> parts, const Arrays& arrays, size_t threads) {
  std::vector<std::unique_ptr<Worker>> workers;
  // A session belongs to one worker at a time, so more workers than sessions would idle.
  for (size_t i = 0; i < std::clamp<size_t>(threads, 1, std::max<size_t>(1, parts.size())); ++i) {
    workers.push_back(model.Take());
  }
  Signals signals;
  absl::Status status;
  {
    nb::gil_scoped_release released;
    status = CheckBatch(parts, arrays);
    if (status.ok()) status = RunBatch(parts, arrays, workers, [&signals] { return signals.Interrupted(); });
  }
  for (std::unique_ptr<Worker>& worker : workers) model.Give(std::move(worker));
  // The handler of a signal has raised an exception, which says more than "interrupted".
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  Throw(status);
}

void Require(bool holds, const char* what) {
  if (!holds) throw nb::value_error(what);
}

size_t CountWanted(const Wanted& wanted, size_t begin, size_t end) {
  return static_cast<size_t>(
      std::count_if(wanted.data() + begin, wanted.data() + end, [](uint8_t flag) { return flag != 0; }));
}

// Steps sessions with ragged runs: session i takes the tokens ends[i - 1] .. ends[i] - 1.
void Step(Model& model, const std::vector<Rows*>& sessions, const Values& values, const Ends& ends,
          const Wanted& wanted, const Covariates& covariates, const Covariates& ahead,
          const engine::Selection* selection, const Doubles& forecasts, const Flags& learning, const Floats& surprises,
          size_t threads) {
  const size_t channels = sessions.empty() ? 1 : sessions[0]->channels, tokens = wanted.size();
  Require(ends.size() == sessions.size(), "ends: one for each session");
  Require(values.size() == tokens * channels, "values: channels for each token");
  const size_t most = selection == nullptr ? model.horizon() : selection->steps.size();
  const size_t levels = selection == nullptr ? model.quantiles() : selection->levels.size();
  Require(forecasts.ndim() == 4 && forecasts.shape(1) == channels && forecasts.shape(3) == levels &&
              forecasts.shape(2) >= 1 && forecasts.shape(2) <= most &&
              (selection == nullptr || forecasts.shape(2) == most),
          "forecasts: [wanted, channels, steps, levels]");
  Require(model.covariates() == 0 || selection != nullptr || forecasts.shape(0) == 0,
          "selection: forecasts with covariates are selected");
  Require(covariates.size() == tokens * model.covariates(), "covariates: [tokens, covariates]");
  Require(ahead.size() == 0 || ahead.size() == forecasts.shape(0) * most * model.future(),
          "ahead: [wanted, steps, future] or empty");
  Require(learning.size() == forecasts.shape(0) * channels, "learning: [wanted, channels]");
  Require(surprises.size() == 0 || surprises.size() == tokens * channels, "surprises: [tokens, channels] or empty");
  std::vector<Part> parts;
  size_t begin = 0, place = 0;
  for (size_t i = 0; i < sessions.size(); ++i) {
    const auto end = static_cast<size_t>(ends.data()[i]);
    Require(sessions[i]->model.get() == &model, "sessions: of this model");
    Require(sessions[i]->channels == channels, "sessions: of the same number of channels");
    Require(end >= begin && end <= tokens, "ends: ascending, up to the number of tokens");
    parts.push_back({sessions[i], begin, end, place});
    place += CountWanted(wanted, begin, end);
    begin = end;
  }
  Require(forecasts.shape(0) >= place, "forecasts: one for each wanted");
  Run(model, parts,
      {.channels = channels,
       .steps = forecasts.shape(2),
       .levels = levels,
       .values = values.data(),
       .wanted = wanted.data(),
       .selection = selection,
       .covariates = covariates.data(),
       .ahead = ahead.size() == 0 ? nullptr : ahead.data(),
       .forecasts = forecasts.data(),
       .learning = learning.data(),
       .surprises = surprises.size() == 0 ? nullptr : surprises.data()},
      threads);
}

// One token of a session with one channel, without the ceremony of a batch. Returns the surprise, and whether the
// session is still learning.
std::pair<float, bool> Update(Rows& rows, double value, const Doubles& forecast) {
  Model& model = *rows.model;
  Require(rows.channels == 1, "update: one value for a session of one channel");
  Require(model.covariates() == 0, "update: a session without covariates");
  Require(forecast.size() == model.horizon() * model.quantiles(), "forecast: [horizon, quantiles]");
  const uint8_t wanted = 1;
  uint8_t learning = 0;
  float surprise = std::numeric_limits<float>::quiet_NaN();
  const Part part{&rows, 0, 1, 0};
  Run(model, {&part, 1},
      {.channels = 1,
       .steps = model.horizon(),
       .levels = model.quantiles(),
       .values = &value,
       .wanted = &wanted,
       .forecasts = forecast.data(),
       .learning = &learning,
       .surprises = &surprise},
      1);
  return {surprise, learning != 0};
}

// The thread that holds a session's mutex may wait for the interpreter's lock (Signals). So everybody who waits for the
// mutex releases the interpreter's lock first, else two threads could wait for each other for ever.
nb::bytes Bytes(Rows& rows) {
  std::vector<std::byte> copy;
  {
    nb::gil_scoped_release released;
    std::lock_guard<std::mutex> lock(rows.mutex);
    copy = rows.bytes;
  }
  return nb::bytes(copy.data(), copy.size());
}

uint64_t SeqOf(Rows& rows) {
  nb::gil_scoped_release released;
  std::lock_guard<std::mutex> lock(rows.mutex);
  return rows.seq;
}

std::unique_ptr<Rows> Copy(Rows& rows) {
  nb::gil_scoped_release released;
  return rows.Copy();
}

void Restore(Rows& rows, const nb::bytes& bytes, uint64_t seq) {
  absl::Status status;
  {
    nb::gil_scoped_release released;
    status = rows.Restore({static_cast<const char*>(bytes.data()), bytes.size()}, seq);
  }
  Throw(status);
}

std::shared_ptr<Model> Load(const std::string& folder, const std::string& device, const std::string& tier) {
  // Loading takes a while: the interpreter's lock is released meanwhile.
  absl::StatusOr<std::shared_ptr<Model>> model = absl::UnknownError("");
  {
    nb::gil_scoped_release released;
    model = Model::Load(folder, device, tier);
  }
  Throw(model.status());
  return *model;
}

std::shared_ptr<Model> WithCovariates(const Model& model, uint32_t past, uint32_t future) {
  const absl::StatusOr<std::shared_ptr<Model>> more = model.WithCovariates(past, future);
  Throw(more.status());
  return *more;
}

}  // namespace

NB_MODULE(_engine, module) {
  module.attr("numerics_version") = engine::kNumericsVersion;
  module.attr("far_horizon") = engine::kFarHorizon;
  module.attr("most_covariates") = engine::kMostCovariates;

  nb::class_<engine::Selection>(module, "Selection")
      .def(
          "__init__",
          [](engine::Selection* self, std::vector<uint32_t> steps, std::vector<float> levels) {
            new (self) engine::Selection{std::move(steps), std::move(levels)};
          },
          nb::arg("steps"), nb::arg("levels"));

  nb::class_<Model>(module, "Model")
      .def_prop_ro("name", [](const Model& m) { return m.package().name; })
      .def_prop_ro("version", [](const Model& m) { return m.package().version; })
      .def_prop_ro("description", [](const Model& m) { return m.package().description; })
      .def_prop_ro("digest", [](const Model& m) { return m.package().digest; })
      .def_prop_ro("tier", [](const Model& m) { return m.engine().tier(); })
      .def_prop_ro("device", [](const Model& m) { return m.device(); })
      .def_prop_ro("horizon", &Model::horizon)
      .def_prop_ro("levels", [](const Model& m) { return m.package().config.quantiles; })
      .def_prop_ro("row_bytes", [](const Model& m) { return m.engine().row_bytes(); })
      .def("with_covariates", &WithCovariates, nb::arg("past"), nb::arg("future"))
      .def("step", &Step, nb::arg("sessions"), nb::arg("values"), nb::arg("ends"), nb::arg("wanted"),
           nb::arg("covariates"), nb::arg("ahead"), nb::arg("selection").none(), nb::arg("forecasts"),
           nb::arg("learning"), nb::arg("surprises"), nb::arg("threads"));
  module.def("load", &Load, nb::arg("folder"), nb::arg("device"), nb::arg("tier"));

  nb::class_<Rows>(module, "Rows")
      .def(nb::init<std::shared_ptr<Model>, size_t>(), nb::arg("model"), nb::arg("channels"))
      .def_ro("channels", &Rows::channels)
      .def_prop_ro("seq", &SeqOf)
      .def("update", &Update, nb::arg("value"), nb::arg("forecast"))
      .def("copy", &Copy)
      .def("to_bytes", &Bytes)
      .def("restore", &Restore, nb::arg("rows"), nb::arg("seq"));
}

}  // namespace aaren::python
