#include "server/sessions/models/model_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::models {
namespace {

using ::testing::HasSubstr;

TEST(ModelTableTest, FindsByNameByVersionAndByDefault) {
  const auto models = shard::FakeModels();
  EXPECT_EQ(models->Find("sum:1").value()->id, "sum:1");
  EXPECT_EQ(models->Find("sum").value()->id, "sum:2");
  EXPECT_EQ(models->Find("").value()->id, "sum:1");
}

TEST(ModelTableTest, SaysSoWhereNoneIsOffered) {
  const absl::Status status = ModelTable().Find("").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "no model is offered here now");
}

TEST(ModelTableTest, NamesWhatThereIsWhenItDoesNotFind) {
  const auto models = shard::FakeModels();
  const absl::Status status = models->Find("sum:9").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("sum:9"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("other:1, sum:1, sum:2"));
}

TEST(ModelTableTest, AForecasterIsTheDefaultBeforeModelsOfOtherKinds) {
  ModelTable models;
  package::ModelPackage package;
  package.kind = package::kEvents;
  package.name = "events";
  ASSERT_TRUE(models.Add(package, std::make_unique<shard::FakeEngine>()).ok());
  EXPECT_EQ(models.Find("").value()->id, "events:1");
  package.kind = package::kForecaster;
  package.name = "values";
  package.config = shard::FakeEngine::Config();
  ASSERT_TRUE(models.Add(package, std::make_unique<shard::FakeEngine>()).ok());
  EXPECT_EQ(models.Find("").value()->id, "values:1");
}

TEST(ModelTableTest, AForecasterFollowsADefaultThatRetires) {
  const auto models = shard::FakeModels();
  package::ModelPackage package;
  package.kind = package::kEvents;
  package.name = "events";
  ASSERT_TRUE(models->Add(package, std::make_unique<shard::FakeEngine>()).ok());
  models->Retire("digest-sum-1");
  models->Retire("digest-sum-2");
  EXPECT_EQ(models->Find("").value()->id, "other:1");
}

TEST(ModelTableTest, SetsTheDefault) {
  const auto models = shard::FakeModels();
  EXPECT_TRUE(models->SetDefault("other").ok());
  EXPECT_EQ(models->Find("").value()->id, "other:1");
  EXPECT_TRUE(absl::IsNotFound(models->SetDefault("nothing")));
}

TEST(ModelTableTest, RefusesAModelTwice) {
  const auto models = shard::FakeModels();
  package::ModelPackage package;
  package.name = "sum";
  package.version = 1;
  EXPECT_TRUE(absl::IsAlreadyExists(models->Add(std::move(package), std::make_unique<shard::FakeEngine>())));
}

ModelLabels Labels(const std::string& text) { return ParseLabels(text).value(); }

TEST(ModelTableTest, ALabelMeansTheVersionThatItHasNow) {
  const auto models = shard::FakeModels();
  models->SetLabels(Labels("sum@stable 1"));
  EXPECT_EQ(models->Find("sum@stable").value()->id, "sum:1");
  EXPECT_EQ(models->Find("sum").value()->id, "sum:1");
  models->SetLabels(Labels("sum@stable 2"));
  EXPECT_EQ(models->Find("sum@stable").value()->id, "sum:2");
  EXPECT_EQ(models->Find("").value()->id, "sum:2");
}

TEST(ModelTableTest, ALabelOfAVersionThatIsNotThereIsNotFound) {
  const auto models = shard::FakeModels();
  models->SetLabels(Labels("sum@next 3"));
  const absl::Status status = models->Find("sum@next").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("sum@next"));
  EXPECT_TRUE(absl::IsNotFound(models->Find("sum@unheard-of").status()));
}

TEST(ModelTableTest, ACanaryGetsItsShareOfTheBareNameAndTheSameSessionTheSameModel) {
  const auto models = shard::FakeModels();
  models->SetLabels(Labels("sum@canary 2 25%"));
  int canaries = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = absl::StrCat("tenant/", i);
    const std::string id = models->Find("sum", key).value()->id;
    EXPECT_EQ(models->Find("", key).value()->id, id);
    EXPECT_EQ(models->Find("sum:1", key).value()->id, "sum:1");
    canaries += id == "sum:2" ? 1 : 0;
  }
  EXPECT_NEAR(canaries, 2'500, 220);  // five standard deviations
}

TEST(ModelTableTest, AModelThatRetiresIsFoundByDigestOnly) {
  const auto models = shard::FakeModels();
  models->Retire("digest-sum-2");
  EXPECT_EQ(models->Find("sum").value()->id, "sum:1");
  EXPECT_TRUE(absl::IsNotFound(models->Find("sum:2").status()));
  EXPECT_EQ(models->FindDigest("digest-sum-2")->id, "sum:2");
  EXPECT_TRUE(models->any_retiring());
  models->Offer("digest-sum-2");
  EXPECT_EQ(models->Find("sum").value()->id, "sum:2");
  EXPECT_FALSE(models->any_retiring());
}

TEST(ModelTableTest, AModelIsUnloadedOnceNobodyHoldsIt) {
  const auto models = shard::FakeModels();
  ModelRef held = models->FindDigest("digest-sum-2");
  EXPECT_THAT(models->Unload(), ::testing::IsEmpty());
  models->Retire("digest-sum-2");
  EXPECT_THAT(models->Unload(), ::testing::IsEmpty());
  const std::weak_ptr<const LoadedModel> watched = held;
  held.reset();
  EXPECT_THAT(models->Unload(), ::testing::ElementsAre("sum:2"));
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(models->FindDigest("digest-sum-2"), nullptr);
}

TEST(ModelTableTest, AnIndexIsUsedAgainOnceItsModelIsGone) {
  const auto models = shard::FakeModels();
  const int index = models->FindDigest("digest-sum-1")->index;
  models->Retire("digest-sum-1");
  models->Unload();
  package::ModelPackage package;
  package.name = "new";
  package.config = shard::FakeEngine::Config();
  ASSERT_TRUE(models->Add(std::move(package), std::make_unique<shard::FakeEngine>()).ok());
  EXPECT_EQ(models->Find("new").value()->index, index);
}

TEST(ModelTableTest, AnotherIsTheDefaultOnceTheDefaultRetires) {
  const auto models = shard::FakeModels();
  models->Retire("digest-sum-1");
  EXPECT_EQ(models->Find("").value()->id, "sum:2");
  models->Retire("digest-sum-2");
  EXPECT_EQ(models->Find("").value()->id, "other:1");
  models->Retire("digest-other-1");
  EXPECT_TRUE(absl::IsNotFound(models->Find("").status()));
  EXPECT_EQ(models->default_model(), nullptr);
}

// For the sanitizers: a found model may be used, even if the table drops the model meanwhile.
TEST(ModelTableTest, ReadersNeverMeetAModelThatIsGone) {
  const auto models = shard::FakeModels();
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const ModelRef model = models->FindDigest("digest-sum-2");
        if (model == nullptr) continue;
        EXPECT_EQ(model->id, "sum:2");
        EXPECT_EQ(model->engine->tier(), "exact");
        EXPECT_EQ(model->sessions(), 0u);
      }
    });
  }
  for (int unloaded = 0; unloaded < 300;) {
    models->Retire("digest-sum-2");
    if (models->Unload().empty()) continue;
    ++unloaded;
    package::ModelPackage package;
    package.name = "sum";
    package.version = 2;
    package.config = shard::FakeEngine::Config();
    package.digest = "digest-sum-2";
    EXPECT_TRUE(models->Add(std::move(package), std::make_unique<shard::FakeEngine>()).ok());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

TEST(ModelTableTest, FindsByDigest) {
  const auto models = shard::FakeModels();
  EXPECT_EQ(models->FindDigest("digest-sum-2")->id, "sum:2");
  EXPECT_EQ(models->FindDigest("unheard of"), nullptr);
}

}  // namespace
}  // namespace aaren::models
