// The module aaren._engine: models, and the rows of sessions. aaren/forecaster.py is the module's face; _engine.pyi has
// the types.

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
#include "client/python/module/events.h"
#include "client/python/module/model.h"
#include "model/engine/events/memory.h"

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
using Marks = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Names = nb::ndarray<uint32_t, nb::c_contig, nb::device::cpu>;

// Raises the exception of aaren.errors for the code.
void Throw(const absl::Status& status) {
  if (status.ok()) return;
  nb::module_::import_("aaren.errors")
      .attr("raise_status")(static_cast<int>(status.code()), std::string(status.message()));
}

// Asks Python about signals (Ctrl-C) at intervals. The interpreter's lock is taken only for the question.
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

// Takes workers under the interpreter's lock, works without the lock, and gives the workers back.
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
  // The exception of a signal's handler says more than "interrupted".
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

// The parts of a batch with places for `most` forecasts.
std::vector<Part> PartsOf(const Model& model, const std::vector<Rows*>& sessions, const Ends& ends,
                          const Wanted& wanted, size_t most) {
  Require(ends.size() == sessions.size(), "ends: one for each session");
  std::vector<Part> parts;
  size_t begin = 0, place = 0;
  for (size_t i = 0; i < sessions.size(); ++i) {
    const auto end = static_cast<size_t>(ends.data()[i]);
    Require(sessions[i]->model.get() == &model, "sessions: of this model");
    Require(sessions[i]->channels == sessions[0]->channels, "sessions: of the same number of channels");
    Require(end >= begin && end <= wanted.size(), "ends: ascending, up to the number of tokens");
    parts.push_back({sessions[i], begin, end, place});
    place += CountWanted(wanted, begin, end);
    begin = end;
  }
  Require(most >= place, "forecasts: one for each wanted");
  return parts;
}

// Steps sessions with ragged runs: session i takes the tokens ends[i - 1] .. ends[i] - 1.
void Step(Model& model, const std::vector<Rows*>& sessions, const Values& values, const Ends& ends,
          const Wanted& wanted, const Covariates& covariates, const Covariates& ahead,
          const engine::Selection* selection, const Doubles& forecasts, const Flags& learning, const Floats& surprises,
          size_t threads) {
  const size_t channels = sessions.empty() ? 1 : sessions[0]->channels, tokens = wanted.size();
  Require(model.package().kind == package::kForecaster, "step: a model of values");
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
  Run(model, PartsOf(model, sessions, ends, wanted, forecasts.shape(0)),
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

// Steps sessions of events with ragged runs. EventArrays explains the arrays.
void StepEvents(Model& model, const std::vector<Rows*>& sessions, const Ends& times, const Marks& marks,
                const Ends& ends, const Wanted& wanted, const EventSelection& selection, const Floats& seconds,
                const Floats& within, const Names& likeliest, const Floats& probabilities, const Floats& surprises,
                size_t threads) {
  const size_t tokens = wanted.size(), most = CountWanted(wanted, 0, tokens);
  Require(model.package().kind == package::kEvents, "step_events: a model of events");
  Require(sessions.empty() || sessions[0]->channels == 1, "sessions: of one channel");
  Require(times.size() == tokens && marks.size() == tokens, "times and marks: one of each for each token");
  Require(seconds.size() == most * selection.levels.size(), "seconds: [wanted, levels]");
  Require(within.size() == most * selection.spans.size(), "within: [wanted, spans]");
  Require(likeliest.size() == most * selection.marks, "likeliest: [wanted, marks]");
  Require(probabilities.size() == most * selection.marks, "probabilities: [wanted, marks]");
  Require(surprises.size() == 0 || surprises.size() == tokens, "surprises: [tokens] or empty");
  const EventArrays events = {.selection = &selection,
                              .times = times.data(),
                              .marks = marks.data(),
                              .seconds = seconds.data(),
                              .within = within.data(),
                              .likeliest = likeliest.data(),
                              .probabilities = probabilities.data()};
  Run(model, PartsOf(model, sessions, ends, wanted, most),
      {.events = &events, .wanted = wanted.data(), .surprises = surprises.size() == 0 ? nullptr : surprises.data()},
      threads);
}

// One token of a session with one channel, without the ceremony of a batch. Returns the surprise, and whether the
// session is still learning.
std::pair<float, bool> Update(Rows& rows, double value, const Doubles& forecast) {
  Model& model = *rows.model;
  Require(model.package().kind == package::kForecaster, "update: a model of values");
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

// One event, without the ceremony of a batch. EventArrays explains the arrays, here for one forecast. Returns the
// surprise.
float UpdateEvent(Rows& rows, int64_t time_ns, uint32_t mark, const EventSelection& selection, const Floats& seconds,
                  const Floats& within, const Names& likeliest, const Floats& probabilities) {
  Model& model = *rows.model;
  Require(model.package().kind == package::kEvents && rows.channels == 1, "update_event: a session of events");
  Require(seconds.size() == selection.levels.size() && within.size() == selection.spans.size() &&
              likeliest.size() == selection.marks && probabilities.size() == selection.marks,
          "seconds: [levels]; within: [spans]; likeliest and probabilities: [marks]");
  const uint8_t wanted = 1;
  float surprise = std::numeric_limits<float>::quiet_NaN();
  const Part part{&rows, 0, 1, 0};
  const EventArrays events = {.selection = &selection,
                              .times = &time_ns,
                              .marks = &mark,
                              .seconds = seconds.data(),
                              .within = within.data(),
                              .likeliest = likeliest.data(),
                              .probabilities = probabilities.data()};
  Run(model, {&part, 1}, {.events = &events, .wanted = &wanted, .surprises = &surprise}, 1);
  return surprise;
}

// The thread that holds a session's mutex may wait for the interpreter's lock (Signals). Every thread releases the
// interpreter's lock before waiting for the mutex, else two threads could block each other for ever.
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

std::shared_ptr<Model> Load(const std::string& folder, const std::string& device, const std::string& tier,
                            const std::string& kind) {
  // Loading takes a while: the interpreter's lock is released meanwhile.
  absl::StatusOr<std::shared_ptr<Model>> model = absl::UnknownError("");
  {
    nb::gil_scoped_release released;
    model = Model::Load(folder, device, tier, kind);
  }
  Throw(model.status());
  return *model;
}

std::shared_ptr<Model> Extended(const Model& model, uint32_t past, uint32_t future, bool profile) {
  const absl::StatusOr<std::shared_ptr<Model>> more = model.Extended({past, future, profile});
  Throw(more.status());
  return *more;
}

}  // namespace

NB_MODULE(_engine, module) {
  module.attr("far_horizon") = engine::kFarHorizon;
  module.attr("most_covariates") = engine::kMostCovariates;

  nb::class_<engine::Selection>(module, "Selection")
      .def(
          "__init__",
          [](engine::Selection* self, std::vector<uint32_t> steps, std::vector<float> levels) {
            new (self) engine::Selection{std::move(steps), std::move(levels)};
          },
          nb::arg("steps"), nb::arg("levels"));

  nb::class_<EventSelection>(module, "EventSelection")
      .def(
          "__init__",
          [](EventSelection* self, std::vector<float> levels, std::vector<double> spans, size_t marks, int64_t unit_ns,
             int64_t resolution_ns) {
            Require(marks <= events::kMarkSlots, "marks: a row knows 64");
            new (self) EventSelection{std::move(levels), std::move(spans), marks, {unit_ns, resolution_ns}};
          },
          nb::arg("levels"), nb::arg("spans"), nb::arg("marks"), nb::arg("unit_ns"), nb::arg("resolution_ns"));

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
      .def_prop_ro("numerics_version", [](const Model& m) { return engine::NumericsVersion(m.package().kind); })
      .def("extended", &Extended, nb::arg("past"), nb::arg("future"), nb::arg("profile"))
      .def("step", &Step, nb::arg("sessions"), nb::arg("values"), nb::arg("ends"), nb::arg("wanted"),
           nb::arg("covariates"), nb::arg("ahead"), nb::arg("selection").none(), nb::arg("forecasts"),
           nb::arg("learning"), nb::arg("surprises"), nb::arg("threads"))
      .def("step_events", &StepEvents, nb::arg("sessions"), nb::arg("times"), nb::arg("marks"), nb::arg("ends"),
           nb::arg("wanted"), nb::arg("selection"), nb::arg("seconds"), nb::arg("within"), nb::arg("likeliest"),
           nb::arg("probabilities"), nb::arg("surprises"), nb::arg("threads"));
  module.def("load", &Load, nb::arg("folder"), nb::arg("device"), nb::arg("tier"), nb::arg("kind"));

  nb::class_<Rows>(module, "Rows")
      .def(nb::init<std::shared_ptr<Model>, size_t>(), nb::arg("model"), nb::arg("channels"))
      .def_ro("channels", &Rows::channels)
      .def_prop_ro("seq", &SeqOf)
      .def("update", &Update, nb::arg("value"), nb::arg("forecast"))
      .def("update_event", &UpdateEvent, nb::arg("time_ns"), nb::arg("mark"), nb::arg("selection"), nb::arg("seconds"),
           nb::arg("within"), nb::arg("likeliest"), nb::arg("probabilities"))
      .def("copy", &Copy)
      .def("to_bytes", &Bytes)
      .def("restore", &Restore, nb::arg("rows"), nb::arg("seq"));
}

}  // namespace aaren::python
