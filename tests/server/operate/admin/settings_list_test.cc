#include "server/operate/admin/settings_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::admin {
namespace {

TEST(MaskedTest, NamesAndPasswordsInUrlsAreNotTold) {
  for (const char* setting : {"redis", "jwt_issuer"}) {
    EXPECT_EQ(Masked(setting, "redis://me:secret@host:6379/0"), "redis://***@host:6379/0");
  }
  EXPECT_EQ(Masked("redis", "me:se@cr/et@host:1"), "***@host:1");
  EXPECT_EQ(Masked("trace_endpoint", "secret@host:1"), "***@host:1");
}

TEST(MaskedTest, EachOfSeveralAddressesIsMasked) {
  EXPECT_EQ(Masked("redis", "a:1,b:secret@c:2,d:3"), "a:1,***@c:2,d:3");
}

TEST(MaskedTest, AddressesWithoutASecretStayAsTheyAre) {
  for (const char* text : {"", "127.0.0.1:7860", "https://login.example/a", "/srv/redis@2/socket"}) {
    EXPECT_EQ(Masked("redis", text), text);
  }
}

TEST(MaskedTest, LabelsAndPathsStayAsTheyAre) {
  for (const char* text : {"aaren-univariate@canary", "models@2/new", "500ms", "/srv/keys@2/jwks.json"}) {
    EXPECT_EQ(Masked("default_model", text), text);
  }
}

const v1::Setting* Find(const v1::GetSettingsResponse& response, const std::string& name) {
  for (const v1::Setting& setting : response.settings()) {
    if (setting.name() == name) return &setting;
  }
  return nullptr;
}

TEST(SettingsListTest, TellsEverySettingAndWhichAreDefaults) {
  config::ServerConfig config;
  config.set_shards(3);
  config.set_redis("me:secret@host:1");
  v1::GetSettingsResponse response;
  FillSettings(config, response);
  EXPECT_EQ(response.settings_size(), config::ServerConfig::descriptor()->field_count());
  EXPECT_EQ(Find(response, "shards")->value(), "3");
  EXPECT_FALSE(Find(response, "shards")->is_default());
  EXPECT_EQ(Find(response, "grace")->value(), "20s");
  EXPECT_TRUE(Find(response, "grace")->is_default());
  EXPECT_EQ(Find(response, "redis")->value(), "***@host:1");
}

// A default set explicitly is no change.
TEST(SettingsListTest, ADefaultThatWasGivenIsOne) {
  config::ServerConfig config;
  config.set_grace("20s");
  v1::GetSettingsResponse response;
  FillSettings(config, response);
  EXPECT_TRUE(Find(response, "grace")->is_default());
}

}  // namespace
}  // namespace aaren::admin
