// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

// Mirrors a repository with go-git. Over a pipe, go-git runs the git-upload-pack that
// is first on PATH. DEPTH 0 means everything. There is one version of the protocol.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/go-git/go-git/v5"
)

func clone(url, directory, depth string) error {
	number, err := strconv.Atoi(depth)
	if err != nil {
		return err
	}
	_, err = git.PlainClone(directory, true,
		&git.CloneOptions{URL: url, Mirror: true, Depth: number})
	return err
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintf(os.Stderr, "usage: %s LOCATION DIRECTORY VERSION DEPTH\n", os.Args[0])
		os.Exit(129)
	}
	if err := clone(os.Args[1], os.Args[2], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
