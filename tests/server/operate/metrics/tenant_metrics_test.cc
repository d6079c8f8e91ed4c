#include "server/operate/metrics/tenant_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "prometheus/text_serializer.h"

namespace aaren::metrics {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TenantMetricsTest, TellsOfTheTenantsOfTheListAndNoOthers) {
  const std::string path = absl::StrCat(testing::TempDir(), "/callers_", getpid());
  std::ofstream(path) << "acme read name:x\nacme limits streams=7 stored_bytes=1000\nother read name:y\n";
  identity::Callers callers(identity::RosterFile::Open(path).value(), nullptr, {});
  identity::Account& acme = *callers.FindName("x")->account;
  acme.streams.TryTake();
  acme.sessions.Add(5);
  acme.stored_bytes.Set(640);
  acme.AddCounter().Add(9);
  acme.NoteLimited(identity::Account::Limit::kStreams);
  const std::string text = prometheus::TextSerializer().Serialize(TenantMetrics(callers).Collect());
  EXPECT_THAT(text, HasSubstr("aaren_tenant_streams{tenant=\"acme\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_sessions{tenant=\"acme\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_tokens_total{tenant=\"acme\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_limited_total{tenant=\"acme\",limit=\"streams\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_limit{tenant=\"acme\",limit=\"streams\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_stored_bytes{tenant=\"acme\"} 640\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_limit{tenant=\"acme\",limit=\"stored_bytes\"} 1000\n"));
  EXPECT_THAT(text, Not(HasSubstr("aaren_tenant_limit{tenant=\"other\"")));
  EXPECT_THAT(text, Not(HasSubstr("aaren_tenant_stored_bytes{tenant=\"other\"")));
  std::ofstream(path, std::ios::trunc) << "acme read name:x\n";
  // Long ago: a new write is not taken up at once.
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  callers.Look(0);
  EXPECT_THAT(prometheus::TextSerializer().Serialize(TenantMetrics(callers).Collect()), Not(HasSubstr("other")));
  std::filesystem::remove(path);
}

// More tenants than are named apart.
TEST(TenantMetricsTest, TellsOfManyThatOnlyTokensNameTogether) {
  const auto accounts = std::make_shared<identity::Accounts>();
  const std::string path = absl::StrCat(testing::TempDir(), "/many_callers_", getpid());
  std::ofstream(path) << "acme read name:x\n* limits streams=7\n";
  const identity::Callers callers(identity::RosterFile::Open(path, accounts).value(), nullptr, {});
  for (int i = 0; i < 103; ++i) accounts->OfToken(absl::StrCat("t", i))->streams.TryTake();
  const std::string text = prometheus::TextSerializer().Serialize(TenantMetrics(callers).Collect());
  EXPECT_THAT(text, HasSubstr("aaren_tenant_streams{tenant=\"t99\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_streams{tenant=\"*\"} 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("t100")));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_limit{tenant=\"acme\",limit=\"streams\"} 7\n"));
  std::filesystem::remove(path);
}

TEST(TenantMetricsTest, WhoIsToldOfWithOthersStaysSoWhenTheListNamesOneThatCameBefore) {
  const auto accounts = std::make_shared<identity::Accounts>();
  for (int i = 0; i < 103; ++i) accounts->OfToken(absl::StrCat("t", i))->streams.TryTake();
  const std::string path = absl::StrCat(testing::TempDir(), "/later_callers_", getpid());
  std::ofstream(path) << "t5 read name:x\n";
  const identity::Callers callers(identity::RosterFile::Open(path, accounts).value(), nullptr, {});
  const std::string text = prometheus::TextSerializer().Serialize(TenantMetrics(callers).Collect());
  EXPECT_THAT(text, HasSubstr("aaren_tenant_streams{tenant=\"t5\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tenant_streams{tenant=\"*\"} 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("t100")));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace aaren::metrics
