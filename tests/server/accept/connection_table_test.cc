#include "server/accept/connection_table.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace aaren::accept {
namespace {

class ConnectionTableTest : public testing::Test {
 protected:
  ConnectionTableTest() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {}
  ~ConnectionTableTest() override { close(socket_); }

  // Connections of a host, from ports 1 to `count`, which are all one socket.
  void Add(const std::string& host, int count) {
    for (int port = 1; port <= count; ++port) table_.Add(absl::StrCat(host, ":", port), socket_, 0);
  }

  const int socket_;
  absl::Time now_ = absl::UnixEpoch();
  ConnectionTable table_{/*shards=*/2};
};

TEST_F(ConnectionTableTest, NewestOfTheHostThatHasMostGivesWay) {
  Add("10.0.0.1", 3);
  Add("10.0.0.2", 5);
  Add("10.0.0.3", 4);
  EXPECT_EQ(table_.WhoGivesWayTo("10.0.0.4", now_), "10.0.0.2:5");
}

TEST_F(ConnectionTableTest, EndedConnectionsAreForgottenWithTheirPlaceInAShard) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  table_.Add("10.0.0.1:1", socket_, 0);
  table_.Add("10.0.0.1:2", other, 1);
  EXPECT_EQ(table_.of_shards(), (std::vector<size_t>{1, 1}));
  close(other);
  table_.RemoveEnded(2, /*calm=*/true, [](const std::string&, const Connection&) {});
  EXPECT_EQ(table_.size(), 1u);
  EXPECT_EQ(table_.of_shards(), (std::vector<size_t>{1, 0}));
}

TEST_F(ConnectionTableTest, LooksAtSoManyAndGoesRoundAll) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  for (const char* peer : {"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3"}) table_.Add(peer, other, 0);
  Add("10.0.0.2", 2);
  close(other);
  for (const size_t left : {3u, 2u, 2u, 2u}) {
    table_.RemoveEnded(2, /*calm=*/true, [](const std::string&, const Connection&) {});
    EXPECT_EQ(table_.size(), left);
  }
  Add("10.0.0.3", 1);
  table_.RemoveEnded(100, /*calm=*/true, [](const std::string&, const Connection&) {});
  EXPECT_EQ(table_.size(), 3u);
}

TEST_F(ConnectionTableTest, OneOfTheSameNameTakesThePlaceOfTheOneBefore) {
  Add("10.0.0.1", 1);
  Add("10.0.0.1", 1);
  EXPECT_EQ(table_.size(), 1u);
}

}  // namespace
}  // namespace aaren::accept
