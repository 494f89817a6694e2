// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Empty: the target it belongs to compiles the headers that test programs
// share.
