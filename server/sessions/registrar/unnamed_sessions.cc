#include "server/sessions/registrar/unnamed_sessions.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/operate/log/log.h"
#include "server/sessions/registrar/unchanged_sessions.h"
#include "server/sessions/session/session_info.h"
#include "server/sessions/session/session_state.h"

namespace aaren::registrar {
namespace {

constexpr const char* kDrawn[] = {"stream-", "evaluate-"};  // beginnings of ids drawn by clients
constexpr size_t kDigits = 16;                              // behind the beginning; afterwards nothing, or '-' and more
constexpr size_t kUnnamedPage = 200;
// Streams live for a day (the setting `connection_age`), and a stream that begins anew opens its sessions.
constexpr absl::Duration kLongestStream = absl::Hours(25);
constexpr absl::Duration kShortestPeriod = absl::Seconds(1), kLongestPeriod = absl::Minutes(5);

}  // namespace

bool IsUnnamed(absl::string_view session_id) {
  return std::any_of(std::begin(kDrawn), std::end(kDrawn), [session_id](absl::string_view beginning) {
    absl::string_view rest = session_id;
    if (!absl::ConsumePrefix(&rest, beginning) || rest.size() < kDigits) return false;
    const absl::string_view digits = rest.substr(0, kDigits);
    const bool hex = std::all_of(digits.begin(), digits.end(),
                                 [](unsigned char c) { return absl::ascii_isxdigit(c) && !absl::ascii_isupper(c); });
    return hex && (rest.size() == kDigits || rest[kDigits] == '-');
  });
}

// A look: page after page of each tenant's lists. Lives until the last answer.
//
// The wall clock may be set at any time, also while a page is on its way: the look takes the session for the younger. A
// clock set back leaves stamps ahead of the clock. A session with a stamp ahead ends once the session has stood
// unchanged for the time to live.
class UnnamedSessions::Sweep : public std::enable_shared_from_this<Sweep> {
 public:
  Sweep(Sessions& sessions, const session::Clock& clock, absl::Duration ttl, UnchangedSessions unchanged)
      : sessions_(sessions), clock_(clock), ttl_(ttl), unchanged_(std::move(unchanged)) {}

  void Begin() { NextTenant(std::nullopt); }

  // Nothing further is asked from now on.
  void Cancel() { cancelled_ = true; }

  bool ended() const { return ended_ && deleting_ == 0; }
  size_t deleted() const { return deleted_; }

  // For the next look. REQUIRES: ended().
  UnchangedSessions TakeUnchanged() { return std::move(unchanged_); }

 private:
  // The store may be away: the next look is soon enough.
  void NextTenant(std::optional<std::string> after) {
    if (cancelled_) return End();
    sessions_.NextTenant(std::move(after),
                         [self = shared_from_this()](session::Outcome<std::optional<std::string>> next) {
                           if (!next.value) return self->End();
                           self->tenant_ = *std::move(next.value);
                           self->beginning_ = std::begin(kDrawn);
                           self->Next("");
                         });
  }

  void Next(std::string page_token) {
    if (cancelled_) return End();
    if (beginning_ == std::end(kDrawn)) return NextTenant(tenant_);
    wall_ = absl::InfiniteFuture();
    ahead_by_ = absl::ZeroDuration();
    LookAtClock();
    sessions_.List(tenant_, *beginning_, std::move(page_token), kUnnamedPage,
                   [self = shared_from_this()](session::Outcome<SessionPage> page) { self->OnPage(std::move(page)); });
  }

  void End() {
    unchanged_.EndWalk();
    ended_ = true;
  }

  void OnPage(session::Outcome<SessionPage> page) {
    LookAtClock();
    for (const session::SessionInfo& session : page.value.sessions) {
      if (session.attached || !IsUnnamed(session.session_id) || !WasSilent(session)) continue;
      ++deleting_;
      sessions_.Delete(tenant_, session.session_id, session.epoch,
                       [self = shared_from_this()](const session::Outcome<std::monostate>& outcome) {
                         if (!outcome.refusal) ++self->deleted_;
                         --self->deleting_;
                       });
    }
    if (page.value.next_page_token.empty()) ++beginning_;
    Next(std::move(page.value.next_page_token));
  }

  void LookAtClock() {
    const absl::Time wall = clock_.Wall();
    wall_ = std::min(wall_, wall);
    ahead_by_ = std::max(ahead_by_, clock_.Now() - wall);
  }

  // The time of a resident session follows the wall clock (Clock::WallAt). The time of a session at rest is a stamp, as
  // Clock::WallOf shows stamps.
  // A server says nothing of a session that its stream leaves quiet, so a session that another server left open counts
  // as left once the record has stood unchanged for the longest stream.
  bool WasSilent(const session::SessionInfo& session) {
    if (session.left_open) {
      const UnchangedSessions::Sign word = {session.epoch, session.last_active};
      return unchanged_.Stood(KeyOf(session), word, clock_.Now(), ttl_ + kLongestStream);
    }
    if (session.resident) return session.last_active <= wall_ - ttl_;
    const absl::Time stamp = session.last_active + ahead_by_, earliest = std::min(wall_, clock_.Now());
    if (stamp <= earliest) return stamp <= earliest - ttl_;
    const UnchangedSessions::Sign opened = {session.epoch, absl::UnixEpoch()};  // a use opens the session
    return unchanged_.Stood(KeyOf(session), opened, clock_.Now(), ttl_);
  }

  std::string KeyOf(const session::SessionInfo& session) const {
    return session::SessionKey(tenant_, session.session_id);
  }

  Sessions& sessions_;
  const session::Clock& clock_;
  const absl::Duration ttl_;
  absl::Time wall_;              // the earliest since the page was asked for
  absl::Duration ahead_by_;      // the most, ahead of Now, since the page was asked for
  UnchangedSessions unchanged_;  // sessions with stamps ahead of the clock, or left open by another server
  std::string tenant_;           // whose sessions are looked at
  const char* const* beginning_ = nullptr;
  std::atomic<size_t> deleting_{0}, deleted_{0};
  std::atomic<bool> cancelled_{false}, ended_{false};
};

UnnamedSessions::UnnamedSessions(Sessions& sessions, absl::Duration ttl, const session::Clock& clock)
    : sessions_(sessions), ttl_(ttl), clock_(clock) {}

UnnamedSessions::~UnnamedSessions() {
  looking_.reset();
  if (sweep_ != nullptr) sweep_->Cancel();
}

void UnnamedSessions::Start() {
  const absl::Duration period = std::clamp(ttl_ / 10, kShortestPeriod, kLongestPeriod);
  looking_.emplace(period, [this, period] {
    Look();
    return period;
  });
}

bool UnnamedSessions::looking() const { return sweep_ != nullptr && !sweep_->ended(); }

void UnnamedSessions::Look() {
  if (looking()) return;  // the store takes its time
  if (sweep_ != nullptr && sweep_->deleted() > 0) {
    log::Log(log::LogLevel::kInfo, "sessions that nobody named have ended",
             {{"sessions", absl::StrCat(sweep_->deleted())}, {"silent_for", absl::FormatDuration(ttl_)}});
  }
  UnchangedSessions unchanged = sweep_ != nullptr ? sweep_->TakeUnchanged() : UnchangedSessions();
  sweep_ = std::make_shared<Sweep>(sessions_, clock_, ttl_, std::move(unchanged));
  sweep_->Begin();
}

}  // namespace aaren::registrar
