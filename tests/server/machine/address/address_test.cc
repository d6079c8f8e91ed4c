#include "server/machine/address/address.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "absl/strings/str_split.h"

// The host "A+B" has the addresses A and B, as a name in /etc/hosts may have several. The definition takes the place of
// the C library's in this program.
extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  addrinfo** end = found;
  for (const std::string& one : std::vector<std::string>(absl::StrSplit(host, '+'))) {
    if (const int error = real(one.c_str(), service, hints, end); error != 0) return error;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return 0;
}

namespace aaren::address {
namespace {

using testing::HasSubstr;

constexpr char kNobodys[] = "203.0.113.1";  // an address of documents (RFC 5737): no machine has the address

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

TEST(ListenTest, LeavesOutAnAddressThatTheMachineLacks) {
  const absl::StatusOr<std::vector<int>> sockets = ListenOn({std::string(kNobodys) + "+127.0.0.1", 0}, 1);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  ASSERT_EQ(sockets->size(), 1u);
  EXPECT_TRUE(Knock({"127.0.0.1", PortOf(sockets->front())}));
  close(sockets->front());
}

TEST(ListenTest, SaysWhyNoAddressOfTheHostIsTheMachines) {
  const absl::Status status = CheckFree({kNobodys, 0});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Cannot assign requested address"));
}

TEST(ListenTest, APortInUseOnOneAddressRefusesAll) {
  const std::vector<int> sockets = *ListenOn({"127.0.0.1", 0}, 1);
  EXPECT_TRUE(absl::IsAlreadyExists(CheckFree({"127.0.0.1+127.0.0.2", PortOf(sockets.front())})));
  EXPECT_TRUE(absl::IsAlreadyExists(CheckFree({"127.0.0.2+127.0.0.1", PortOf(sockets.front())})));
  close(sockets.front());
}

TEST(ListenTest, SaysThatDescriptorsAreGone) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const absl::Status status = CheckFree({"127.0.0.1", 0});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Too many open files"));
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
