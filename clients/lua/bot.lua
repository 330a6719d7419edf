#!/usr/bin/env lua
-- Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. Lua 5.3 or newer, nothing else.

local BOARDS = { yodd = "hex8", xodd = "square12", odd = "hex5", yoin = "hex8", product = "hex5" }
local COLOURS = { b = "1", black = "1", w = "2", white = "2" }

local function refuse(text)
  error({ text = text })
end

-- Return the shape of a board, the names of its cells, and the adjacent cells of each by its name.
local function cells_of(board)
  local shape, size = board:match("^(%a+)%-?(%d+)$")
  size = tonumber(size)
  if not (shape == "hex" or shape == "square") then refuse("syntax error: no such board") end
  if size < 2 or size > (shape == "hex" and 13 or 25) then refuse("unacceptable size") end
  local is_hex, points = shape == "hex", {}
  local low = is_hex and 1 - size or 0
  for y = low, size - 1 do
    local number = 0
    for x = low, size - 1 do
      if not is_hex or math.abs(x + y) < size then
        number = number + 1
        table.insert(points, { x = x, y = y, name = string.char(97 + y - low) .. number })
      end
    end
  end
  local names, beside = {}, {}
  for _, here in ipairs(points) do
    table.insert(names, here.name)
    beside[here.name] = {}
    for _, there in ipairs(points) do
      local x, y = here.x - there.x, here.y - there.y
      if x * x + y * y + (is_hex and x * y or 0) == 1 then
        table.insert(beside[here.name], there.name)
      end
    end
  end
  return shape, names, beside
end

local game, shape, names, beside, own -- set by `game`
local stones, turns -- the colour of each stone by its cell, and how many turns were played

-- Return whether the number of groups is odd with some stones added.
local function is_odd_with(...)
  local added = { ... }
  for _, stone in ipairs(added) do stones[stone:sub(2)] = stone:sub(1, 1) end
  local seen, odd = {}, false
  for start in pairs(stones) do
    if not seen[start] then
      odd, seen[start] = not odd, true
      local frontier = { start }
      while #frontier > 0 do
        local here = table.remove(frontier)
        for _, there in ipairs(beside[here]) do
          if not seen[there] and stones[there] == stones[here] then
            seen[there] = true
            table.insert(frontier, there)
          end
        end
      end
    end
  end
  for _, stone in ipairs(added) do stones[stone:sub(2)] = nil end
  return odd
end

-- Return a legal turn of a colour.
local function choose(colour)
  local drops = {}
  for _, cell in ipairs(names) do
    if not stones[cell] then
      for _, one in ipairs(own and { colour } or { "1", "2" }) do table.insert(drops, one .. cell) end
    end
  end
  for i = #drops, 2, -1 do
    local j = math.random(i)
    drops[i], drops[j] = drops[j], drops[i]
  end
  local parity = game == "yodd" or game == "xodd"
  local has_second = turns > 0 and game ~= "odd" and game ~= "yoin"
  local may_pass = parity and is_odd_with()
  for _, first in ipairs(drops) do
    if may_pass and not own and math.random(10) == 1 then break end
    local alone, is_whole = first:sub(game == "yoin" and 2 or 1), not has_second
    if parity then is_whole = is_odd_with(first) end
    if is_whole then return alone end
    for _, second in ipairs(has_second and drops or {}) do
      if second:sub(2) ~= first:sub(2) and (not parity or is_odd_with(first, second)) then
        return first .. "," .. second
      end
    end
    if not parity then return alone end
  end
  return may_pass and "pass" or "resign"
end

local function colour_of(player)
  return COLOURS[player] or refuse("syntax error: expected b or w")
end

local commands = {}

function commands.protocol_version() return "2" end
function commands.name() return "Lua bot" end
function commands.version() return "1.0" end
function commands.quit() return "" end
function commands.known_command(name) return tostring(commands[name] ~= nil) end

function commands.list_commands()
  local found = {}
  for name in pairs(commands) do table.insert(found, name) end
  table.sort(found)
  return table.concat(found, "\n")
end

function commands.set_param(name, value)
  if name ~= "seed" then refuse("syntax error: no such parameter") end
  math.randomseed(math.tointeger(tonumber(value)))
  return ""
end

function commands.game(name, ...)
  if not BOARDS[name] then refuse("syntax error: no such game") end
  local options, board = " " .. table.concat({ ... }, " ") .. " ", ...
  if not board or board:find("=") then board = BOARDS[name] end
  shape, names, beside = cells_of(board)
  game = name
  own = game == "yoin" or options:find(" own_colour=on ", 1, true) ~= nil
  return commands.clear_board()
end

function commands.boardsize(size)
  if not size:match("^%d+$") then refuse("syntax error: expected a number") end
  shape, names, beside = cells_of(shape .. size)
  return commands.clear_board()
end

function commands.clear_board()
  stones, turns = {}, 0
  return ""
end

function commands.play(player, turn)
  local colour, added = colour_of(player), {}
  if not (turn == "pass" or turn == "swap" or turn == "resign") then
    for stone in (turn .. ","):gmatch("([^,]*),") do
      local digit, cell = stone:match("^([12])(.*)$")
      cell = cell or stone
      if not beside[cell] or stones[cell] or added[cell] then refuse("syntax error: " .. stone) end
      added[cell] = digit or colour
    end
  end
  for cell, one in pairs(added) do stones[cell] = one end
  turns = turns + 1
  return ""
end

function commands.genmove(player)
  local turn = choose(colour_of(player))
  commands.play(player, turn)
  return turn
end

commands.game("yodd")
for line in io.stdin:lines("L") do
  if line:sub(-1) ~= "\n" then break end -- an unfinished line is no request
  local words = {}
  local text = line:gsub("\t", " "):gsub("#.*", ""):gsub("%c", ""):lower()
  for word in text:gmatch("%S+") do table.insert(words, word) end
  local id = words[1] and words[1]:match("^%d+$") and table.remove(words, 1) or ""
  if #words > 0 or id ~= "" then
    local command = table.remove(words, 1) or ""
    local ok, reply = false, { text = "unknown command" }
    if commands[command] then ok, reply = pcall(commands[command], table.unpack(words)) end
    if not ok then reply = type(reply) == "table" and reply.text or "syntax error" end
    io.stdout:write(ok and "=" or "?", id, " ", reply, "\n\n")
    io.stdout:flush()
    if command == "quit" then break end
  end
end
