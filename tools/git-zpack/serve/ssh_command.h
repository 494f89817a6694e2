// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The command lines that Git sends over SSH. Pure.

#pragma once

#include <string>
#include <string_view>

#include "zpack/result.h"

namespace zpack::cli {

// Removes the quotes that Git puts around an argument for a shell: the whole
// text in single quotes, where \' and \! stand outside of them. Nothing else is
// accepted, so that no text means something else to a shell than to this
// function.
//
// Errors: kInvalidArgument.
Result<std::string> Dequote(std::string_view quoted);

// Returns the path in a command that asks for git-upload-pack(1):
// git-upload-pack 'PATH', git upload-pack 'PATH' or git-zpack upload-pack
// 'PATH'.
//
// Errors: kInvalidArgument for every other command.
Result<std::string> PathOfUploadPack(std::string_view command);

}  // namespace zpack::cli
