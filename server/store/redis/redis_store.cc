#include "server/store/redis/redis_store.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/store/held.h"
#include "server/store/redis/redis_error.h"
#include "server/store/redis/redis_session.h"
#include "server/store/stored_header.h"

namespace aaren {
namespace {

// Of one script: Redis does nothing else meanwhile.
constexpr size_t kScriptSaves = 64;
constexpr size_t kScriptBytes = 256 << 10;
constexpr char kStagedMs[] = "600000";  // for which rows wait for their script
constexpr int kReads = 3;

using Reply = absl::StatusOr<const redisReply*>;

absl::Status Named(const std::string& key, const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(absl::StrCat("session '", key, "': ", status.message()));
}

// What a script says whose rows were not staged: why, if that is known.
absl::Status NotStaged(const absl::Status& status, const absl::Status& staged) {
  return absl::StrContains(status.message(), "no such key") && !staged.ok() ? staged : status;
}

absl::Status NotUnderstood() { return absl::UnavailableError("redis has answered what it was not asked"); }

// What a script that compares has answered. `compare` says of the header that it found why nothing was written.
template <typename Compare>
WriteResult ParseWritten(const std::string& key, const redisReply& reply, Compare compare) {
  if (reply.type == REDIS_REPLY_INTEGER) return {};
  if (reply.type == REDIS_REPLY_ERROR) return {Named(key, FromRedisError(TextOf(reply))), 0};
  if (reply.len == 0) return compare(nullptr);
  const absl::StatusOr<StoredHeader> held = ParseHeader(key, TextOf(reply));
  return held.ok() ? compare(&*held) : WriteResult{held.status(), 0};
}

// A script that wrote nothing had a reason.
WriteResult Refused(WriteResult why) {
  if (why.status.ok()) why.status = NotUnderstood();
  return why;
}

// Of an acquisition: it answers all that it found.
WriteResult ParseAcquired(const std::string& key, uint64_t held_epoch, const Kept& kept, const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return {};
  const absl::StatusOr<StoredHeader> held = ParseRedisSession(key, {reply.element, reply.elements});
  if (!held.ok() && !absl::IsNotFound(held.status())) return {held.status(), 0};
  WriteResult result = CompareHeld(key, held.ok() ? &*held : nullptr, held_epoch);
  if (!result.status.ok() || !held.ok()) return Refused(std::move(result));
  std::vector<uint64_t> seqs;
  for (const StoredSlot& slot : held->slots) seqs.push_back(slot.point.seq);
  return Refused(CompareKept(*held, seqs, kept));
}

// Of a call's keys, those of rows: each behind that of its session.
std::vector<std::string> RowsAmong(const std::vector<std::string>& keys) {
  std::vector<std::string> rows;
  for (size_t i = 1; i < keys.size(); i += 2) rows.push_back(keys[i]);
  return rows;
}

// The saves of one call, which several scripts do.
struct SaveBatch {
  std::vector<SessionHeader> writers;  // of each
  std::vector<WriteResult> results;
  size_t left = 0;      // results to come
  absl::Status staged;  // why rows were not
  StateStore::Answer<std::vector<WriteResult>> answer;

  void OnReply(size_t begin, size_t end, const Reply& reply) {
    const bool whole = reply.ok() && (*reply)->type == REDIS_REPLY_ARRAY && (*reply)->elements == end - begin;
    for (size_t i = begin; i < end; ++i) {
      results[i] = whole ? ResultOf(i, *(*reply)->element[i - begin])
                         : WriteResult{reply.ok() ? NotUnderstood() : reply.status(), 0};
      results[i].status = NotStaged(results[i].status, staged);
    }
    left -= end - begin;
    if (left == 0) answer(std::move(results));
  }

  WriteResult ResultOf(size_t i, const redisReply& reply) const {
    return ParseWritten(writers[i].key, reply,
                        [&](const SessionHeader* held) { return Refused(CompareWriter(held, writers[i])); });
  }
};

// As the scripts have it.
std::string RowsKeyOf(std::string session, char slot) {
  session += '\0';
  session += slot;
  return session;
}

// Where keys with the prefix begin and end, as ZRANGEBYLEX has it.
std::string FirstWith(const std::string& prefix, const std::string& after) {
  return after < prefix ? absl::StrCat("[", prefix) : absl::StrCat("(", after);
}

std::string EndOf(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return "+";
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return absl::StrCat("(", prefix);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisStore>> RedisStore::Open(const RedisOptions& options) {
  if (absl::Status status = CheckRedisOptions(options); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<RedisLink>> link = RedisLink::Open(options);
  if (!link.ok()) return link.status();
  return std::unique_ptr<RedisStore>(new RedisStore(options.prefix, *std::move(link)));
}

RedisStore::RedisStore(const std::string& prefix, std::unique_ptr<RedisLink> link)
    : sessions_(prefix + "session:"),
      epochs_(prefix + "epochs"),
      staged_(absl::StrCat(prefix, "staged:", link->server(), ":")),
      link_(std::move(link)) {}

std::string RedisStore::Stage(std::string rows, absl::AnyInvocable<void(const absl::Status&)> staged) {
  std::string key = absl::StrCat(staged_, ++stagings_);
  auto end = [staged = std::move(staged)](const Reply& reply) mutable { staged(reply.status()); };
  link_->Post({{}, {key}, {"SET", std::move(rows), "PX", kStagedMs}, std::move(end), {}});
  return key;
}

// What a script has refused nobody takes, and it would hold its room for minutes.
void RedisStore::Unstage(std::vector<std::string> keys) {
  if (!keys.empty()) link_->Post({{}, std::move(keys), {"DEL"}, [](const Reply&) {}, {}});
}

void RedisStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  auto end = [this, count, answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer(reply.status());
    const auto last = static_cast<uint64_t>((*reply)->integer);
    link_->NoteEpoch(last);
    answer(last - count + 1);
  };
  link_->Post({RedisScript::kEpochs, {epochs_}, {absl::StrCat(count)}, std::move(end), {}});
}

void RedisStore::Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  std::vector<std::string> keys = {KeyOf(key)};
  auto end = [key = std::move(key), answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer(Named(key, reply.status()));
    const absl::StatusOr<StoredHeader> header = ParseRedisSession(key, {(*reply)->element, (*reply)->elements});
    header.ok() ? answer(WithoutRows(*header)) : answer(header.status());
  };
  link_->Post({{}, std::move(keys), {"HMGET", "h", "s0", "s1"}, std::move(end), {}});
}

void RedisStore::Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  Read(std::move(key), kReads, std::move(answer));
}

// Two commands, header first. Between them another server may have written, and the rows are not those of the header.
// That is as rare as it looks like damage, so it is read again.
void RedisStore::Read(std::string key, int tries, Answer<absl::StatusOr<SessionRecord>> answer) {
  const std::string session = KeyOf(key);
  auto header = std::make_shared<absl::StatusOr<StoredHeader>>();
  auto on_header = [key, header](const Reply& reply) {
    *header = reply.ok() ? ParseRedisSession(key, {(*reply)->element, (*reply)->elements}) : reply.status();
  };
  auto on_rows = [this, key, header, tries, answer = std::move(answer)](const Reply& reply) mutable {
    if (!header->ok()) return answer(Named(key, header->status()));
    if (!reply.ok()) return answer(Named(key, reply.status()));
    absl::StatusOr<SessionRecord> record = WithRows(**header, {(*reply)->element, (*reply)->elements});
    if (absl::IsDataLoss(record.status()) && tries > 1) return Read(std::move(key), tries - 1, std::move(answer));
    answer(std::move(record));
  };
  link_->Post({{}, {session}, {"HMGET", "h", "s0", "s1"}, std::move(on_header), {}});
  link_->Post({{}, {RowsKeyOf(session, '0'), RowsKeyOf(session, '1')}, {"MGET"}, std::move(on_rows), {}});
}

void RedisStore::Acquire(Acquisition acquisition, Answer<WriteResult> answer) {
  SessionRecord& record = acquisition.record;
  std::vector<std::string> keys = {KeyOf(record.key)};
  std::vector<std::string> arguments = {record.key, ExpectedEpoch(acquisition.held_epoch), KeepOf(acquisition.keep_seq),
                                        KeepOf(acquisition.newest_seq), EncodeRedisHeader(record)};
  auto staged = std::make_shared<absl::Status>();
  for (SavedRows& save : record.saves) {
    arguments.push_back(EncodeRedisSlot(save));
    keys.push_back(Stage(std::move(save.rows), [staged](const absl::Status& status) { staged->Update(status); }));
  }
  auto end = [this, key = record.key, held_epoch = acquisition.held_epoch,
              kept = Kept{acquisition.keep_seq, acquisition.newest_seq}, staged,
              rows = std::vector<std::string>(keys.begin() + 1, keys.end()),
              answer = std::move(answer)](const Reply& reply) mutable {
    WriteResult result = reply.ok() ? ParseAcquired(key, held_epoch, kept, **reply)
                                    : WriteResult{NotStaged(Named(key, reply.status()), *staged), 0};
    if (!result.status.ok()) Unstage(std::move(rows));
    answer(std::move(result));
  };
  link_->Post({RedisScript::kAcquire, std::move(keys), std::move(arguments), std::move(end), {}});
}

void RedisStore::Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) {
  if (saves.empty()) return answer({});
  auto batch = std::make_shared<SaveBatch>();
  batch->results.resize(saves.size());
  batch->left = saves.size();
  batch->answer = std::move(answer);
  for (const SaveWrite& write : saves) batch->writers.push_back(write.header);
  for (size_t begin = 0, end = 0; begin < saves.size(); begin = end) {
    RedisCall call{RedisScript::kSave, {}, {}, {}, {}};
    for (size_t bytes = 0; end < saves.size() && end - begin < kScriptSaves && bytes < kScriptBytes; ++end) {
      SaveWrite& write = saves[end];
      bytes += write.save.rows.size();
      call.keys.push_back(KeyOf(write.header.key));
      call.arguments.insert(call.arguments.end(), {ExpectedWriter(write.header), KeepOf(write.keep_seq),
                                                   EncodeRedisHeader(write.header), EncodeRedisSlot(write.save)});
      call.keys.push_back(
          Stage(std::move(write.save.rows), [batch](const absl::Status& status) { batch->staged.Update(status); }));
    }
    call.answer = [this, batch, begin, end, keys = call.keys](const Reply& reply) {
      if (!reply.ok()) Unstage(RowsAmong(keys));
      batch->OnReply(begin, end, reply);
    };
    link_->Post(std::move(call));
  }
}

void RedisStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) {
  std::vector<std::string> keys = {KeyOf(key)};
  std::vector<std::string> arguments = {key, held_epoch ? ExpectedEpoch(*held_epoch) : "*"};
  auto end = [key = std::move(key), held_epoch, answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer({Named(key, reply.status()), 0});
    answer(ParseWritten(key, **reply, [&](const SessionHeader* held) {
      return Refused(CompareHeld(key, held, held_epoch.value_or(0)));
    }));
  };
  link_->Post({RedisScript::kDelete, std::move(keys), std::move(arguments), std::move(end), {}});
}

void RedisStore::List(std::string prefix, std::string after, size_t limit,
                      Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) {
  auto end = [answer = std::move(answer)](const Reply& reply) mutable {
    if (!reply.ok()) return answer(reply.status());
    constexpr size_t kFields = 4;
    std::vector<SessionRecord> page;
    for (size_t i = 0; i + kFields <= (*reply)->elements; i += kFields) {
      redisReply* const* fields = (*reply)->element + i;
      const std::string key(TextOf(*fields[0]));
      const absl::StatusOr<StoredHeader> header = ParseRedisSession(key, {fields + 1, kFields - 1});
      page.push_back(header.ok() ? WithoutRows(*header) : SessionRecord());
      page.back().key = key;  // of a damaged session no more is known
    }
    answer(std::move(page));
  };
  link_->Post({RedisScript::kList,
               {},
               {FirstWith(prefix, after), EndOf(prefix), absl::StrCat(limit), sessions_},
               std::move(end),
               {}});
}

}  // namespace aaren
