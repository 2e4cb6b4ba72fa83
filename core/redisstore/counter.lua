-- counter.lua: the counters of SlidingWindow and FixedWindow.
--
-- KEYS   any number of records, in groups of equal arguments; on a Cluster all of one slot.
-- ARGV   for each group: how many of the keys are its own, 1 to charge or 0 to ask only, 1 for SlidingWindow or 0 for
--        FixedWindow, the cost, the number of limits n, and for each limit L and W in ms. What follows the last key's
--        group is not read.
-- Reply  one string: the clock in ms (6 bytes), then for each key its record of 12n bytes as it was before any charge,
--        rolled to the clock. A key that holds anything but such a record is left alone, and answered by one whose
--        window numbers are 2 ahead of the clock, which no record's are.
--
-- Numbers in records and replies are big-endian and unsigned. A record is n window numbers, floor(start/W) mod 2^32 (4
-- bytes each), then n times the count of the previous and of the current window (4 bytes each, at most 2^32-1). The
-- numbers come first so that one comparison tells that no window has rolled.
--
-- All limits of a key admit its cost, or none is charged. Only a charge writes: a refusal, a question and a cost of 0
-- leave no trace. A record that is written expires when the last of its next windows ends. One refusal does write: one
-- behind a clock that has stepped back, which finds counts of a limit more than a window ahead. They do not count now, but
-- by the end of the wait the clock may have come to them, so it forgets them.
--
-- It never waits, loops over anything but keys and limits, or fails for what one key holds.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local byte, char, sub, floor, max = string.byte, string.char, string.sub, math.floor, math.max

local function pack(x)
  return char(floor(x / 16777216), floor(x / 65536) % 256, floor(x / 256) % 256, x % 256)
end

local function unpack(s, at)
  local a, b, c, d = byte(s, at, at + 3)
  return a * 16777216 + b * 65536 + c * 256 + d
end

local reply = { pack(floor(now / 65536)), char(floor(now / 256) % 256, now % 256) }

-- Of the group that the loop is in: its arguments, and the record that begins now.
local left, arg = 0, 1
local take, sliding, cost, n
local limit, window, number = {}, {}, {}
local head, empty, counts, foreign

for k = 1, #KEYS do
  if left == 0 then
    left, take, sliding = tonumber(ARGV[arg]), ARGV[arg + 1] == '1', tonumber(ARGV[arg + 2])
    cost, n = tonumber(ARGV[arg + 3]), tonumber(ARGV[arg + 4])
    arg = arg + 5
    head, foreign = '', ''
    for i = 1, n do
      limit[i], window[i] = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1])
      arg = arg + 2
      number[i] = floor(now / window[i]) % 4294967296
      head = head .. pack(number[i])
      foreign = foreign .. pack((number[i] + 2) % 4294967296)
    end
    empty, counts = string.rep('\0', 8 * n), tostring(4 * n)
    foreign = foreign .. empty
  end
  left = left - 1

  local stored = redis.pcall('GET', KEYS[k])
  local record = stored or head .. empty
  if type(record) ~= 'string' or #record ~= 12 * n then
    reply[#reply + 1] = foreign
  else
    local strays = nil -- the limits whose counts are more than a window ahead
    if sub(record, 1, 4 * n) ~= head then
      local numbers, rolled = '', ''
      for i = 1, n do
        local from, ahead = 4 * n + 8 * i - 7, (number[i] - unpack(record, 4 * i - 3)) % 4294967296
        if ahead == 0 then
          numbers, rolled = numbers .. sub(head, 4 * i - 3, 4 * i), rolled .. sub(record, from, from + 7)
        elseif ahead == 4294967295 then -- the clock has stepped back by a window: this is still the one to count in
          numbers, rolled = numbers .. sub(record, 4 * i - 3, 4 * i), rolled .. sub(record, from, from + 7)
        elseif ahead == 1 then
          numbers, rolled = numbers .. sub(head, 4 * i - 3, 4 * i), rolled .. sub(record, from + 4, from + 7) .. '\0\0\0\0'
        else
          numbers, rolled = numbers .. sub(head, 4 * i - 3, 4 * i), rolled .. '\0\0\0\0\0\0\0\0'
          if ahead > 2147483648 then
            strays = strays or {}
            strays[#strays + 1] = i
          end
        end
      end
      record = numbers .. rolled
    end
    reply[#reply + 1] = record

    if take and cost > 0 then
      local admitted, charged, life = true, '', 0
      for i = 1, n do
        local from, W = 4 * n + 8 * i - 7, window[i]
        local previous, current = unpack(record, from), unpack(record, from + 4)
        local elapsed = now % W
        if (unpack(record, 4 * i - 3) - number[i]) % 4294967296 == 1 then
          elapsed = elapsed - W
        end
        -- Exact, although saturated counts make the left side too large for a double: L*W is below 2^53, where every
        -- integer is a double, and rounding keeps the order.
        if previous * sliding * (W - max(elapsed, 0)) + (current + cost) * W > limit[i] * W then
          admitted = false
          break
        end
        charged = charged .. sub(record, from, from + 3) .. pack(math.min(current + cost, 4294967295))
        life = max(life, 2 * W - elapsed)
      end
      if admitted then
        if stored and sub(stored, 1, 4 * n) == sub(record, 1, 4 * n) then
          redis.call('SETRANGE', KEYS[k], counts, charged) -- and the time to live stays right: no window has changed
        else
          redis.call('SET', KEYS[k], sub(record, 1, 4 * n) .. charged, 'PX', tostring(life))
        end
      elseif strays then
        for _, i in ipairs(strays) do -- a window number as far from the clock as can be says that there is nothing
          redis.call('SETRANGE', KEYS[k], tostring(4 * i - 4), pack((number[i] + 2147483648) % 4294967296))
        end
      end
    end
  end
end

return table.concat(reply)
