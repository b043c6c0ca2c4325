-- The operators of expressions and the execution of cycles, for Lua 5.4, whose integers have 64 bits.

local INCOMPLETE, NON_DETERMINISTIC = "__INCOMPLETE__", "__NON-DETERMINISTIC__"
local UNDEFINED, CONFLICT = "__UNDEFINED__", "__CONFLICT__"
local FAULTS = {[INCOMPLETE] = true, [NON_DETERMINISTIC] = true, [UNDEFINED] = true, [CONFLICT] = true}
local TOP, POP_ALL = "TOP", -1
local FAILED = {}

local function is_truth(a) return a == true or a == false end
local function is_number(a) return math.type(a) ~= nil end
local function is_whole(a) return math.type(a) == "integer" end
local function are_whole(a, b) return is_whole(a) and is_whole(b) end
local function real(d) if d - d == 0 then return d end return FAILED end
local function differs(a, b) return a ~= b or math.type(a) ~= math.type(b) end

local function plus(a, b)
  if not (is_number(a) and is_number(b)) then return FAILED end
  if not are_whole(a, b) then return real(a + b) end
  local c = a + b
  if (b >= 0 and c < a) or (b < 0 and c > a) then return FAILED end
  return c
end

local function minus(a, b)
  if not (is_number(a) and is_number(b)) then return FAILED end
  if not are_whole(a, b) then return real(a - b) end
  local c = a - b
  if (b >= 0 and c > a) or (b < 0 and c < a) then return FAILED end
  return c
end

local function quotient(a, b)
  local q = a // b
  if q < 0 and q * b ~= a then q = q + 1 end
  return q
end

local function times(a, b)
  if not (is_number(a) and is_number(b)) then return FAILED end
  if not are_whole(a, b) then return real(a * b) end
  if a == 0 or b == 0 then return 0 end
  local c = a * b
  if (a == -1 and b == math.mininteger) or (b == -1 and a == math.mininteger) then return FAILED end
  if b ~= -1 and c // b ~= a or c % b ~= 0 then return FAILED end
  return c
end

local function over(a, b)
  if not (is_number(a) and is_number(b)) or b == 0 then return FAILED end
  if not are_whole(a, b) then return real(a / b) end
  if a == math.mininteger and b == -1 then return FAILED end
  return quotient(a, b)
end

local function modulo(a, b)
  if not are_whole(a, b) or b == 0 then return FAILED end
  return math.fmod(a, b)
end

local function negative(a)
  if not is_number(a) or (is_whole(a) and a == math.mininteger) then return FAILED end
  return -a
end

local function magnitude(a)
  if is_number(a) and not is_whole(a) then return math.abs(a) end
  if is_number(a) and a >= 0 then return a end
  return negative(a)
end

local function opposite(a) if is_truth(a) then return not a end return FAILED end

local function same(a, b)
  if a == FAILED or b == FAILED then return FAILED end
  return a == b
end

local function compared(a, b, how)
  if is_number(a) and is_number(b) then return how(a, b) end
  if is_truth(a) and is_truth(b) then return how(a and 1 or 0, b and 1 or 0) end
  return FAILED
end

local function less(a, b) return compared(a, b, function(x, y) return x < y end) end
local function at_most(a, b) return compared(a, b, function(x, y) return x <= y end) end

local function both(a, b)
  if a == false or b == false then return false end
  if a == true and b == true then return true end
  return FAILED
end

local function either(a, b)
  if a == true or b == true then return true end
  if a == false and b == false then return false end
  return FAILED
end

local function choice(c, yes, no)
  if not is_truth(c) then return FAILED end
  if c then return yes end
  return no
end

local function picked(a, b, takes_first)
  if not (is_number(a) and is_number(b)) then return FAILED end
  local found = takes_first and a or b
  if are_whole(a, b) then return found end
  return found + 0.0
end

local function minimum(a, b) return picked(a, b, is_number(a) and is_number(b) and a <= b) end
local function maximum(a, b) return picked(a, b, is_number(a) and is_number(b) and a >= b) end

-- Returns the index of the only guard that is true, or a fault if there is not exactly one.
local function chosen_of(guards)
  local found, fires = nil, 0
  for i, guard in ipairs(guards) do
    if not is_truth(guard) then return nil, UNDEFINED end
    if guard then found, fires = i, fires + 1 end
  end
  if fires ~= 1 then return nil, fires > 0 and NON_DETERMINISTIC or INCOMPLETE end
  return found, nil
end

local function are_set(s, names)
  for _, name in ipairs(names) do
    if s[name] == nil then return false end
  end
  return true
end

local Network = {}
Network.__index = Network

function Network:begin(machine)
  local anew = machine.state ~= machine.initial or #machine.stack > 0
  machine.state, machine.stack = machine.initial, {}
  for name, value in pairs(machine.init) do
    if self.signals[name] == nil or differs(self.signals[name], value) then anew = true end
    self.signals[name] = value
  end
  return anew
end

-- Executes a step: reads the inputs, then runs cycles until nothing changes; `seen` is called after each cycle.
function Network:advance(outside, seen)
  self.step = self.step + 1
  for _, name in ipairs(self.inputs) do
    if outside[name] ~= nil then self.signals[name] = outside[name] end
  end
  for _, name in ipairs(self.events) do self.signals[name] = outside[name] == true end
  for _ = 1, self.cycle_limit do
    local changed = self:next()
    if seen then seen(self) end
    changed = self:act() or changed
    if self.is_over or not changed then return end
  end
end

local function lacks_states(stack, go)
  if go.pops == 0 and go.to ~= TOP then return false end
  local left = go.pops == POP_ALL and 0 or #stack - go.pops
  return left < 0 or (go.to == TOP and left + #go.push == 0)
end

function Network:next()
  self.cycle = self.cycle + 1
  local chosen, changed = {}, false
  for _, machine in ipairs(self.machines) do
    if not (machine.stopped or FAULTS[machine.state]) then
      local go, fault = machine.plan(machine.state, self.signals)
      if fault or (go and lacks_states(machine.stack, go)) then
        machine.state, changed = fault or INCOMPLETE, true
      elseif go then
        chosen[#chosen + 1] = {machine = machine, go = go}
      end
    end
  end
  return self:update(chosen) or changed
end

local function agreed(chosen)
  local values, disputed = {}, {}
  for _, each in ipairs(chosen) do
    for name, value in pairs(each.go.set) do
      if values[name] == nil then
        values[name] = value
      elseif values[name] ~= value then
        disputed[name] = true
      elseif math.type(value) == "float" then
        values[name] = value
      end
    end
  end
  return values, disputed
end

local function move(machine, go)
  local before, old = machine.state, machine.stack
  local left = go.pops == POP_ALL and 0 or #old - go.pops
  local stack = {table.unpack(old, 1, left)}
  for _, state in ipairs(go.push) do stack[#stack + 1] = state end
  machine.state = go.to == TOP and table.remove(stack) or go.to
  machine.stack = stack
  local changed = machine.state ~= before or #stack ~= #old
  for i, state in ipairs(stack) do changed = changed or state ~= old[i] end
  return changed
end

function Network:update(chosen)
  local _, disputed = agreed(chosen)
  local left, changed = {}, false
  for _, each in ipairs(chosen) do
    local fails = false
    for name in pairs(each.go.set) do fails = fails or disputed[name] end
    if fails then
      each.machine.state, changed = CONFLICT, true
    else
      left[#left + 1] = each
    end
  end
  for name, value in pairs((agreed(left))) do
    if self.signals[name] == nil or differs(self.signals[name], value) then changed = true end
    self.signals[name] = value
  end
  for _, each in ipairs(left) do changed = move(each.machine, each.go) or changed end
  return changed
end

function Network:act()
  for _, name in ipairs(self.events) do self.signals[name] = false end
  local anew = false
  for _, machine in ipairs(self.machines) do
    if machine.sinks[machine.state] or FAULTS[machine.state] then
      if machine.on_inactive == "end" then
        self.is_over = true
      elseif machine.on_inactive == "stop" then
        machine.stopped = true
      elseif machine.on_inactive == "reset" and self:begin(machine) then
        anew = true
      end
    end
  end
  return anew
end
