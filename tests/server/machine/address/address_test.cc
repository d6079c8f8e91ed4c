#include "server/machine/address/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace aaren::address {
namespace {

using testing::HasSubstr;

TEST(AddressTest, ReadsNamesAddressesAndBrackets) {
  EXPECT_EQ(Address::Parse("localhost:80")->host, "localhost");
  EXPECT_EQ(Address::Parse("0.0.0.0:7860")->port, 7860);
  EXPECT_EQ(Address::Parse("[::1]:7")->host, "::1");
  EXPECT_EQ(Address::Parse("[::1]:7")->ToString(), "[::1]:7");
}

TEST(AddressTest, NamesWhatIsNoAddress) {
  for (const char* text :
       {"", "localhost", ":80", "localhost:", "localhost:x", "localhost:65536", "localhost:-1", "::1:80"}) {
    EXPECT_THAT(std::string(Address::Parse(text).status().message()), HasSubstr(std::string("'") + text + "'"));
  }
}

TEST(AddressTest, TellsWhatOthersCanReach) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "0.0.0.0", "::"}) {
    EXPECT_FALSE(IsForOthers({host, 80})) << host;
  }
  for (const char* host : {"10.0.0.7", "replica-1.aaren", "2001:db8::1"}) EXPECT_TRUE(IsForOthers({host, 80})) << host;
}

TEST(AddressTest, NamesAHostThatCannotBeResolved) {
  const absl::Status status = CheckFree({"no-such-host.invalid", 80});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no-such-host.invalid"));
}

class KnockTest : public testing::Test {
 protected:
  KnockTest() : listeners_(*ListenOn({"127.0.0.1", 0}, 1)), address_{"127.0.0.1", PortOf(listeners_.front())} {}
  ~KnockTest() override {
    for (const int listener : listeners_) close(listener);
  }

  std::vector<int> listeners_;
  const Address address_;
};

TEST_F(KnockTest, WhoeverListensHearsIt) {
  EXPECT_TRUE(Knock(address_));
  pollfd listener{listeners_.front(), POLLIN, 0};
  EXPECT_EQ(poll(&listener, 1, 60'000), 1);
}

TEST_F(KnockTest, FalseWhereNobodyListens) {
  close(listeners_.front());
  listeners_.clear();
  EXPECT_FALSE(Knock(address_));
}

}  // namespace
}  // namespace aaren::address
