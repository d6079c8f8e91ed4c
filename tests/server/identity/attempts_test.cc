#include "server/identity/attempts.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace aaren::identity {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kStart = 50 * kSecond;

void Fail(Attempts& attempts, const std::string& host, int times) {
  for (int i = 0; i < times; ++i) attempts.NoteFailure(host, kStart);
}

TEST(AttemptsTest, AHostMayHaveTenInASecond) {
  Attempts attempts;
  Fail(attempts, "a", 9);
  EXPECT_FALSE(attempts.AreTooMany("a", kStart));
  Fail(attempts, "a", 1);
  EXPECT_TRUE(attempts.AreTooMany("a", kStart));
  EXPECT_FALSE(attempts.AreTooMany("a", kStart + kSecond / 10));
}

TEST(AttemptsTest, OneHostsAreNotAnothers) {
  Attempts attempts;
  Fail(attempts, "a", 100);
  EXPECT_FALSE(attempts.AreTooMany("b", kStart));
}

TEST(AttemptsTest, TheTableIsBoundedAndForgetsWhoHasRested) {
  Attempts attempts;
  for (int i = 0; i < 10'000; ++i) attempts.NoteFailure(absl::StrCat(i), kStart);
  EXPECT_LE(attempts.hosts(), Attempts::kMostHosts + 1);
  attempts.NoteFailure("late", kStart + 1000 * kSecond);
  EXPECT_LE(attempts.hosts(), 2u);
}

TEST(AttemptsTest, WhoFindsNoPlaceSharesOne) {
  Attempts attempts;
  for (size_t i = 0; i < Attempts::kMostHosts; ++i) Fail(attempts, absl::StrCat(i), 2);
  for (int i = 0; i < 10; ++i) attempts.NoteFailure(absl::StrCat("new", i), kStart);
  EXPECT_TRUE(attempts.AreTooMany("another", kStart));
  EXPECT_FALSE(attempts.AreTooMany("1", kStart));
}

TEST(AttemptsTest, RemembersTokensWhileTheyAreListed) {
  Attempts attempts;
  attempts.Remember("good", "sha256:1");
  attempts.Remember("gone", "sha256:2");
  EXPECT_FALSE(attempts.Remembers("bad"));
  attempts.ForgetUnless([](absl::string_view known_by) { return known_by == "sha256:1"; });
  EXPECT_TRUE(attempts.Remembers("good"));
  EXPECT_FALSE(attempts.Remembers("gone"));
}

}  // namespace
}  // namespace aaren::identity
