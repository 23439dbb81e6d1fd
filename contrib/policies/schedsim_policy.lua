-- SPDX-License-Identifier: GPL-3.0-or-later
-- A scheduling policy as a program in Lua 5.3 or later: fill a table, call run().
--
--     local schedsim_policy = require("schedsim_policy")
--     schedsim_policy.run({
--       name = "fifo",
--       decide = function(state, plan)
--         for _, vc in ipairs(state.touched) do plan:queue(state:waiting(vc)) end
--       end,
--     })
--
-- `schedsim policy new mine.lua` writes a policy that runs. This file needs
-- nothing but Lua. docs/policy-protocol.md describes the lines that it exchanges
-- with the simulator. Times are whole microseconds since the start of the run.
-- Print messages to io.stderr: standard output belongs to the simulator. Do not
-- let `pairs` decide: the order of a table's names differs from run to run.
--
-- The table of a policy:
--   name      1 to 40 letters, digits, "-", "_" and "."
--   needs     abilities that the run must grant: "duration" (beliefs on run
--             times), "demand", "preempt" (to stop jobs), "share"
--   asks      "possible" (default): a decision is requested when a start can
--             have become possible; "always": whenever something happens
--   begin     optional: function(state), called before the first job
--   decide    function(state, plan)
local M = { SECOND = 1000000 }

local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
local LITERALS = { ["true"] = true, ["false"] = false }

-- Reads JSON. A null becomes nil, so a key whose value is null is left out.
local function decode(text)
  local at, value = 1, nil
  local function next_char()
    at = text:find("%S", at)
    return text:sub(at, at)
  end
  local function code()
    local n = tonumber(text:sub(at + 2, at + 5), 16)
    at = at + 6
    return n
  end
  local function escaped()
    local c = text:sub(at + 1, at + 1)
    if c ~= "u" then
      at = at + 2
      return ESCAPES[c] or c
    end
    local n = code()
    if n >= 0xD800 and n < 0xDC00 then -- the first half of a pair
      n = 0x10000 + (n - 0xD800) * 0x400 + code() - 0xDC00
    end
    return utf8.char(n)
  end
  local function words()
    local parts = {}
    at = at + 1
    while text:sub(at, at) ~= '"' do
      local from = at
      at = text:find('["\\]', at)
      parts[#parts + 1] = text:sub(from, at - 1)
      if text:sub(at, at) == "\\" then parts[#parts + 1] = escaped() end
    end
    at = at + 1
    return table.concat(parts)
  end
  local function list()
    local out, n = {}, 0
    at = at + 1
    while next_char() ~= "]" do
      n = n + 1
      out[n] = value()
      if next_char() == "," then at = at + 1 end
    end
    at = at + 1
    return out
  end
  local function object()
    local out = {}
    at = at + 1
    while next_char() ~= "}" do
      local key = words()
      next_char()
      at = at + 1 -- the colon
      out[key] = value()
      if next_char() == "," then at = at + 1 end
    end
    at = at + 1
    return out
  end
  function value()
    local c = next_char()
    if c == "{" then return object() end
    if c == "[" then return list() end
    if c == '"' then return words() end
    local from, to = text:find("^[%w.+-]+", at)
    at = to + 1
    local word = text:sub(from, to)
    if LITERALS[word] ~= nil then return LITERALS[word] end
    return tonumber(word)
  end
  return value()
end

-- What the policy may know.
--   now_us    time of the decision
--   touched   numbers of the virtual clusters that changed since the last one
--   events    what has happened since then; event.job is a job
--   jobs      jobs by number. A job has id, gpus, vc, submitted_us; if known
--             gpu_type, declared_us, user, name, model, batch_size, deadline_us,
--             priority; beliefs: remaining_us, gpu_util, gpu_memory_mib; state,
--             starts (of attempts), started_us, on (where it runs), attained_us
--             (GPU-microseconds of ended attempts). `mine` is for the policy.
--   vcs, nodes, gpu_types, seed, zero_us, share_limit: docs/policy-protocol.md
local State = {}
State.__index = State

local function state_new(begin)
  local state = setmetatable(begin, State)
  state.now_us, state.touched, state.events = 0, {}, {}
  state.jobs, state.queues, state.free_gpus = {}, {}, {}
  for vc = 0, #state.vcs - 1 do
    state.free_gpus[vc] = 0
    state.queues[vc] = { waiting = { n = 0 }, running = { n = 0 } }
  end
  return state
end

-- Returns the number of GPUs of the virtual cluster that no job holds.
function State:free(vc) return self.free_gpus[vc] end

local function live(queue)
  local out, n = {}, 0
  for i = 1, queue.n do
    if queue[i] then
      n = n + 1
      out[n] = queue[i]
    end
  end
  for i = 1, queue.n do -- closes the gaps that jobs have left
    queue[i] = out[i]
    if out[i] then out[i].place = i end
  end
  queue.n = n
  return out
end

-- Returns a new list of the waiting jobs, in the order in which they began to
-- wait.
function State:waiting(vc) return live(self.queues[vc].waiting) end

-- Returns a new list of the running jobs, in the order of their starts.
function State:running(vc) return live(self.queues[vc].running) end

function State:leave(job, at_us)
  if job.queue then job.queue[job.place] = false end
  job.queue = nil
  if job.on then
    job.attained_us = job.attained_us + (at_us - job.started_us) * job.gpus
    job.on = nil
  end
end

function State:enter(job, name)
  local queue = self.queues[job.vc][name]
  queue.n = queue.n + 1
  queue[queue.n] = job
  job.queue, job.place, job.state = queue, queue.n, name
end

function State:wait(job, at_us)
  self:leave(job, at_us)
  self:enter(job, "waiting")
end

local function believe(job, facts)
  job.remaining_us = facts.remaining_us
  job.gpu_util = facts.gpu_util
  job.gpu_memory_mib = facts.gpu_memory_mib
end

function State:submitted(facts, at_us)
  local job = self.jobs[facts.id]
  if job then
    believe(job, facts)
  else
    job = facts
    job.starts, job.attained_us = 0, 0
    self.jobs[job.id] = job
  end
  self:wait(job, at_us)
  return job
end

function State:start(job, on, at_us)
  self:leave(job, at_us)
  self:enter(job, "running")
  job.starts, job.started_us, job.on = job.starts + 1, at_us, on
end

function State:changed(job, event)
  if event.event == "belief" then
    believe(job, event)
  elseif event.state == "waiting" then
    believe(job, event)
    self:wait(job, event.at_us)
  elseif event.state ~= "running" then
    self:leave(job, event.at_us)
    job.state = event.state
    if event.state ~= "held" then self.jobs[job.id] = nil end
  end
end

function State:update(message)
  for _, move in ipairs(message.moves) do -- made at the last decision
    if move.stopped then
      self:wait(self.jobs[move.stopped], self.now_us)
    else
      self:start(self.jobs[move.started], move.on, self.now_us)
    end
  end
  self.now_us, self.events, self.touched = message.now_us, message.events, {}
  for _, event in ipairs(self.events) do
    if event.event == "submitted" then
      event.job = self:submitted(event.job, event.at_us)
    elseif event.event == "running" then -- the run begins from a state
      event.job = self:submitted(event.job, event.at_us)
      self:start(event.job, event.on, event.at_us)
    elseif self.jobs[event.job] then -- news may come after the end of a job
      event.job = self.jobs[event.job]
      self:changed(event.job, event)
    end
  end
  for i, vc in ipairs(message.vcs) do
    self.touched[i] = vc.vc
    self.free_gpus[vc.vc] = vc.free
    for _, known in ipairs(vc.running or {}) do
      if known[2] then self.jobs[known[1]].remaining_us = known[2] end
    end
  end
end

-- The plan of one decision, carried out in order. A plan that breaks a rule ends
-- the run with the name of the rule.
local Plan = {}
Plan.__index = Plan

local function add(plan, action) plan[#plan + 1] = action end

local function add_list(plan, verb, jobs)
  local ids = {}
  for i, job in ipairs(jobs) do ids[i] = job.id end
  if #ids > 0 then
    add(plan, ('{"%s":[%s]}'):format(verb, table.concat(ids, ",")))
  end
end

-- Starts a job, which must fit; the placer of the run chooses the GPUs.
function Plan:start(job) add(self, ('{"start":%d}'):format(job.id)) end

-- Starts jobs of one virtual cluster in order until one does not fit.
function Plan:queue(jobs) add_list(self, "queue", jobs) end

-- Starts each job that fits, in order.
function Plan:fill(jobs) add_list(self, "fill", jobs) end

function Plan:stop(job) add(self, ('{"stop":%d}'):format(job.id)) end

-- Starts a job on the GPUs of a running job.
function Plan:share(job, resident)
  add(self, ('{"share":%d,"with":%d}'):format(job.id, resident.id))
end

-- Requests a decision at a time after now, even if nothing happens until then.
function Plan:wake_at(at_us) add(self, ('{"wake_us":%d}'):format(at_us)) end

-- Requests no decision before a time, except at the next wake.
function Plan:rest_until(at_us)
  add(self, ('{"rest_until_us":%d}'):format(at_us))
end

local function introduction(policy, protocol)
  if protocol ~= 1 then error("this helper speaks protocol 1 only") end
  local needs = {}
  for i, need in ipairs(policy.needs or {}) do needs[i] = '"' .. need .. '"' end
  return ('{"protocol":1,"name":"%s","needs":[%s],"asks":"%s"}'):format(
    policy.name or "lua", table.concat(needs, ","), policy.asks or "possible")
end

-- Answers the simulator until it closes standard input.
function M.run(policy)
  local state
  for line in io.lines() do
    local message, answer = decode(line), '{"ready":true}'
    if message.say == "decide" then
      local plan = setmetatable({}, Plan)
      state:update(message)
      policy.decide(state, plan)
      answer = ('{"number":%d,"plan":[%s]}'):format(
        message.number, table.concat(plan, ","))
    elseif message.say == "hello" then
      answer = introduction(policy, message.protocol)
    else
      state = state_new(message)
      if policy.begin then policy.begin(state) end
    end
    io.write(answer, "\n")
    io.flush()
  end
end

return M
