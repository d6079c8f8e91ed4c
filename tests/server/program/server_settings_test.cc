// The settings of aaren-server, as a process takes or refuses them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/program/program.h"

namespace aaren {
namespace {

using testing::HasSubstr;

TEST(ServerSettingsTest, BadSettingsExitWithTwo) {
  setenv("AAREN_ENGINE_PLUGIN", "/nowhere/gpu.so", 1);  // no GPU on any machine
  for (const auto& [flag, named] :
       std::vector<std::pair<std::string, std::string>>{{"--lisen=x", "--lisen"},
                                                        {"--shards=many", "many"},
                                                        {"--config=/nowhere", "/nowhere"},
                                                        {"--device=cuda", "/nowhere/gpu.so"}}) {
    Program program({flag});
    EXPECT_EQ(program.Wait(), 2) << flag;
    EXPECT_THAT(program.Log(), HasSubstr(named));
  }
}

TEST(ServerSettingsTest, BadSettingsOfARedisExitWithTwo) {
  for (const char* flag : {"--redis=nowhere", "--redis_prefix=", "--redis_timeout=1ms"}) {
    Program program({"--store=redis", flag});
    EXPECT_EQ(program.Wait(), 2) << flag;
    EXPECT_THAT(program.Log(), HasSubstr(std::string(flag).substr(2, std::string(flag).find('=') - 2)));
  }
}

TEST(ServerSettingsTest, MemoryThatCannotBeEnoughIsRefused) {
  Program server({"--listen=127.0.0.1:0", "--memory=1000"});
  EXPECT_EQ(server.Wait(), 2);
  EXPECT_THAT(server.Log(), HasSubstr("memory: 1000 bytes; at least 16777216 (16 MB) are needed"));
}

TEST(ServerSettingsTest, CoresThatCannotBeAreRefusedByName) {
  Program program({"--cpus=0-x"});
  EXPECT_EQ(program.Wait(), 2);
  EXPECT_THAT(program.Log(), HasSubstr("cpus: \"0-x\" is no list of cores such as 0-3,8"));
}

TEST(ServerSettingsTest, AdvertisedAddressThatIsNoneIsRefused) {
  Program server({"--listen=127.0.0.1:0", "--advertise=banana"});
  EXPECT_EQ(server.Wait(), 2);
  EXPECT_THAT(server.Log(), HasSubstr("advertise: 'banana' is not HOST:PORT"));
}

TEST(ServerSettingsTest, BadSettingsOfTracesExitWithTwo) {
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"--trace_endpoint=banana"}, "trace_endpoint: 'banana' is not HOST:PORT"},
      {{"--trace_endpoint=127.0.0.1:0"}, "trace_endpoint: port 0"},
      {{"--trace_endpoint=127.0.0.1:4317", "--trace_ca=/nowhere"}, "trace_ca: cannot read /nowhere"},
      {{"--trace_endpoint=127.0.0.1:4317", "--trace_ca=/etc/passwd"}, "trace_ca: there is no certificate"},
      {{"--trace_ca=/nowhere"}, "trace_ca: without trace_endpoint"}};
  for (const auto& [flags, problem] : bad) {
    Program server(flags);
    EXPECT_EQ(server.Wait(), 2);
    EXPECT_THAT(server.Log(), HasSubstr(problem));
  }
}

TEST(ServerSettingsTest, WhereOthersReachItPlainTextMustBeAskedFor) {
  Program refused({"--listen=0.0.0.0:0"});
  EXPECT_EQ(refused.Wait(), 2);
  EXPECT_THAT(refused.Log(), HasSubstr("listen: others can reach 0.0.0.0:0; give tls_cert and tls_key, or insecure"));
  Program asked({"--listen=0.0.0.0:0", "--metrics_listen=127.0.0.1:0", "--insecure"});
  EXPECT_THAT(asked.ReadLine(), HasSubstr("ready listen=0.0.0.0:"));
}

TEST(ServerSettingsTest, AdminAddressesThatCannotBeAreRefusedByName) {
  const std::string callers = "--callers=/dev/null";
  for (const auto& [flags, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--admin_address=banana"}, "admin_address: 'banana' is not HOST:PORT"},
           {{"--admin_address=0.0.0.0:0"}, "admin_address: others can reach 0.0.0.0:0; give tls_cert"},
           {{"--admin_address=127.0.0.1:0", callers}, "admin_address: give admin_tenant"},
           {{"--admin_tenant=ops"}, "admin_tenant: without callers or jwks"},
           {{"--admin_tenant=o/ps", callers}, "admin_tenant: 'o/ps' cannot be"}}) {
    std::vector<std::string> arguments = FreePorts();
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    Program program(arguments);
    EXPECT_EQ(program.Wait(), 2);
    EXPECT_THAT(program.Log(), HasSubstr(said));
  }
}

TEST(ServerSettingsTest, BadFilesOfSecurityExitWithTwo) {
  Program tls({"--listen=127.0.0.1:0", "--tls_cert=/nowhere.pem", "--tls_key=/nowhere.key"});
  EXPECT_EQ(tls.Wait(), 2);
  EXPECT_THAT(tls.Log(), HasSubstr("/nowhere.pem"));
  Program callers({"--listen=127.0.0.1:0", "--callers=/nowhere"});
  EXPECT_EQ(callers.Wait(), 2);
  EXPECT_THAT(callers.Log(), HasSubstr("callers: cannot read /nowhere"));
}

TEST(ServerSettingsTest, PrintConfigShowsEverySettingAndExits) {
  Program program({"--print_config", "--shards=3"});
  EXPECT_EQ(program.ReadLine(), "listen: \"127.0.0.1:7860\"");
  std::string rest;
  for (std::string line; !(line = program.ReadLine()).empty();) rest += line + "\n";
  EXPECT_THAT(rest, HasSubstr("shards: 3\n"));
  EXPECT_THAT(rest, HasSubstr("log_format: TEXT\n"));
  EXPECT_EQ(program.Wait(), 0);
}

// A file with the list of callers.
std::string CallersFile(const std::string& text) {
  const std::string path = absl::StrCat(testing::TempDir(), "server_program_", getpid(), ".callers");
  std::ofstream(path, std::ios::trunc) << text;
  return path;
}

TEST(ServerSettingsTest, PrintConfigTellsWhomTheListOfCallersLetsIn) {
  Program program({"--print_config", "--callers=" + CallersFile("acme read name:x\nacme limits streams=3 weight=2\n")});
  std::string rest;
  for (std::string line; !(line = program.ReadLine()).empty();) rest += line + "\n";
  EXPECT_THAT(rest, HasSubstr("\n# tenant acme: 1 callers, weight=2 streams=3\n"));
  EXPECT_EQ(program.Wait(), 0);
}

TEST(ServerSettingsTest, TheLineOfTheListOfCallersThatIsWrongIsNamed) {
  const std::string path = CallersFile("acme read name:x\nacme limits stream=3\n");
  for (const char* print : {"--print_config", "--listen=127.0.0.1:0"}) {
    Program program({print, "--callers=" + path});
    EXPECT_EQ(program.Wait(), 2);
    EXPECT_THAT(program.Log(), HasSubstr(absl::StrCat("callers: ", path, ": line 2: 'stream' is no limit")));
  }
}

}  // namespace
}  // namespace aaren
