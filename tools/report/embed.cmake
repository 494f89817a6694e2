# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes a header with the parts of the page of git zpack report:
#   cmake -DOUT=HEADER -DMODULES=node_modules -P embed.cmake
# The page has no libraries, and is not offered, if MODULES is empty.

cmake_minimum_required(VERSION 3.25)
set(from ${CMAKE_CURRENT_LIST_DIR})

file(READ ${from}/page.html page)
set(mark "<!-- split -->\n")
set(parts)
foreach(part head body end)
  string(FIND "${page}" "${mark}" at)
  string(SUBSTRING "${page}" 0 ${at} ${part})
  string(LENGTH "${mark}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${page}" ${at} -1 page)
endforeach()
set(end "${page}")

set(libraries "")
if(MODULES)
  foreach(name d3-path d3-hierarchy d3-shape)
    file(READ ${MODULES}/${name}/LICENSE licence)
    file(READ ${MODULES}/${name}/dist/${name}.min.js script)
    string(APPEND libraries "</script>\n<script>\n/*\n${name}\n\n${licence}*/\n${script}\n")
  endforeach()
  string(APPEND libraries "</script>\n<script>\n")
endif()
file(READ ${from}/page.css style)
file(READ ${from}/page.js script)
string(APPEND script "</script>\n")

set(header "// Made by tools/report/embed.cmake.\n#pragma once\n")
foreach(pair "Head;head" "Style;style" "Body;body" "Libraries;libraries" "Script;script" "End;end")
  list(GET pair 0 name)
  list(GET pair 1 variable)
  string(APPEND header
    "inline constexpr char kPage${name}[] = R\"zpage(${${variable}})zpage\";\n")
endforeach()
file(CONFIGURE OUTPUT ${OUT} CONTENT "@header@" @ONLY)
