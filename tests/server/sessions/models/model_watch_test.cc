#include "server/sessions/models/model_watch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <fstream>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/sessions/models/package_folder.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/model/engine/random_package.h"
#include "tests/wall_clock/wall_clock.h"

namespace aaren::models {

// No file of labels can be opened, as with too many files open.
bool labels_fail = false;

}  // namespace aaren::models

// Takes the place of the C library's in this program.
extern "C" int open(const char* path, int flags, ...) {
  static const auto real = reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, "open"));
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!aaren::models::labels_fail || !absl::EndsWith(path, "/labels")) return real(path, flags, mode);
  errno = EMFILE;
  return -1;
}

namespace aaren::models {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModelWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    fs::create_directories(root_ / "models");
    Save("models/a-1", "a", 1);
    ASSERT_TRUE(watch_.Load().ok());
  }
  void TearDown() override { fs::remove_all(root_); }

  void Save(const std::string& folder, const std::string& name, int version, uint64_t seed = 1) {
    package::ModelPackage package = engine::RandomPackage(engine::TinyConfig(), seed);
    package.name = name;
    package.version = version;
    ASSERT_TRUE(package::SavePackage((root_ / folder).string(), package).ok());
  }
  void Write(const std::string& path, const std::string& text) { std::ofstream(root_ / path) << text; }

  // A new package rests from look to look.
  void LookTwice() {
    watch_.Look();
    watch_.Look();
  }
  std::string Found(const std::string& name) {
    const absl::StatusOr<ModelRef> model = models_.Find(name);
    return model.ok() ? (*model)->id : "";
  }

  fs::path root_;
  ModelTable models_;
  ModelWatch watch_{
      models_,
      (fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name() / "models")
          .string(),
      "cpu"};
};

TEST_F(ModelWatchTest, LoadsEveryPackage) {
  Save("models/b-1", "b", 1);
  Save("models/a-2", "a", 2);
  ModelTable models;
  ASSERT_TRUE(ModelWatch(models, (root_ / "models").string(), "cpu").Load().ok());
  ASSERT_EQ(models.models().size(), 3);
  EXPECT_EQ(models.models()[0]->id, "a:1");
  EXPECT_EQ(models.models()[1]->id, "a:2");
  EXPECT_EQ(models.models()[2]->id, "b:1");
  EXPECT_EQ(models.default_model()->id, "a:1");
  for (const ModelRef& model : models.models()) {
    EXPECT_TRUE(model->package.tensors.empty());
    EXPECT_EQ(models.FindDigest(model->package.digest), model);
  }
}

TEST_F(ModelWatchTest, LoadsModelsOfEventsBesideForecasters) {
  package::ModelPackage package = events::RandomEventPackage(1);
  ASSERT_TRUE(package::SavePackage((root_ / "models/A-events").string(), package).ok());
  ModelTable models;
  ASSERT_TRUE(ModelWatch(models, (root_ / "models").string(), "cpu").Load().ok());
  EXPECT_EQ(models.Find("random-events").value()->package.kind, "events");
  EXPECT_EQ(models.default_model()->id, "a:1") << "whatever the order of the folders";
}

TEST_F(ModelWatchTest, AModelOfEventsWithWrongTensorsIsRefusedByName) {
  package::ModelPackage package = events::RandomEventPackage(1);
  package.tensors.erase("norm.weight");
  ASSERT_TRUE(package::SavePackage((root_ / "models/events").string(), package).ok());
  LookTwice();
  ASSERT_EQ(models_.pending().size(), 1u);
  EXPECT_THAT(models_.pending()[0].refusal, HasSubstr("tensor norm.weight is missing"));
}

TEST_F(ModelWatchTest, AnEmptyOrMissingFolderIsRefusedByName) {
  fs::remove_all(root_ / "models/a-1");
  ModelTable models;
  EXPECT_TRUE(absl::IsNotFound(ModelWatch(models, (root_ / "models").string(), "cpu").Load()));
  const absl::Status missing = ModelWatch(models, (root_ / "nowhere").string(), "cpu").Load();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("nowhere"));
}

TEST_F(ModelWatchTest, APackageThatAppearsIsOfferedOnceItsFilesRest) {
  Save("models/a-2", "a", 2);
  watch_.Look();
  EXPECT_EQ(Found("a"), "a:1");
  ASSERT_EQ(models_.pending().size(), 1u);
  EXPECT_EQ(models_.pending()[0].refusal, "");
  watch_.Look();
  EXPECT_EQ(Found("a"), "a:2");
  EXPECT_THAT(models_.pending(), IsEmpty());
}

TEST_F(ModelWatchTest, APackageThatDisappearsIsUnloadedOnceNobodyHoldsIt) {
  Save("models/a-2", "a", 2);
  LookTwice();
  ModelRef held = *models_.Find("a:1");
  fs::remove_all(root_ / "models/a-1");
  watch_.Look();
  EXPECT_EQ(Found("a:1"), "");
  EXPECT_EQ(models_.models().size(), 2u);
  held.reset();
  watch_.Look();
  EXPECT_EQ(models_.models().size(), 1u);
}

TEST_F(ModelWatchTest, APackageThatComesBackIsOfferedAgain) {
  const ModelRef held = *models_.Find("a:1");
  fs::rename(root_ / "models/a-1", root_ / "away");
  watch_.Look();
  EXPECT_EQ(Found(""), "");
  fs::rename(root_ / "away", root_ / "models/elsewhere");
  LookTwice();
  EXPECT_EQ(*models_.Find(""), held);
}

TEST_F(ModelWatchTest, ABrokenPackageIsRefusedByNameAndOnceAndTheOthersStay) {
  Save("models/a-2", "a", 2);
  fs::resize_file(root_ / "models/a-2/weights.safetensors", 100);
  LookTwice();
  watch_.Look();
  EXPECT_EQ(Found("a"), "a:1");
  EXPECT_EQ(models_.failures().value(), 1u);
  ASSERT_EQ(models_.pending().size(), 1u);
  EXPECT_THAT(models_.pending()[0].folder, HasSubstr("a-2"));
  EXPECT_THAT(models_.pending()[0].refusal, HasSubstr("weights.safetensors"));
}

TEST_F(ModelWatchTest, WhatIsNoPackageIsNoError) {
  for (const char* stray : {"models/lost+found", "models/empty", "models/notes/deep"})
    fs::create_directories(root_ / stray);
  Write("models/README.txt", "hello");
  Write("models/notes/weights.txt", "hello");
  fs::permissions(root_ / "models/lost+found", fs::perms::none);
  LookTwice();
  EXPECT_EQ(models_.failures().value(), 0u);
  EXPECT_THAT(models_.pending(), IsEmpty());
  ModelTable fresh;
  EXPECT_TRUE(ModelWatch(fresh, (root_ / "models").string(), "cpu").Load().ok());
  EXPECT_EQ(fresh.failures().value(), 0u);
  fs::permissions(root_ / "models/lost+found", fs::perms::owner_all);
}

TEST_F(ModelWatchTest, WhatWasNoPackageMayBecomeOne) {
  fs::create_directories(root_ / "models/b-1");
  LookTwice();
  Save("models/b-1", "b", 1);
  LookTwice();
  EXPECT_EQ(Found("b"), "b:1");
}

TEST_F(ModelWatchTest, AHalfCopiedPackageIsTriedAgainWhenItIsWhole) {
  Save("whole", "a", 2);
  fs::create_directories(root_ / "models/a-2");
  fs::copy(root_ / "whole/model.json", root_ / "models/a-2/model.json");
  LookTwice();
  EXPECT_EQ(models_.failures().value(), 1u);
  fs::copy(root_ / "whole/weights.safetensors", root_ / "models/a-2/weights.safetensors");
  LookTwice();
  EXPECT_EQ(Found("a"), "a:2");
  EXPECT_THAT(models_.pending(), IsEmpty());
}

TEST_F(ModelWatchTest, APackageThatIsBrokenInItsPlaceServesOn) {
  Write("models/a-1/model.json", "{}");
  LookTwice();
  EXPECT_EQ(Found("a"), "a:1");
  EXPECT_EQ(models_.failures().value(), 1u);
}

TEST_F(ModelWatchTest, AVersionIsNeverReplaced) {
  const std::string digest = (*models_.Find("a:1"))->package.digest;
  Save("models/a-1", "a", 1, /*seed=*/2);
  LookTwice();
  EXPECT_EQ((*models_.Find("a:1"))->package.digest, digest);
  EXPECT_EQ(models_.failures().value(), 1u);
}

TEST_F(ModelWatchTest, ANewVersionInTheSameFolderTakesThePlaceOfTheOldOne) {
  Save("models/a-1", "a", 2);
  LookTwice();
  EXPECT_EQ(Found("a"), "a:2");
  EXPECT_EQ(Found("a:1"), "");
}

TEST_F(ModelWatchTest, OtherWeightsOfAVersionComeOnceTheOldOnesAreGone) {
  ModelRef held = *models_.Find("a:1");
  fs::remove_all(root_ / "models/a-1");
  Save("models/a-1-again", "a", 1, /*seed=*/2);
  LookTwice();
  EXPECT_EQ(Found("a:1"), "");
  held.reset();
  LookTwice();
  EXPECT_EQ(Found("a:1"), "a:1");
}

TEST_F(ModelWatchTest, AFolderWithADotIsNotLookedAt) {
  Save("models/.a-2", "a", 2);
  LookTwice();
  EXPECT_THAT(models_.pending(), IsEmpty());
  EXPECT_EQ(Found("a"), "a:1");
}

TEST_F(ModelWatchTest, AFolderOfModelsThatIsAwayTakesNoModelAway) {
  fs::rename(root_ / "models", root_ / "away");
  LookTwice();
  EXPECT_EQ(Found("a"), "a:1");
  EXPECT_EQ(models_.failures().value(), 1u);
}

TEST_F(ModelWatchTest, AFolderOfModelsThatIsAwayTakesNoLabelAway) {
  Write("models/labels", "a@stable 1\n");
  LookTwice();
  fs::rename(root_ / "models", root_ / "away");
  LookTwice();
  EXPECT_EQ(Found("a@stable"), "a:1");
}

TEST_F(ModelWatchTest, LabelsAreReadAgainWhenTheirFileChanges) {
  Save("models/a-2", "a", 2);
  Write("models/labels", "a@stable 1\n");
  LookTwice();
  EXPECT_EQ(Found("a"), "a:1");
  Write("models/labels", "a@stable 2  # good\n");
  LookTwice();
  EXPECT_EQ(Found("a@stable"), "a:2");
  fs::remove(root_ / "models/labels");
  LookTwice();
  EXPECT_EQ(Found("a@stable"), "");
}

// An editor may write in two parts, or remove the old file before the new file is written.
TEST_F(ModelWatchTest, LabelsThatAreBeingWrittenAreNotTaken) {
  Write("models/labels", "a@stable 1\na@canary 1 100%\n");
  LookTwice();
  Write("models/labels", "a@stable 1\n");
  watch_.Look();
  EXPECT_EQ(Found("a@canary"), "a:1");
  fs::remove(root_ / "models/labels");
  watch_.Look();
  EXPECT_EQ(Found("a@canary"), "a:1");
  Write("models/labels", "a@stable 1\na@canary 1 50%\n");
  LookTwice();
  EXPECT_EQ(models_.labels().Find("a", "canary")->share, 0.5);
}

TEST_F(ModelWatchTest, LabelsThatCouldNotBeReadAreReadAgain) {
  const absl::Cleanup mended = [] { labels_fail = false; };
  Write("models/labels", "a@stable 1\n");
  labels_fail = true;
  LookTwice();
  EXPECT_EQ(Found("a@stable"), "");
  labels_fail = false;
  watch_.Look();
  EXPECT_EQ(Found("a@stable"), "a:1");
}

TEST_F(ModelWatchTest, LabelsThatCannotBeReadAreRefusedOnce) {
  const absl::Cleanup mended = [] { labels_fail = false; };
  Write("models/labels", "a@stable 1\n");
  labels_fail = true;
  LookTwice();
  LookTwice();
  EXPECT_EQ(models_.failures().value(), 1u);
}

TEST_F(ModelWatchTest, LabelsThatCouldNotBeReadAndAreGoneLeaveNone) {
  const absl::Cleanup mended = [] { labels_fail = false; };
  Write("models/labels", "a@stable 1\n");
  LookTwice();
  Write("models/labels", "a@stable 1  # good\n");
  labels_fail = true;
  LookTwice();
  labels_fail = false;
  fs::remove(root_ / "models/labels");
  LookTwice();
  EXPECT_EQ(Found("a@stable"), "");
}

TEST_F(ModelWatchTest, APackageForWhichThereWasNoRoomIsTriedAgainOnceThereIs) {
  for (int version = 2; version <= 256; ++version) Save(absl::StrCat("models/a-", version), "a", version);
  LookTwice();
  Save("models/b-1", "b", 1);
  LookTwice();
  ASSERT_EQ(Found("b"), "");
  fs::remove_all(root_ / "models/a-2");
  LookTwice();
  EXPECT_EQ(Found("b"), "b:1");
}

TEST_F(ModelWatchTest, APackageThatMayBeReadByNowIsTriedAgain) {
  const std::string before = FingerprintOf((root_ / "models/a-1").string());
  fs::permissions(root_ / "models/a-1/model.json", fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(FingerprintOf((root_ / "models/a-1").string()), before);
}

TEST_F(ModelWatchTest, AFolderCalledLabelsChangesNothing) {
  Write("models/labels", "a@stable 1\n");
  LookTwice();
  fs::rename(root_ / "models/labels", root_ / "before");
  fs::create_directory(root_ / "models/labels");
  LookTwice();
  EXPECT_EQ(Found("a@stable"), "a:1");
}

TEST_F(ModelWatchTest, APipeCalledLabelsKeepsNobodyWaiting) {
  ASSERT_EQ(mkfifo((root_ / "models/labels").c_str(), 0600), 0);
  Save("models/a-2", "a", 2);
  LookTwice();
  EXPECT_EQ(Found("a"), "a:2");
}

TEST_F(ModelWatchTest, WrongLabelsChangeNothing) {
  Write("models/labels", "a@stable 1\n");
  LookTwice();
  Write("models/labels", "a@stable one\n");
  LookTwice();
  EXPECT_EQ(Found("a@stable"), "a:1");
  EXPECT_EQ(models_.failures().value(), 1u);
}

TEST_F(ModelWatchTest, ABrokenPackageKeepsNoServerFromItsStart) {
  fs::create_directories(root_ / "models/broken");
  ModelTable models;
  EXPECT_TRUE(ModelWatch(models, (root_ / "models").string(), "cpu").Load().ok());
  EXPECT_EQ(models.models().size(), 1u);
  fs::remove_all(root_ / "models/a-1");
  ModelTable none;
  const absl::Status status = ModelWatch(none, (root_ / "models").string(), "cpu").Load();
  EXPECT_THAT(std::string(status.message()), HasSubstr("broken"));
}

TEST_F(ModelWatchTest, ItsThreadLooksUntilItEnds) {
  ModelTable models;
  ModelWatch watch(models, (root_ / "models").string(), "cpu");
  ASSERT_TRUE(watch.Load().ok());
  Save("models/a-2", "a", 2);
  watch.Start(absl::Milliseconds(1));
  while (models.models().size() < 2) absl::SleepFor(absl::Milliseconds(1));
}

TEST_F(ModelWatchTest, ItsThreadGoesOnWhenTheWallClockIsSetBack) {
  ModelTable models;
  ModelWatch watch(models, (root_ / "models").string(), "cpu");
  ASSERT_TRUE(watch.Load().ok());
  Save("models/a-2", "a", 2);
  wall_clock::SetAhead(3600);
  watch.Start(absl::Milliseconds(1));
  while (models.models().size() < 2) absl::SleepFor(absl::Milliseconds(1));
  wall_clock::SetAhead(0);
}

}  // namespace
}  // namespace aaren::models
