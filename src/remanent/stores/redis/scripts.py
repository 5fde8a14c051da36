"""What Redis does in one piece: a block's writes, and finding the next job."""

from __future__ import annotations

from typing import Final

# Writes documents into hashes, each with what follows from it, if all that are told to insist are as they
# were read; those that do not are left as they are where somebody else was first. Twice is once.
#
# A document: [insist, hash, field, sha1 of what was read or "", what it becomes or "", commands].
# A job that waits, runs or has ended is an entry of its kind's stream: new, pending with its worker, gone.
WRITE: Final = """
local prefix, mark, documents = ARGV[1], ARGV[2], cjson.decode(ARGV[3])
if redis.call('EXISTS', mark) == 1 then return '' end

local function is_as_read(one)
  local now = redis.call('HGET', one[2], one[3])
  if not now then return one[4] == '' end
  return one[4] ~= '' and redis.sha1hex(now) == one[4]
end

local entries = prefix .. 'entries'
local ours = {}
-- The hot window: what was appended of late, in the order in which it was written down.
function ours.HOT(stream, seq, seconds)
  local oldest = (tonumber(redis.call('TIME')[1]) - tonumber(seconds)) * 1000
  redis.call('XADD', stream, 'MINID', '~', string.format('%.0f', oldest), '*', 'seq', seq)
end
function ours.PROMISE(stream, key)
  redis.call('HSET', entries, key, redis.call('XADD', stream, '*', 'job', key))
end
local function leave(stream, worker)
  if worker ~= '' and #redis.call('XPENDING', stream, 'workers', '-', '+', '1', worker) == 0 then
    redis.call('XGROUP', 'DELCONSUMER', stream, 'workers', worker)
  end
end
function ours.LEASE(stream, key, worker, before)
  if redis.call('HEXISTS', entries, key) == 0 then ours.PROMISE(stream, key) end
  redis.pcall('XGROUP', 'CREATE', stream, 'workers', '0', 'MKSTREAM')
  redis.call('XCLAIM', stream, 'workers', worker, '0', redis.call('HGET', entries, key), 'FORCE', 'JUSTID')
  if before ~= worker then leave(stream, before) end
end
function ours.SETTLE(stream, key, worker)
  local entry = redis.call('HGET', entries, key)
  if not entry then return end
  redis.pcall('XACK', stream, 'workers', entry)
  redis.call('XDEL', stream, entry)
  redis.call('HDEL', entries, key)
  leave(stream, worker)
end

for _, one in ipairs(documents) do
  if one[1] == '1' and not is_as_read(one) then return one[3] end
end
for _, one in ipairs(documents) do
  if one[1] == '1' or is_as_read(one) then
    if one[5] == '' then redis.call('HDEL', one[2], one[3])
    else redis.call('HSET', one[2], one[3], one[5]) end
    for _, command in ipairs(one[6]) do
      if ours[command[1]] then ours[command[1]](unpack(command, 2))
      else redis.call(unpack(command)) end
    end
  end
end
redis.call('SET', mark, '1', 'EX', '300')
return ''
"""

# The key of the newest due job of the user, or else of the first user after another, in order of id, who
# has one; after the last comes the first. Users without work are no longer gone through from then on.
NEXT: Final = """
local prefix, now, only, after, kinds = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], cjson.decode(ARGV[5])
local waiting, due = prefix .. 'waiting', prefix .. 'due'
local wanted = {}
for _, kind in ipairs(kinds) do wanted[kind] = true end

local function newest(state, user)
  local jobs, from = prefix .. state .. ':' .. user, 0
  while true do
    local page = redis.call('ZRANGE', jobs, from, from + 31, 'REV', 'WITHSCORES')
    if #page == 0 then return nil end
    for n = 1, #page, 2 do
      local kind, key = string.match(page[n], '^%d+ (%S+) (.*)$')
      local at = redis.call('ZSCORE', due, key)
      if at and tonumber(at) <= now and (#kinds == 0 or wanted[kind]) then
        return {tonumber(page[n + 1]), page[n], key}
      end
    end
    from = from + 32
  end
end

local function next_of(user)
  local ready, held = newest('ready', user), newest('running', user)
  if ready and held then
    if held[1] > ready[1] or held[1] == ready[1] and held[2] > ready[2] then return held[3] end
    return ready[3]
  end
  return ready and ready[3] or held and held[3]
end

local function search(from, to)
  while true do
    local users = redis.call('ZRANGE', waiting, from, to, 'BYLEX', 'LIMIT', '0', '64')
    if #users == 0 then return nil end
    for _, user in ipairs(users) do
      local key = next_of(user)
      if key then return key end
      local count = redis.call('ZCARD', prefix .. 'ready:' .. user)
      if count + redis.call('ZCARD', prefix .. 'running:' .. user) == 0 then
        redis.call('ZREM', waiting, user)
      end
    end
    from = '(' .. users[#users]
  end
end

if only ~= '' then return next_of(only) or '' end
if #redis.call('ZRANGE', due, '-inf', ARGV[2], 'BYSCORE', 'LIMIT', '0', '1') == 0 then return '' end
if after == '' then return search('-', '+') or '' end
return search('(' .. after, '+') or search('-', '[' .. after) or ''
"""

# A document, or else the next number for one that is to be made: places in the ledger are not wasted.
NUMBER: Final = """
local text = redis.call('HGET', KEYS[1], ARGV[1])
if text then return {text, 0} end
return {false, redis.call('INCR', KEYS[2])}
"""
