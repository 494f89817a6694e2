# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Random patterns and paths of a repository, for comparisons with Git."""

import os
import subprocess

# What a pattern is made of, beside words.
PARTS = [".", ".*", "[a-z]*", "[0-9][0-9]*", "[^a-z ]", "[[:upper:]]", "x*",
         "(", ")", "\\(", "\\)", "\\|", "|", "+", "\\+", "?", "{2}", "\\{2\\}",
         "^", "$", " ", "\t", "\\.", "\\b", "\\<", "\\>", "\\w", "\\W", "\\s",
         "é", "ß", "Ä", "-", "/", "*", "[]a]", "[^]a]", "[a-]", "\\1"]


def git(repository, *arguments):
    """The output of a git command that succeeds."""
    done = subprocess.run(["git", "-C", repository, *arguments], check=True,
                          stdout=subprocess.PIPE)
    return done.stdout.decode(errors="replace")


def words_of(repository, chance):
    """Words of files of the repository."""
    files = git(repository, "ls-tree", "-r", "HEAD").splitlines()
    words = set()
    for line in chance.sample(files, min(20, len(files))):
        mode, kind, name = line.split("\t")[0].split()
        if kind != "blob" or mode == "120000":
            continue
        content = git(repository, "cat-file", "blob", name)
        words.update(content.replace("\0", " ").split()[:2000])
    return sorted(word for word in words if word.isprintable()) or ["a"]


def random_pattern(words, chance):
    """A pattern that may be wrong."""
    word = chance.choice(words)
    kind = chance.random()
    if kind < 0.35:
        start = chance.randrange(len(word))
        return word[start:start + chance.randint(1, 12)]
    if kind < 0.4:
        return ""
    pieces = []
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(word))
        pieces.append(word[start:start + chance.randint(1, 4)]
                      if chance.random() < 0.6 else chance.choice(PARTS))
    return "".join(pieces)


def random_pathspecs(repository, revision, chance):
    """Pathspecs, or none."""
    if chance.random() < 0.5:
        return []
    paths = git(repository, "ls-tree", "-r", "--name-only", revision).splitlines()
    path = chance.choice(paths)
    if path.startswith('"'):
        return []
    return ["--", *chance.choice([
        [path], [os.path.dirname(path) or "."], ["*" + os.path.splitext(path)[1]],
        [":!" + path], [":(glob)*/*"], [":(icase)" + path.upper()],
        [path[:len(path) // 2] + "*"], [":(exclude)*.c", "."]])]


def run(command):
    """Exit code, output and errors of a command."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return done.returncode, done.stdout, done.stderr
