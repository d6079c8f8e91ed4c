#include "server/store/redis/redis_scripts.h"

#include "absl/strings/str_cat.h"

namespace aaren::store {
namespace {

// Refused while Redis is full.
constexpr char kWrites[] = "#!lua";
constexpr char kWritesInLittle[] = "#!lua flags=allow-oom";  // also while Redis is full
constexpr char kReads[] = "#!lua flags=no-writes";

constexpr char kCheckFence[] = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return redis.error_reply('FENCED it has forgotten this connection: it lost data, or there is a later connection')
end
)";

// In a slot bytes 1 to 8 are the writer's epoch, 9 to 16 the seq; both together name the rows. Bytes of seqs are
// compared one by one: Lua's own comparison of strings follows the locale.
constexpr char kSlots[] = R"(
local function seq_of(slot) return string.sub(slot, 9, 16) end
local function rows_of(slot) return string.sub(slot, 1, 16) end
local function is_above(a, b)
  for i = 8, 1, -1 do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x > y end
  end
  return false
end
)";

// Epochs follow the time in microseconds, and never begin again: whatever data Redis has lost, new epochs are larger
// than all before. Numbers of Lua are exact up to 2^53.
constexpr char kEpochs[] = R"(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
if last < now then redis.call('SET', KEYS[3], string.format('%.0f', now)) end
return redis.call('INCRBY', KEYS[3], ARGV[2])
)";

// The save to keep must be stored, and the newest save must be the loaded one: another server may have saved since, and
// told its client. 0 also stands for the empty row, which counts unless the first save is durable. The script finds
// delivered_seq in the header's bytes: behind 17 bytes of version, epoch and incarnation, three strings and 8 bytes of
// numerics version and channels. Strings of Lua begin at 1.
constexpr char kAcquire[] = R"(
local function delivered_seq(header)
  local at = 18
  for _ = 1, 3 do
    local low, high = string.byte(header, at, at + 1)
    at = at + 2 + low + 256 * high
  end
  return string.sub(header, at + 8, at + 15)
end
local function newest_seq(held)
  local newest = string.rep('\0', 8)
  for i = 2, 3 do
    local seq = held[i] and seq_of(held[i])
    if seq and is_above(seq, newest) then newest = seq end
  end
  return newest
end
local function is_kept(held, keep)
  local first
  for i = 2, 3 do
    local seq = held[i] and seq_of(held[i])
    if seq == keep then return true end
    if seq and (not first or is_above(first, seq)) then first = seq end
  end
  return keep == string.rep('\0', 8) and (not first or is_above(first, delivered_seq(held[1])))
end
local key = KEYS[3]
local member, expected, keep, newest, header = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local held = redis.call('HMGET', key, 'h', 's0', 's1')
if held[1] then
  if expected == '' or string.sub(held[1], 1, #expected) ~= expected then return held end
  if keep ~= '' and not is_kept(held, keep) then return held end
  if newest ~= '' and newest_seq(held) ~= newest then return held end
elseif expected ~= '' then
  return held
end
local stays, fields, gone, at = {h = true}, {'h', header}, {}, 7
for i = 0, 1 do
  local slot = held[i + 2]
  if slot and keep ~= '' and seq_of(slot) == keep then
    stays['s' .. i], stays[rows_of(slot)] = true, true
  elseif ARGV[at] then
    fields[#fields + 1], fields[#fields + 2] = 's' .. i, ARGV[at]
    fields[#fields + 1], fields[#fields + 2] = rows_of(ARGV[at]), ARGV[at + 1]
    stays['s' .. i], stays[rows_of(ARGV[at])] = true, true
    at = at + 2
  end
end
for _, field in ipairs(redis.call('HKEYS', key)) do
  if not stays[field] then gone[#gone + 1] = field end
end
redis.call('HSET', key, unpack(fields))
if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
redis.call('ZADD', KEYS[2], 0, member)
return 1
)";

// A Redis that has gone back a little may have lost the save to keep: then the newest save before it stays. Rows in the
// arguments take no more room than the rows thrown away. They come after later calls, and may be late. ARGV[1] is the
// connection's number; each key from KEYS[3] on has five arguments.
constexpr char kSave[] = R"(
local function keepable(held, keep)
  local best = ''
  for i = 2, 3 do
    local seq = held[i] and seq_of(held[i])
    if seq and keep ~= '' and not is_above(seq, keep) and (best == '' or is_above(seq, best)) then best = seq end
  end
  return best == '' and keep or best
end
local function refuse(key, held, slot)
  local name = rows_of(slot)
  if not (held[2] and rows_of(held[2]) == name or held[3] and rows_of(held[3]) == name) then
    redis.call('HDEL', key, name)
  end
  return held[1] or ''
end
local function put(key, held, keep, header, slot, rows)
  local name, used, gone, room = rows_of(slot), {}, {}, 0
  if keep ~= '' then keep = keepable(held, keep) end
  for i = 0, 1 do
    local known = held[i + 2]
    if known and keep ~= '' and seq_of(known) == keep then
      used[i] = true
    elseif known then
      if rows ~= '' and is_above(seq_of(known), seq_of(slot)) then return redis.error_reply('ERR a later save came') end
      if rows_of(known) ~= name then gone[#gone + 1] = rows_of(known) end
      if rows ~= '' then room = room + redis.call('HSTRLEN', key, rows_of(known)) end
    end
  end
  local target, other = used[0] and 's1' or 's0', used[0] and 's0' or 's1'
  if rows ~= '' then
    if #rows > room then return redis.error_reply('OOM there is no room for a save beside the one that stays') end
  elseif redis.call('HEXISTS', key, name) == 0 then
    return redis.error_reply('NOROWS they did not come')
  end
  if held[other == 's0' and 2 or 3] and not used[other == 's0' and 0 or 1] then gone[#gone + 1] = other end
  if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
  if rows == '' then
    redis.call('HSET', key, 'h', header, target, slot)
  else
    redis.call('HSET', key, 'h', header, target, slot, name, rows)
  end
  return 1
end
-- As put, for most saves: one other at most, which goes.
local function put_alone(key, old, header, slot)
  local name = rows_of(slot)
  if redis.call('HEXISTS', key, name) == 0 then return redis.error_reply('NOROWS they did not come') end
  redis.call('HSET', key, 'h', header, 's0', slot)
  old = old and rows_of(old)
  if old and old ~= name then redis.call('HDEL', key, old) end
  return 1
end
local results = {}
for i = 3, #KEYS do
  local at, key = 5 * i - 13, KEYS[i]
  local expected = ARGV[at]
  local held = redis.pcall('HMGET', key, 'h', 's0', 's1')
  if held.err then
    results[#results + 1] = held
  elseif not held[1] or string.sub(held[1], 1, #expected) ~= expected then
    results[#results + 1] = refuse(key, held, ARGV[at + 3])
  elseif not held[3] and ARGV[at + 1] == '' and ARGV[at + 4] == '' then
    results[#results + 1] = put_alone(key, held[2], ARGV[at + 2], ARGV[at + 3])
  else
    results[#results + 1] = put(key, held, ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
  end
end
return results
)";

// Where the session is gone, the rows sent ahead have made a hash of their own.
constexpr char kDropRows[] = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  for i = 3, #KEYS do
    if redis.pcall('HEXISTS', KEYS[i], 'h') == 0 then redis.call('DEL', KEYS[i]) end
  end
end
)";

// A deletion that expects "*" takes any session, damaged or not.
constexpr char kDelete[] = R"(
local expected = ARGV[3]
if expected ~= '*' then
  local held = redis.call('HGET', KEYS[3], 'h')
  if not held and expected ~= '' then return '' end
  if held and (expected == '' or string.sub(held, 1, #expected) ~= expected) then return held end
end
redis.call('DEL', KEYS[3])
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
)";

// Keys of the set without a session are left out.
constexpr char kList[] = R"(
local from, to, left = ARGV[2], ARGV[3], tonumber(ARGV[4])
local page = {}
while left > 0 do
  local asked = left
  local members = redis.call('ZRANGEBYLEX', KEYS[2], from, to, 'LIMIT', 0, asked)
  for _, member in ipairs(members) do
    local held = redis.pcall('HMGET', ARGV[5] .. member, 'h', 's0', 's1')
    if held.err or held[1] or held[2] or held[3] then
      page[#page + 1] = member
      for i = 1, 3 do page[#page + 1] = not held.err and held[i] end
      left = left - 1
    end
  end
  if #members < asked then break end
  from = '(' .. members[#members]
end
return page
)";

// Only a later connection may take a connection's place.
constexpr char kHello[] = R"(
local fence = redis.call('GET', KEYS[1])
if not fence or tonumber(fence) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4]) end
local identity = redis.call('GET', KEYS[3])
if not identity then
  identity = ARGV[2]
  redis.call('SET', KEYS[3], identity)
end
if tonumber(redis.call('GET', KEYS[4]) or '0') < tonumber(ARGV[3]) then redis.call('SET', KEYS[4], ARGV[3]) end
return {identity, fence or ''}
)";

}  // namespace

std::string TextOfScript(RedisScript script) {
  switch (script) {
    case RedisScript::kEpochs:
      return absl::StrCat(kWritesInLittle, kCheckFence, kEpochs);
    case RedisScript::kCreate:
      return absl::StrCat(kWrites, kCheckFence, kSlots, kAcquire);
    case RedisScript::kAcquire:
      return absl::StrCat(kWritesInLittle, kCheckFence, kSlots, kAcquire);
    case RedisScript::kSave:
      return absl::StrCat(kWritesInLittle, kDropRows, kCheckFence, kSlots, kSave);
    case RedisScript::kDelete:
      return absl::StrCat(kWritesInLittle, kCheckFence, kDelete);
    case RedisScript::kList:
      break;
  }
  return absl::StrCat(kReads, kList);
}

std::string TextOfHello() { return absl::StrCat(kWritesInLittle, kHello); }

}  // namespace aaren::store
