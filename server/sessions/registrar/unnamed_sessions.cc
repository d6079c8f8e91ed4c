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

namespace aaren::registrar {
namespace {

constexpr const char* kDrawn[] = {"stream-", "evaluate-"};  // beginnings of ids that clients draw
constexpr size_t kDigits = 16;                              // behind the beginning; then nothing, or '-' and more
constexpr size_t kUnnamedPage = 200;
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

// One look: page after page of each list. Lives as long as an answer is to come.
class UnnamedSessions::Sweep : public std::enable_shared_from_this<Sweep> {
 public:
  Sweep(Sessions& sessions, const session::Clock& clock, std::vector<std::string> tenants, absl::Duration ttl)
      : sessions_(sessions), last_(clock.Earliest() - ttl) {
    for (const std::string& tenant : tenants) {
      for (const char* beginning : kDrawn) lists_.emplace_back(tenant, beginning);
    }
  }

  void Begin() { Next(""); }

  // Nothing further is asked from now on.
  void Cancel() { cancelled_ = true; }

  bool ended() const { return ended_ && deleting_ == 0; }
  size_t deleted() const { return deleted_; }

 private:
  void Next(std::string page_token) {
    ended_ = cancelled_ || lists_.empty();
    if (ended_) return;
    const auto& [tenant, beginning] = lists_.back();
    sessions_.List(tenant, beginning, std::move(page_token), kUnnamedPage,
                   [self = shared_from_this()](session::Outcome<SessionPage> page) { self->OnPage(std::move(page)); });
  }

  // The store may be away: the next look is soon enough.
  void OnPage(session::Outcome<SessionPage> page) {
    for (const session::SessionInfo& session : page.value.sessions) {
      if (session.attached || session.last_active > last_ || !IsUnnamed(session.session_id)) continue;
      ++deleting_;
      sessions_.Delete(lists_.back().first, session.session_id, session.epoch,
                       [self = shared_from_this()](const session::Outcome<std::monostate>& outcome) {
                         if (!outcome.refusal) ++self->deleted_;
                         --self->deleting_;
                       });
    }
    if (page.value.next_page_token.empty()) lists_.pop_back();
    Next(std::move(page.value.next_page_token));
  }

  Sessions& sessions_;
  const absl::Time last_;                                   // sessions that were used since stay
  std::vector<std::pair<std::string, std::string>> lists_;  // tenants and beginnings that are left
  std::atomic<size_t> deleting_{0}, deleted_{0};
  std::atomic<bool> cancelled_{false}, ended_{false};
};

UnnamedSessions::UnnamedSessions(Sessions& sessions, Tenants tenants, absl::Duration ttl, const session::Clock& clock)
    : sessions_(sessions), tenants_(std::move(tenants)), ttl_(ttl), clock_(clock) {}

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
  sweep_ = std::make_shared<Sweep>(sessions_, clock_, tenants_(), ttl_);
  sweep_->Begin();
}

}  // namespace aaren::registrar
