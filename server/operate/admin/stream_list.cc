#include "server/operate/admin/stream_list.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/operate/admin/page_size.h"
#include "server/sessions/registrar/list/page_token.h"
#include "server/sessions/session/refusal.h"

namespace aaren::admin {
namespace {

constexpr absl::string_view kList = "streams/";  // the list's name in page tokens

// The stream before a page.
struct Place {
  int shard = 0;
  uint64_t number = 0;
};

std::optional<Place> ParseToken(const std::string& token) {
  Place place;
  if (token.empty()) return place;
  const std::optional<std::string> key = registrar::DecodePageToken(kList, token);
  if (!key) return std::nullopt;
  const std::pair<std::string, std::string> parts = absl::StrSplit(absl::StripPrefix(*key, kList), '/');
  if (!absl::SimpleAtoi(parts.first, &place.shard) || !absl::SimpleAtoi(parts.second, &place.number)) {
    return std::nullopt;
  }
  return place;
}

void FillStream(int shard, const rpc::StreamInfo& stream, v1::StreamInfo& info) {
  info.set_shard(static_cast<uint32_t>(shard));
  info.set_number(stream.number);
  info.set_peer(stream.peer);
  info.set_tenant(stream.tenant);
  info.set_role(std::string(identity::NameOf(stream.role)));
  info.set_age_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(stream.age)));
  info.set_sessions(stream.use.sessions);
  info.set_queued_bytes(stream.use.queued_bytes);
  info.set_unread_bytes(stream.unread_bytes);
  info.set_unread_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(stream.unread_since)));
  info.set_reading(stream.reading);
}

// A page in the making. The callback of the asked shard holds the page.
class StreamPage : public std::enable_shared_from_this<StreamPage> {
 public:
  StreamPage(const rpc::Server& server, size_t page_size,
             absl::AnyInvocable<void(session::Outcome<v1::ListStreamsResponse>)> reply)
      : server_(server), left_(page_size), reply_(std::move(reply)) {}

  // Asks for one stream more than the page takes: a stream too many means another page.
  void Ask(Place behind) {
    // Behind the last shard the list is complete.
    if (behind.shard >= server_.shards()) return reply_(std::move(outcome_));
    server_.DescribeStreams(
        behind.shard, behind.number, left_ + 1,
        [self = shared_from_this(), shard = behind.shard](const auto& streams) { self->OnStreams(shard, streams); });
  }

 private:
  void OnStreams(int shard, const std::vector<rpc::StreamInfo>& streams) {
    const size_t taken = std::min(streams.size(), left_);
    for (size_t i = 0; i < taken; ++i) FillStream(shard, streams[i], *outcome_.value.add_streams());
    left_ -= taken;
    // The shard has no further stream: the next shard fills the rest of the page.
    if (streams.size() == taken) return Ask({shard + 1, 0});
    const v1::StreamInfo& last = outcome_.value.streams(outcome_.value.streams_size() - 1);
    outcome_.value.set_next_page_token(
        registrar::EncodePageToken(kList, absl::StrCat(kList, last.shard(), "/", last.number())));
    reply_(std::move(outcome_));
  }

  const rpc::Server& server_;
  size_t left_;
  session::Outcome<v1::ListStreamsResponse> outcome_;
  absl::AnyInvocable<void(session::Outcome<v1::ListStreamsResponse>)> reply_;
};

}  // namespace

void ListStreams(const rpc::Server& server, const v1::ListStreamsRequest& request,
                 absl::AnyInvocable<void(session::Outcome<v1::ListStreamsResponse>)> reply) {
  const std::optional<Place> behind = ParseToken(request.page_token());
  if (!behind || behind->shard < 0 || behind->shard > server.shards()) {
    return reply({.refusal = session::InvalidField("page_token", "this server did not give it out for this list")});
  }
  if (request.page_size() > kMostPage) {
    const std::string problem = absl::StrCat(request.page_size(), " is more than ", kMostPage);
    return reply({.refusal = session::InvalidField("page_size", problem)});
  }
  std::make_shared<StreamPage>(server, PageSize(request.page_size()), std::move(reply))->Ask(*behind);
}

}  // namespace aaren::admin
