#include "server/sessions/registrar/list/page_token.h"

#include <gtest/gtest.h>

namespace aaren::registrar {
namespace {

TEST(PageTokenTest, ComesBackAsTheKey) { EXPECT_EQ(DecodePageToken("t/", EncodePageToken("t/", "t/a b")), "t/a b"); }

TEST(PageTokenTest, IsGoodForItsListOnly) {
  EXPECT_FALSE(DecodePageToken("t/a", EncodePageToken("t/", "t/abc")).has_value());
  EXPECT_FALSE(DecodePageToken("u/", EncodePageToken("t/", "t/abc")).has_value());
}

TEST(PageTokenTest, IsRefusedChangedOrInvented) {
  const std::string good = EncodePageToken("t/", "t/abc");
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(DecodePageToken("t/", bad).has_value()) << bad;
  }
  EXPECT_FALSE(DecodePageToken("t/", "").has_value());
  EXPECT_FALSE(DecodePageToken("t/", "????").has_value());
}

}  // namespace
}  // namespace aaren::registrar
