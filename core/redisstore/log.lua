-- log.lua: the charges of SlidingLog.
--
-- KEYS   any number of records, in groups of equal arguments; on a Cluster all of one slot.
-- ARGV   for each group: how many of the keys are its own, 1 to charge or 0 to ask only, the cost, the number of limits
--        n, and for each limit L and W in ms. What follows the last key's group is not read.
-- Reply  one string: the clock in ms (6 bytes), then for each key n times 16 bytes, as of the clock and before any
--        charge: the sum of the last W (4), the time of the newest charge (6), and the time of the charge whose leaving
--        makes room for the cost (6). A time that there is not is 0. A key that holds anything but a record is answered
--        by 16n bytes of 255, and left alone.
--
-- Numbers in records and replies are big-endian and unsigned. A record is a total (4 bytes), n row numbers (4 bytes
-- each), and rows, oldest first, one a charge: the running total mod 2^32 up to and with it (4 bytes), and its time by
-- each limit (6 bytes each). Sums are differences of totals, so that searches are binary; the first total is the one
-- before the first row. A limit's row number, from 0, is its first row: the ones before it are of a time that the limit
-- has forgotten, because the clock stepped back behind it by more than W. Times differ between limits only after that;
-- from that row on, they never decrease.
--
-- All limits of a key admit its cost, or none is charged. Only a charge writes: a refusal, a question and a cost of 0
-- leave no trace; but a refusal that finds a limit's charges more than a window ahead, behind a clock that has stepped
-- back, forgets them, as the clock may have come to them by the end of the wait. A charge adds a row, or adds to the last one if that is of the same time; rows that no limit needs any more
-- are dropped when they are half of all, so that most charges write one row only. A record expires when its newest
-- charge has left the longest window.
--
-- It never waits, or fails for what one key holds.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local byte, char, sub, floor, max = string.byte, string.char, string.sub, math.floor, math.max

local function pack(x)
  return char(floor(x / 16777216), floor(x / 65536) % 256, floor(x / 256) % 256, x % 256)
end

local function packTime(x)
  return pack(floor(x / 65536)) .. char(floor(x / 256) % 256, x % 256)
end

local function unpack(s, at)
  local a, b, c, d = byte(s, at, at + 3)
  return a * 16777216 + b * 65536 + c * 256 + d
end

local function unpackTime(s, at)
  local a, b = byte(s, at + 4, at + 5)
  return unpack(s, at) * 65536 + a * 256 + b
end

-- search is the first number from low up to high at which holds is true, high if at none. Where it is true, it must be
-- so for all that follow.
local function search(low, high, holds)
  while low < high do
    local middle = floor((low + high) / 2)
    if holds(middle) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local reply = { packTime(now) }

-- Of the group that the loop is in: its arguments, and the shape of its records.
local left, arg = 0, 1
local take, cost, n
local limit, window = {}, {}
local header, width, foreign

for k = 1, #KEYS do
  if left == 0 then
    left, take = tonumber(ARGV[arg]), ARGV[arg + 1] == '1'
    cost, n = tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3])
    arg = arg + 4
    for i = 1, n do
      limit[i], window[i] = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1])
      arg = arg + 2
    end
    header, width, foreign = 4 + 4 * n, 4 + 6 * n, string.rep('\255', 16 * n)
  end
  left = left - 1

  local stored = redis.pcall('GET', KEYS[k])
  local record = stored or string.rep('\0', header)
  local ours = type(record) == 'string' and #record >= header and (#record - header) % width == 0
  local rows = ours and (#record - header) / width
  for i = 1, n do
    ours = ours and unpack(record, 4 * i + 1) <= rows
  end
  if not ours then
    reply[#reply + 1] = foreign
  else
    local function total(row) -- up to and with row, which may be -1
      if row < 0 then
        return unpack(record, 1)
      end
      return unpack(record, header + row * width + 1)
    end
    local function at(row, i)
      return unpackTime(record, header + row * width + 6 * i - 1)
    end

    local first, charge = {}, {} -- each limit's first row, and the time at which it is charged
    local admitted, same, forgot = true, true, {} -- forgot: the limits whose charges are more than a window ahead
    local life, oldest = 0, rows
    for i = 1, n do
      local W, newest, room = window[i], 0, 0
      first[i], charge[i] = unpack(record, 4 * i + 1), now
      if first[i] < rows then
        newest = at(rows - 1, i)
        if newest > now + W then
          first[i], newest = rows, 0
          forgot[#forgot + 1] = i
        else
          charge[i] = max(now, newest)
          local gone = charge[i] - W -- a charge at this time has left
          first[i] = search(first[i], rows, function(row) return at(row, i) > gone end)
          if first[i] == rows then
            newest = 0
          end
        end
      end
      local before = total(first[i] - 1)
      local sum = (total(rows - 1) - before) % 4294967296
      if sum + cost > limit[i] then
        admitted = false
        if sum > 0 then
          local over = sum + cost - limit[i]
          room = at(search(first[i], rows - 1, function(row) return (total(row) - before) % 4294967296 >= over end), i)
        end
      end
      reply[#reply + 1] = pack(sum) .. packTime(newest) .. packTime(room)
      life, oldest = max(life, charge[i] + W - now), math.min(oldest, first[i])
      same = same and first[i] < rows and at(rows - 1, i) == charge[i]
    end

    if admitted and take and cost > 0 then
      local row, firsts, dropped = pack((total(rows - 1) + cost) % 4294967296), '', 0
      if 2 * oldest >= rows then
        dropped = oldest
      end
      for i = 1, n do
        row, firsts = row .. packTime(charge[i]), firsts .. pack(first[i] - dropped)
      end
      local last = header + rows * width -- where the row goes
      if same then
        last = last - width
      end
      if not stored or dropped > 0 then
        local kept = sub(record, header + dropped * width + 1, last)
        record = pack(total(dropped - 1)) .. firsts .. kept .. row
        redis.call('SET', KEYS[k], record, 'PX', tostring(life))
      else
        if #forgot > 0 then
          redis.call('SETRANGE', KEYS[k], '4', firsts)
        end
        redis.call('SETRANGE', KEYS[k], tostring(last), row)
        redis.call('PEXPIRE', KEYS[k], tostring(life))
      end
    elseif take and cost > 0 then
      for _, i in ipairs(forgot) do
        redis.call('SETRANGE', KEYS[k], tostring(4 * i), pack(rows))
      end
    end
  end
end

return table.concat(reply)
