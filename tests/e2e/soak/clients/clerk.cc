#include "tests/e2e/soak/clients/clerk.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace aaren::soak {
namespace {

constexpr size_t kPapers = 12;

// A context with time enough for a busy machine.
struct Context : grpc::ClientContext {
  Context() { set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60)); }
};

}  // namespace

Clerk::Clerk(World& world, std::vector<std::string> contested, std::vector<std::string> owned)
    : world_(world), chance_(world.seed, 1000), contested_(std::move(contested)), owned_(std::move(owned)) {}

bool Clerk::Connect() {
  if (connection_ && !chance_.OneIn(50)) return true;
  connection_ = Connection::Open(world_.address);
  if (connection_) stub_ = v1::Sessions::NewStub(connection_->channel());
  return connection_ != nullptr;
}

bool Clerk::Good(const std::string& id, const char* what, const grpc::Status& status,
                 std::vector<grpc::StatusCode> allowed) {
  world_.history.Count(absl::StrCat(what, status.ok() ? "" : " refused"));
  world_.history.Tell(id, "clerk ", what, " <- ", status.error_code(), " ", status.error_message());
  if (status.ok() || world_.terminating || world_.over()) return status.ok();
  if (std::find(allowed.begin(), allowed.end(), status.error_code()) == allowed.end()) {
    world_.history.Accuse(id, absl::StrCat(what, ": unexpected ", status.error_code(), " ", status.error_message()));
  }
  return false;
}

void Clerk::Turn() {
  absl::SleepFor(absl::Milliseconds(chance_.Draw(60)));
  if (!Connect()) return;
  const std::string& id = contested_[chance_.Draw(contested_.size())];
  const std::string& any = chance_.OneIn(2) ? id : owned_[chance_.Draw(owned_.size())];
  switch (chance_.Draw(10)) {
    case 0:
    case 1:
      return (void)Get(any);
    case 2:
      return List();
    case 3:
    case 4:
      return Export(any);
    case 5:
    case 6:
      return Import(id);
    case 7:
    case 8:
      return Fork(any);
    default:
      return chance_.OneIn(3) ? Delete(id) : void();
  }
}

// The session's present life; null without a life known here.
std::shared_ptr<Life> Clerk::Get(const std::string& id) {
  Context context;
  v1::GetSessionRequest request;
  request.set_session_id(id);
  v1::SessionInfo info;
  const Known before = world_.ledger.Before(id);
  if (!Good(id, "Get", stub_->Get(&context, request, &info), {grpc::NOT_FOUND})) return nullptr;
  world_.ledger.Described(before, info);
  const std::shared_ptr<Life> newest = world_.ledger.Newest(id);
  return newest && newest->track && newest->incarnation == info.incarnation() ? newest : nullptr;
}

void Clerk::List() {
  std::string page;
  std::string last;
  do {
    Context context;
    v1::ListSessionsRequest request;
    request.set_page_size(static_cast<uint32_t>(1 + chance_.Draw(5)));
    request.set_page_token(page);
    v1::ListSessionsResponse response;
    if (!Good("", "List", stub_->List(&context, request, &response), {})) return;
    for (const v1::SessionInfo& info : response.sessions()) {
      if (info.session_id() <= last) {
        return world_.history.Accuse(info.session_id(), absl::StrCat("List: not after ", last));
      }
      last = info.session_id();
      world_.ledger.Described(Known(), info);
    }
    page = response.next_page_token();
  } while (!page.empty() && !world_.over());
}

// The session may be replaced around the export: the source is known for sure if the same life was there before and
// after.
void Clerk::Export(const std::string& id) {
  const std::shared_ptr<Life> source = Get(id);
  Context context;
  v1::ExportSessionRequest request;
  request.set_session_id(id);
  v1::ExportSessionResponse response;
  if (!Good(id, "Export", stub_->Export(&context, request, &response), {grpc::NOT_FOUND})) return;
  if (!source || Get(id) != source) return;
  if (response.next_seq() > source->sent) {
    world_.history.Accuse(id, absl::StrCat("Export at seq ", response.next_seq(), ", sent were ", source->sent.load()));
  }
  if (papers_.size() == kPapers) papers_.erase(papers_.begin() + static_cast<ptrdiff_t>(chance_.Draw(kPapers)));
  papers_.push_back({response.snapshot(), source, response.next_seq(), id.back()});
}

void Clerk::Import(const std::string& id) {
  if (papers_.empty()) return;
  const Paper& paper = papers_[chance_.Draw(papers_.size())];
  if (paper.kind != id.back()) return;
  Context context;
  v1::ImportSessionRequest request;
  request.set_session_id(id);
  request.set_snapshot(paper.snapshot);
  request.set_replace(chance_.OneIn(2));
  const bool spoilt = chance_.OneIn(4);
  if (spoilt)
    request.mutable_snapshot()->at(chance_.Draw(paper.snapshot.size())) ^= static_cast<char>(1 << chance_.Draw(8));
  v1::SessionInfo info;
  const Known before = world_.ledger.Before(id);
  world_.ledger.BeginPlacing(id);
  const grpc::Status status = stub_->Import(&context, request, &info);
  world_.ledger.EndPlacing(id, paper.source, status.ok() ? &info : nullptr);
  if (spoilt) {
    if (status.error_code() != grpc::DATA_LOSS) {
      world_.history.Accuse(id, absl::StrCat("Import of an altered snapshot: DATA_LOSS expected, came ",
                                             status.error_code(), " ", status.error_message()));
    }
    return world_.history.Count("altered snapshots refused");
  }
  if (!Good(id, "Import", status, {grpc::ALREADY_EXISTS})) return;
  world_.ledger.Described(before, info);
  if (info.next_seq() != paper.next_seq) {
    world_.history.Accuse(id, absl::StrCat("Import at ", info.next_seq(), ", exported was ", paper.next_seq));
  }
}

void Clerk::Fork(const std::string& id) {
  const std::string& target = contested_[chance_.Draw(contested_.size())];
  if (target.back() != id.back() || target == id) return;
  const std::shared_ptr<Life> source = Get(id);
  Context context;
  v1::ForkSessionRequest request;
  request.set_session_id(id);
  request.set_new_session_id(target);
  v1::SessionInfo info;
  world_.ledger.BeginPlacing(target);
  const grpc::Status status = stub_->Fork(&context, request, &info);
  const bool known = status.ok() && source && Get(id) == source;
  if (status.ok() && !known) world_.history.Count("forks of nobody knows what");
  world_.ledger.EndPlacing(target, known ? source : nullptr, status.ok() ? &info : nullptr);
  (void)Good(target, "Fork", status, {grpc::ALREADY_EXISTS, grpc::NOT_FOUND});
}

void Clerk::Delete(const std::string& id) {
  const std::shared_ptr<Life> known = Get(id);
  Context context;
  v1::DeleteSessionRequest request;
  request.set_session_id(id);
  v1::DeleteSessionResponse response;
  const grpc::Status status = stub_->Delete(&context, request, &response);
  if (Good(id, "Delete", status, {grpc::NOT_FOUND}) && known) world_.ledger.Deleted(id, known->incarnation);
}

void Clerk::DeleteAll() {
  if (!Connect()) return;
  Context context;
  v1::ListSessionsResponse response;
  v1::ListSessionsRequest request;
  request.set_page_size(1000);
  if (!Good("", "List", stub_->List(&context, request, &response), {})) return;
  for (const v1::SessionInfo& info : response.sessions()) Delete(info.session_id());
}

}  // namespace aaren::soak
