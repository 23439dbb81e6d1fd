-- SPDX-License-Identifier: GPL-3.0-or-later
-- The policy mypolicy: the smallest waiting job first, but a job that has waited
-- for patience_s goes before all others. Change before() and decide().
--
--     schedsim policy check "exec:lua mypolicy.lua"
--     schedsim run TRACE --policy "exec:lua mypolicy.lua 7200"
--
-- schedsim_policy.lua, beside this file, says what a policy may know and do. The
-- program runs in an empty folder, so Lua is told where that file is.
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua"
local schedsim_policy = require("schedsim_policy")

local patience_us = (tonumber(arg[1]) or 3600) * schedsim_policy.SECOND

-- Returns whether job a starts before job b.
local function before(a, b, now_us)
  local a_late = now_us - a.submitted_us >= patience_us
  local b_late = now_us - b.submitted_us >= patience_us
  if a_late ~= b_late then return a_late end
  if a.gpus ~= b.gpus then return a.gpus < b.gpus end
  -- The job numbers leave no tie open: two runs must decide alike.
  return a.id < b.id
end

schedsim_policy.run({
  name = "mypolicy",
  -- "duration": job.remaining_us is known; "preempt": plan:stop is allowed
  needs = {},
  decide = function(state, plan)
    -- In other virtual clusters nothing has changed, so nothing can start.
    for _, vc in ipairs(state.touched) do
      local jobs = state:waiting(vc)
      table.sort(jobs, function(a, b) return before(a, b, state.now_us) end)
      plan:fill(jobs) -- starts each job that fits, in this order
    end
  end,
})
