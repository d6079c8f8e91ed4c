#include "model/training/paper/grid/published.h"

#include <algorithm>

#include "absl/types/span.h"

namespace aaren::training {
namespace {

// Table 4.
constexpr Published kClassification[] = {
    {"EthanolConcentration", "accuracy %", {29.89, 1.63}, {29.58, 2.3}},
    {"FaceDetection", "accuracy %", {69.23, 0.52}, {69.06, 0.61}},
    {"Handwriting", "accuracy %", {26.54, 2.25}, {27.39, 1.46}},
    {"Heartbeat", "accuracy %", {74.05, 1.21}, {74.15, 0.77}},
    {"JapaneseVowels", "accuracy %", {96.38, 0.91}, {96.65, 0.75}},
    {"PEMS-SF", "accuracy %", {78.73, 2.06}, {81.85, 2.6}},
    {"SelfRegulationSCP1", "accuracy %", {88.81, 0.92}, {89.42, 1.85}},
    {"SelfRegulationSCP2", "accuracy %", {52.89, 2.47}, {54.22, 1.5}},
    {"SpokenArabicDigits", "accuracy %", {98.89, 0.57}, {98.68, 0.2}},
    {"UWaveGestureLibrary", "accuracy %", {79.81, 1.51}, {82.0, 1.93}},
};

// Table 5; its rows of 192 steps are table 3.
constexpr Published kForecasting[] = {
    {"ETTh1-96", "MSE", {0.54, 0.01}, {0.53, 0.04}},     {"ETTh1-96", "MAE", {0.5, 0.01}, {0.52, 0.02}},
    {"ETTh1-192", "MSE", {0.64, 0.05}, {0.59, 0.03}},    {"ETTh1-192", "MAE", {0.57, 0.02}, {0.55, 0.01}},
    {"ETTh1-336", "MSE", {0.65, 0.02}, {0.65, 0.03}},    {"ETTh1-336", "MAE", {0.55, 0.01}, {0.55, 0.01}},
    {"ETTh1-720", "MSE", {0.7, 0.05}, {0.67, 0.05}},     {"ETTh1-720", "MAE", {0.58, 0.02}, {0.62, 0.02}},
    {"ETTh2-96", "MSE", {0.41, 0.04}, {0.38, 0.02}},     {"ETTh2-96", "MAE", {0.4, 0.02}, {0.44, 0.02}},
    {"ETTh2-192", "MSE", {0.5, 0.03}, {0.49, 0.03}},     {"ETTh2-192", "MAE", {0.46, 0.01}, {0.48, 0.02}},
    {"ETTh2-336", "MSE", {0.59, 0.03}, {0.57, 0.05}},    {"ETTh2-336", "MAE", {0.5, 0.01}, {0.47, 0.02}},
    {"ETTh2-720", "MSE", {0.6, 0.03}, {0.55, 0.03}},     {"ETTh2-720", "MAE", {0.52, 0.01}, {0.52, 0.01}},
    {"ETTm1-96", "MSE", {0.44, 0.01}, {0.48, 0.02}},     {"ETTm1-96", "MAE", {0.41, 0.01}, {0.44, 0.01}},
    {"ETTm1-192", "MSE", {0.52, 0.05}, {0.51, 0.03}},    {"ETTm1-192", "MAE", {0.47, 0.01}, {0.47, 0.01}},
    {"ETTm1-336", "MSE", {0.57, 0.03}, {0.54, 0.02}},    {"ETTm1-336", "MAE", {0.51, 0.01}, {0.49, 0.01}},
    {"ETTm1-720", "MSE", {0.66, 0.06}, {0.6, 0.03}},     {"ETTm1-720", "MAE", {0.56, 0.02}, {0.52, 0.01}},
    {"ETTm2-96", "MSE", {0.25, 0.01}, {0.24, 0.03}},     {"ETTm2-96", "MAE", {0.3, 0.01}, {0.3, 0.02}},
    {"ETTm2-192", "MSE", {0.38, 0.02}, {0.34, 0.04}},    {"ETTm2-192", "MAE", {0.37, 0.01}, {0.39, 0.02}},
    {"ETTm2-336", "MSE", {0.49, 0.05}, {0.41, 0.03}},    {"ETTm2-336", "MAE", {0.43, 0.02}, {0.42, 0.01}},
    {"ETTm2-720", "MSE", {0.56, 0.02}, {0.51, 0.03}},    {"ETTm2-720", "MAE", {0.47, 0.01}, {0.49, 0.02}},
    {"Weather-96", "MSE", {0.18, 0.0}, {0.18, 0.0}},     {"Weather-96", "MAE", {0.23, 0.0}, {0.23, 0.0}},
    {"Weather-192", "MSE", {0.24, 0.01}, {0.25, 0.01}},  {"Weather-192", "MAE", {0.28, 0.0}, {0.28, 0.0}},
    {"Weather-336", "MSE", {0.31, 0.02}, {0.31, 0.0}},   {"Weather-336", "MAE", {0.34, 0.01}, {0.32, 0.0}},
    {"Weather-720", "MSE", {0.38, 0.02}, {0.4, 0.0}},    {"Weather-720", "MAE", {0.39, 0.01}, {0.39, 0.0}},
    {"Exchange-96", "MSE", {0.14, 0.01}, {0.14, 0.01}},  {"Exchange-96", "MAE", {0.25, 0.01}, {0.27, 0.01}},
    {"Exchange-192", "MSE", {0.24, 0.02}, {0.25, 0.03}}, {"Exchange-192", "MAE", {0.34, 0.01}, {0.33, 0.02}},
    {"Exchange-336", "MSE", {0.41, 0.02}, {0.42, 0.04}}, {"Exchange-336", "MAE", {0.45, 0.01}, {0.44, 0.02}},
    {"Exchange-720", "MSE", {1.44, 0.19}, {1.2, 0.07}},  {"Exchange-720", "MAE", {0.81, 0.04}, {0.79, 0.02}},
    {"Traffic-96", "MSE", {0.61, 0.01}, {0.63, 0.01}},   {"Traffic-96", "MAE", {0.34, 0.0}, {0.35, 0.0}},
    {"Traffic-192", "MSE", {0.63, 0.01}, {0.64, 0.01}},  {"Traffic-192", "MAE", {0.34, 0.0}, {0.35, 0.0}},
    {"Traffic-336", "MSE", {0.64, 0.0}, {0.65, 0.01}},   {"Traffic-336", "MAE", {0.34, 0.0}, {0.35, 0.0}},
    {"Traffic-720", "MSE", {0.67, 0.0}, {0.68, 0.01}},   {"Traffic-720", "MAE", {0.36, 0.0}, {0.36, 0.01}},
    {"ECL-96", "MSE", {0.35, 0.02}, {0.36, 0.02}},       {"ECL-96", "MAE", {0.43, 0.01}, {0.46, 0.01}},
    {"ECL-192", "MSE", {0.39, 0.03}, {0.37, 0.02}},      {"ECL-192", "MAE", {0.48, 0.02}, {0.45, 0.01}},
    {"ECL-336", "MSE", {0.48, 0.06}, {0.47, 0.05}},      {"ECL-336", "MAE", {0.55, 0.03}, {0.52, 0.03}},
    {"ECL-720", "MSE", {0.62, 0.06}, {0.57, 0.05}},      {"ECL-720", "MAE", {0.55, 0.03}, {0.56, 0.02}},
};

// Table 2.
constexpr Published kEvents[] = {
    {"MIMIC", "NLL", {1.22, 0.08}, {1.21, 0.06}},
    {"MIMIC", "RMSE", {1.6, 0.28}, {1.56, 0.32}},
    {"MIMIC", "accuracy %", {84.07, 1.46}, {84.53, 0.66}},
    {"Wiki", "NLL", {9.66, 0.98}, {8.98, 1.03}},
    {"Wiki", "RMSE", {0.28, 0.04}, {0.22, 0.05}},
    {"Wiki", "accuracy %", {23.6, 2.66}, {21.26, 1.29}},
    {"Reddit", "NLL", {0.4, 0.29}, {0.31, 0.3}},
    {"Reddit", "RMSE", {0.23, 0.03}, {0.3, 0.04}},
    {"Reddit", "accuracy %", {60.68, 1.62}, {62.34, 0.4}},
    {"Mooc", "NLL", {-0.22, 0.57}, {0.25, 1.61}},
    {"Mooc", "RMSE", {0.2, 0.04}, {0.41, 0.28}},
    {"Mooc", "accuracy %", {37.79, 0.42}, {36.69, 1.48}},
    {"StackOverflow", "NLL", {2.92, 0.04}, {2.91, 0.02}},
    {"StackOverflow", "RMSE", {1.44, 0.08}, {1.27, 0.17}},
    {"StackOverflow", "accuracy %", {46.44, 0.08}, {46.34, 0.21}},
    {"Sin", "NLL", {0.68, 0.05}, {0.78, 0.13}},
    {"Sin", "RMSE", {1.75, 0.09}, {2.03, 0.25}},
    {"Uber", "NLL", {3.33, 0.14}, {3.48, 0.1}},
    {"Uber", "RMSE", {73.63, 5.73}, {54.61, 5.4}},
    {"Taxi", "NLL", {2.01, 0.17}, {2.33, 0.12}},
    {"Taxi", "RMSE", {10.34, 0.32}, {10.01, 0.52}},
};

absl::Span<const Published> FiguresOf(const std::string& task) {
  if (task == "classification") return kClassification;
  if (task == "forecasting") return kForecasting;
  if (task == "events") return kEvents;
  return {};
}

}  // namespace

std::vector<PaperMetric> MetricsOf(const std::string& task) {
  if (task == "classification") return {{"accuracy %", 2, true}};
  if (task == "forecasting") return {{"MSE", 3, false}, {"MAE", 3, false}};
  return {{"NLL", 2, false}, {"RMSE", 2, false}, {"accuracy %", 2, true}};
}

std::vector<std::string> DatasetsOf(const std::string& task) {
  std::vector<std::string> names;
  for (const Published& one : FiguresOf(task)) {
    if (names.empty() || names.back() != one.dataset) names.emplace_back(one.dataset);
  }
  return names;
}

const Published* FindPublished(const std::string& task, const std::string& dataset, const std::string& metric) {
  const absl::Span<const Published> figures = FiguresOf(task);
  const auto at = std::find_if(figures.begin(), figures.end(),
                               [&](const Published& one) { return one.dataset == dataset && one.metric == metric; });
  return at == figures.end() ? nullptr : &*at;
}

}  // namespace aaren::training
