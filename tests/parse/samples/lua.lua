#!/usr/bin/env lua
-- The module.

local json = require("cjson")
local util = require "lib.util"
require('side.effect')

local M = {}
VERSION = "1.0 – é 漢字"
M.limit = 10

--- Adds two numbers.
-- Both of them.
local function add(a, b)
  local sum = a + b
  return sum
end

--[[ Block comment
     about foo. ]]
function M.foo(x)
  local function inner(y) return y * 2 end
  return add(inner(x), M.limit)
end

function M:bar(...)
  for i, v in ipairs({...}) do
    print(string.format("%d", i), self.name)
  end
end

M.baz = function(cb) return cb() end
local handler = function(e) error(e) end

function a.b.c.deep() end

local Class = {
  name = "x",
  greet = function(self) return "hi " .. self.name end,
  ["odd"] = 1,
}

local one, two = 1, 2

if VERSION then
  local hidden = json.encode(M)
  util:log(hidden)
end

return M
