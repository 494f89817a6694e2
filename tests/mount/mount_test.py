#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""'git zpack mount' shows what Git has, survives damage and kills, and ends in
an orderly way.

    mount_test.py GIT_ZPACK [unittest options]

Needs /dev/fuse and the right to use it; without, the tests are skipped.
"""

import concurrent.futures
import errno
import hashlib
import http.server
import io
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest

from mounted_repository import ENVIRONMENT, Repository

PROGRAM = None
WAIT = 60  # seconds, for what takes much less

def is_mounted(directory):
    return f" {directory} " in pathlib.Path("/proc/mounts").read_text()


def wait_for(condition):
    end = time.monotonic() + WAIT
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


class MountTest(unittest.TestCase):
    def setUp(self):
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            self.skipTest("/dev/fuse is not there")
        if not shutil.which("fusermount3"):
            self.skipTest("no fusermount3")
        self.directory = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.directory)
        self.point = self.directory / "mnt"
        self.point.mkdir()
        self.addCleanup(self.unmount_in_the_end)
        self.file = self.directory / "a.zpack"
        self.environment = os.environ | {"XDG_CACHE_HOME": str(self.directory / "cache")}

    def unmount_in_the_end(self):
        if is_mounted(self.point):
            subprocess.run(["fusermount3", "-u", "-z", self.point], check=True)

    def run_program(self, *arguments, **options):
        return subprocess.run([PROGRAM, *arguments], cwd=self.directory, text=True,
                              env=self.environment, capture_output=True,
                              timeout=10 * WAIT, **options)

    def convert(self, repository, *options):
        done = self.run_program("convert", "-q", *options, repository.path, self.file)
        self.assertEqual(done.returncode, 0, done.stderr)

    def mount(self, *options):
        done = self.run_program("mount", "--log", "log", *options, self.file, self.point)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertTrue(is_mounted(self.point))

    def unmount(self):
        subprocess.run(["fusermount3", "-u", self.point], check=True)
        self.assertFalse(is_mounted(self.point))

    def start_in_foreground(self):
        process = subprocess.Popen(
            [PROGRAM, "mount", "-f", self.file, self.point], cwd=self.directory,
            env=self.environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_for(lambda: is_mounted(self.point))
        return process

    def log(self):
        path = self.directory / "log"
        return path.read_text() if path.exists() else ""

    def assert_is(self, directory, repository, revision):
        """The directory has what Git puts into an archive, and nothing else."""
        archive = subprocess.run(
            ["git", "-C", repository.path, "-c", "tar.umask=0022", "archive",
             "--format=tar", revision], check=True, env=ENVIRONMENT,
            stdout=subprocess.PIPE).stdout
        made = subprocess.run(["tar", "-cf", "-", "."], cwd=directory, check=True,
                              stdout=subprocess.PIPE).stdout
        expected = self.members(archive)
        found = self.members(made)
        self.assertEqual(list(expected), list(found))
        self.assertEqual(expected, found)

    def members(self, archive):
        found = {}
        with tarfile.open(fileobj=io.BytesIO(archive), errors="surrogateescape") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if name == ".":
                    continue
                content = tar.extractfile(member).read() if member.isreg() else b""
                found[name] = (member.type, member.mode, member.mtime,
                               member.linkname, hashlib.sha1(content).hexdigest())
        return dict(sorted(found.items()))

    # --- What is shown

    def check_tree(self, *options):
        repository = Repository(self.directory / "repo", *options).fill()
        self.convert(repository, "--block-size", "4k")
        self.mount()
        for name in ("HEAD/", "branches/main", "commits/" + repository.git("rev-parse", "HEAD"),
                     "commits/" + repository.git("rev-parse", "HEAD")[:9]):
            self.assert_is(self.point / name, repository, "HEAD")
        self.assertEqual(os.readlink(self.point / "HEAD"), "branches/main")
        self.assertEqual(self.log(), "")
        return repository

    def test_trees_are_those_of_git(self):
        repository = self.check_tree()
        head = self.point / "branches/main"
        self.assertEqual(os.listdir(head / "deep/module"), [])
        self.assertEqual(
            os.getxattr(head / "text", "user.git.id").decode(),
            repository.git("rev-parse", "HEAD:text"))
        self.assertEqual(os.getxattr(head, "user.git.commit").decode(),
                         repository.git("rev-parse", "HEAD"))
        self.assertEqual(
            {name: os.getxattr(head / "deep/module", name).decode()[:6]
             for name in os.listxattr(head / "deep/module")},
            {"user.git.id": "121212", "user.git.type": "commit",
             "user.git.commit": repository.git("rev-parse", "HEAD")[:6]})
        # Nobody may read those of links, so cp would fail to copy them.
        self.assertEqual(os.listxattr(head / "link", follow_symlinks=False), [])
        with self.assertRaises(OSError) as caught:
            os.getxattr(head, "user.other")
        self.assertEqual(caught.exception.errno, errno.ENODATA)
        with self.assertRaises(OSError) as caught:
            (head / "new").touch()
        self.assertEqual(caught.exception.errno, errno.EROFS)
        self.assertTrue(os.statvfs(self.point).f_flag & os.ST_RDONLY)
        self.assertEqual(os.statvfs(self.point).f_bfree, 0)

    def test_trees_of_sha256_are_those_of_git(self):
        self.check_tree("--object-format=sha256")

    def test_inodes_are_the_same_in_every_mount(self):
        self.convert(Repository(self.directory / "repo").fill())
        seen = []
        for _ in range(2):
            self.mount()
            inodes = {}
            for path, directories, files in os.walk(self.point / "HEAD/"):
                for name in directories + files:
                    full = os.path.join(path, name)
                    inodes[full] = os.lstat(full).st_ino
            self.assertEqual(len(set(inodes.values())), len(inodes))
            seen.append(inodes)
            self.unmount()
        self.assertEqual(*seen)

    def test_refs_are_directories(self):
        repository = Repository(self.directory / "repo").fill()
        repository.git("branch", "topic/one")
        repository.git("tag", "light")
        repository.git("tag", "-a", "-m", "tag", "release/1.0")
        repository.git("tag", "tree", "HEAD:deep")
        repository.git("tag", "blob", "HEAD:text")
        repository.git("tag", "-a", "-m", "tag", "tag-of-blob", "HEAD:text")
        repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
        self.convert(repository)
        self.mount()
        self.assertEqual(sorted(os.listdir(self.point)),
                         ["HEAD", "branches", "commits", "tags"])
        self.assertEqual(sorted(os.listdir(self.point / "branches")),
                         ["alias", "main", "topic"])
        for name in ("branches/topic/one", "branches/alias", "tags/light", "tags/release/1.0"):
            self.assert_is(self.point / name, repository, "HEAD")
        self.assert_same_names(self.point / "tags/tree", repository.path / "deep")
        for name in ("blob", "tag-of-blob"):
            self.assertEqual((self.point / "tags" / name).read_text(), "line\n" * 100)
        self.assertEqual(os.stat(self.point / "tags/light").st_mtime, 1700000000)

    def assert_same_names(self, left, right):
        names = set(os.listdir(left)) - {"module"}
        self.assertEqual(names, set(os.listdir(right)))

    def test_commits_are_found_by_abbreviations_that_fit_one_object(self):
        repository = Repository(self.directory / "repo").fill()
        prefixes = {}
        for i in range(1000):
            data = b"%d" % i
            name = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            if name[:4] in prefixes:
                break
            prefixes[name[:4]] = data
        for content in (data, prefixes[name[:4]]):
            repository.git("tag", content.decode(),
                           repository.git("hash-object", "-w", "--stdin", data=content))
        self.convert(repository)
        self.mount()
        head = repository.git("rev-parse", "HEAD")
        self.assertTrue((self.point / "commits" / head[:12] / "text").exists())
        self.assertEqual(os.listdir(self.point / "commits"), [])
        for missing in (name[:4], "0000", "00" * 20, "HEAD", "main", head[:3], head + "0",
                        head.upper(), repository.git("rev-parse", "HEAD:text")):
            self.assertFalse((self.point / "commits" / missing).exists(), missing)

    def test_an_empty_repository_has_a_head_that_leads_nowhere(self):
        self.convert(Repository(self.directory / "repo"))
        self.mount()
        self.assertEqual(os.readlink(self.point / "HEAD"), "branches/main")
        self.assertFalse((self.point / "HEAD").exists())
        self.assertEqual(os.listdir(self.point / "branches"), [])

    def test_a_detached_head_is_a_commit(self):
        repository = Repository(self.directory / "repo").fill()
        repository.git("checkout", "-q", "--detach")
        self.convert(repository)
        self.mount()
        self.assert_is(str(self.point / "HEAD") + "/", repository, "HEAD")

    def test_a_head_at_an_annotated_tag_is_the_tag(self):
        repository = Repository(self.directory / "repo").fill()
        repository.git("tag", "-a", "-m", "tag", "v1")
        repository.git("symbolic-ref", "HEAD", "refs/tags/v1")
        self.convert(repository)
        self.mount()
        self.assertEqual(os.readlink(self.point / "HEAD"), "tags/v1")
        self.assert_is(str(self.point / "HEAD") + "/", repository, "HEAD")
        self.assertEqual(os.stat(self.point).st_mtime, 1700000000)

    def test_names_that_no_directory_can_have_are_not_shown(self):
        repository = Repository(self.directory / "repo").fill()
        blob = bytes.fromhex(repository.git("rev-parse", "HEAD:text"))
        names = [b".", b"..", b".git", b".GIT", b"a/b", b"good", b"good", b"x" * 256,
                 b"y" * 255, b"z\n"]
        tree = repository.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin",
                              data=b"".join(b"100644 %s\0%s" % (name, blob) for name in names))
        # An entry without a name.
        broken = repository.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin",
                                data=b"100644 \0" + blob)
        wrong = repository.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin",
                               data=b"40000 directory\0" + blob + b"100644 file\0" +
                               bytes.fromhex(tree))
        for name, of in (("hostile", tree), ("broken", broken), ("wrong", wrong)):
            repository.git("tag", name, of)
        self.convert(repository)
        self.mount()
        self.assertEqual(set(os.listdir(self.point / "tags/hostile")),
                         {"good", "y" * 255, "z\n"})
        self.assertFalse((self.point / "tags/hostile/.git").exists())
        for function in (lambda: os.listdir(self.point / "tags/broken"),
                         lambda: os.listdir(self.point / "tags/wrong/directory"),
                         lambda: os.stat(self.point / "tags/wrong/file")):
            with self.assertRaises(OSError) as caught:
                function()
            self.assertEqual(caught.exception.errno, errno.EIO)
        self.assertIn("cannot read 'tags/broken': ", self.log())

    def test_a_chain_and_files_elsewhere(self):
        repository = Repository(self.directory / "repo").fill()
        self.convert(repository)
        (self.directory / "below").mkdir()
        below = self.directory / "below/first.zpack"
        self.file.rename(below)
        (repository.path / "text").write_text("changed\n")
        repository.git("commit", "-q", "-a", "-m", "second")
        self.convert(repository, "--onto", below)
        done = self.run_program("mount", self.file, self.point)
        self.assertEqual(done.returncode, 128)
        self.assertIn("first.zpack", done.stderr)
        self.assertFalse(is_mounted(self.point))
        self.mount("--backing", "below")
        self.assert_is(self.point / "branches/main", repository, "HEAD")
        self.assert_is(self.point / "commits" / repository.git("rev-parse", "HEAD~"),
                       repository, "HEAD~")

    def test_a_file_on_a_server(self):
        repository = Repository(self.directory / "repo").fill()
        self.convert(repository)
        content = self.file.read_bytes()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
                begin, last = map(int, asked.groups()) if asked else (0, len(content) - 1)
                part = content[begin:last + 1]
                self.send_response(206)
                self.send_header("ETag", '"1"')
                self.send_header("Content-Range", f"bytes {begin}-{begin + len(part) - 1}/{len(content)}")
                self.send_header("Content-Length", str(len(part)))
                self.end_headers()
                self.wfile.write(part)

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.file = f"http://127.0.0.1:{server.server_port}/a.zpack"
        self.mount("--no-cache")
        self.assert_is(self.point / "branches/main", repository, "HEAD")

    # --- Reading

    def test_any_bytes_of_a_large_file(self):
        repository = Repository(self.directory / "repo").fill()
        self.convert(repository, "--block-size", "4k")
        self.mount()
        expected = (repository.path / "large").read_bytes()
        chance = random.Random(2)
        with open(self.point / "HEAD/large", "rb", buffering=0) as file:
            for _ in range(50):
                at, size = chance.randrange(len(expected) + 10), chance.randrange(300_000)
                self.assertEqual(os.pread(file.fileno(), size, at), expected[at:at + size])

    def test_many_readers_at_once(self):
        repository = Repository(self.directory / "repo").fill()
        self.convert(repository, "--block-size", "4k")
        self.mount()

        def read(_):
            self.assert_is(self.point / "branches/main", repository, "HEAD")

        searches = [subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=self.point)
                    for command in (["grep", "-r", "line", "branches"], ["find", "."],
                                    ["ls", "-lR", "HEAD/"], ["grep", "-r", "9", "HEAD/"])]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(read, range(8)))
        self.assertEqual([search.wait(WAIT) for search in searches], [0] * 4)
        self.assertEqual(self.log(), "")

    def test_damage_is_an_error_of_one_file(self):
        repository = Repository(self.directory / "repo").fill()
        self.convert(repository, "--block-size", "4k")
        content = bytearray(self.file.read_bytes())
        # What does not compress is stored as it is.
        at = content.index(repository.random[100_000:100_100])
        content[at] ^= 1
        self.file.write_bytes(content)
        self.mount()
        head = self.point / "HEAD"
        for _ in range(2):
            with self.assertRaises(OSError) as caught:
                (head / "random").read_bytes()
            self.assertEqual(caught.exception.errno, errno.EIO)
        for path, _, files in os.walk(str(head) + "/"):
            for name in files:
                full = pathlib.Path(path) / name
                if name not in ("random", "dangling"):
                    expected = repository.path / full.relative_to(head)
                    if os.path.isdir(full):
                        continue
                    with open(full, "rb") as left, open(expected, "rb") as right:
                        self.assertEqual(left.read(), right.read())
        log = self.log()
        self.assertEqual(log.count("\n"), 1, log)
        self.assertIn("cannot read 'branches/main/random': ", log)
        self.assertIn("a.zpack", log)

    # --- Beginning and end

    def test_errors_reach_the_caller(self):
        repository = Repository(self.directory / "repo").fill()
        self.convert(repository)
        (self.directory / "text").write_text("no archive")
        for arguments, message in (
                (["missing.zpack", "mnt"], "missing.zpack"),
                (["text", "mnt"], "not a .zpack file"),
                (["repo", "mnt"], "repo"),
                (["a.zpack", "text"], "not a directory: 'text'"),
                (["a.zpack", "missing"], "cannot use 'missing': No such file"),
                (["--log=missing/log", "a.zpack", "mnt"], "cannot open 'missing/log'"),
                (["--log=", "a.zpack", "mnt"], "cannot open ''"),
                (["--log", "", "a.zpack", "mnt"], "cannot open ''")):
            for foreground in ([], ["-f"]):
                done = self.run_program("mount", *foreground, *arguments)
                self.assertEqual((done.returncode, done.stdout), (128, ""), arguments)
                self.assertIn(message, done.stderr)
                self.assertTrue(done.stderr.startswith("fatal: "), done.stderr)
        self.assertFalse(is_mounted(self.point))
        done = self.run_program("mount", "--unknown", "a.zpack", "mnt")
        self.assertEqual(done.returncode, 129)
        alone = self.directory / "alone"
        alone.mkdir()
        shutil.copy(PROGRAM, alone)
        done = subprocess.run([alone / "git-zpack", "mount", "a.zpack", "mnt"],
                              cwd=self.directory, env=self.environment | {"PATH": str(alone)},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 128)
        self.assertEqual(done.stderr, "fatal: the program 'git-zpack-mount' is not installed; "
                         "it is in the package 'git-zpack-mount'\n")

    def test_signals_and_unmounting_end_it(self):
        self.convert(Repository(self.directory / "repo").fill())
        for end in (lambda process: process.send_signal(signal.SIGINT),
                    lambda process: process.send_signal(signal.SIGTERM),
                    lambda _: self.unmount()):
            process = self.start_in_foreground()
            self.assertTrue((self.point / "HEAD/text").exists())
            end(process)
            self.assertEqual(process.wait(WAIT), 0)
            self.assertEqual(process.stderr.read(), "")
            self.assertFalse(is_mounted(self.point))

    def test_the_foreground_names_damage(self):
        repository = Repository(self.directory / "repo").fill()
        self.convert(repository)
        content = bytearray(self.file.read_bytes())
        content[content.index(repository.random[1000:1100])] ^= 1
        self.file.write_bytes(content)
        process = self.start_in_foreground()
        with self.assertRaises(OSError):
            (self.point / "HEAD/random").read_bytes()
        self.unmount()
        self.assertEqual(process.wait(WAIT), 0)
        self.assertIn("git-zpack-mount: cannot read 'branches/main/random': ", process.stderr.read())

    def test_a_busy_mount_is_unmounted_lazily(self):
        self.convert(Repository(self.directory / "repo").fill())
        process = self.start_in_foreground()
        with open(self.point / "HEAD/text", "rb") as file:
            self.assertNotEqual(subprocess.run(["fusermount3", "-u", self.point],
                                               stderr=subprocess.DEVNULL).returncode, 0)
            self.assertEqual(file.read(4), b"line")
            subprocess.run(["fusermount3", "-u", "-z", self.point], check=True)
            self.assertFalse(is_mounted(self.point))
            self.assertEqual(os.pread(file.fileno(), 4, 5), b"line")
        self.assertEqual(process.wait(WAIT), 0)

    def test_a_signal_ends_a_busy_mount(self):
        self.convert(Repository(self.directory / "repo").fill())
        process = self.start_in_foreground()
        file = os.open(self.point / "HEAD/text", os.O_RDONLY)
        process.terminate()
        self.assertEqual(process.wait(WAIT), 0)
        self.assertFalse(is_mounted(self.point))
        with self.assertRaises(OSError) as caught:
            os.close(file)
        self.assertEqual(caught.exception.errno, errno.ENOTCONN)

    def test_a_killed_mount_can_be_unmounted(self):
        self.convert(Repository(self.directory / "repo").fill(), "--block-size", "4k")
        chance = random.Random(3)
        for _ in range(8):
            process = self.start_in_foreground()
            reader = subprocess.Popen(["grep", "-r", "line", f"{self.point}/HEAD/"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.random() * 0.05)
            process.kill()
            process.wait(WAIT)
            reader.wait(WAIT)
            subprocess.run(["fusermount3", "-u", "-z", self.point], check=True)
            self.assertFalse(is_mounted(self.point))
        self.mount()
        self.assertEqual((self.point / "HEAD/run").read_text(), "#!/bin/sh\n")


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
