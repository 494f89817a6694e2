# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile clients of upload-pack and http-backend: requests that are wrong, huge, slow
or many, and environments that no web server should make."""

import gzip
import os
import subprocess
import time
import zlib

from .harness import DELIMITER, FLUSH, Running, Target, Table, fetch_v2, line

MANY = 100_000
LIGHT_RUNS = 20  # in each round
REQUEST_TYPE = "application/x-git-upload-pack-request"
V0_FEATURES = " multi_ack_detailed side-band-64k thin-pack ofs-delta filter"


class Clients:
    def __init__(self, target: Target, table: Table):
        self.target = target
        self.table = table
        small = target.make_repository("small", 30)
        large = target.make_repository("large", 1500, refs=3000)
        self.root = target.directory / "root"
        self.root.mkdir()
        self.small = self.root / "small.zpack"
        self.large = self.root / "large.zpack"
        target.convert(small, self.small, "--block-size", "4k")
        target.convert(large, self.large)
        (self.root / "link.zpack").symlink_to(target.directory / "outside.zpack")
        target.convert(small, target.directory / "outside.zpack")
        os.mkfifo(self.root / "fifo.zpack")
        self.ids = target.ids(small)
        self.large_ids = target.ids(large)
        self.commits = target.ids(large, "commit")
        self.tip = target.git("-C", large, "rev-parse", "HEAD").decode().strip()
        self.small_tip = target.git("-C", small, "rev-parse", "HEAD").decode().strip()
        # Those that take milliseconds run more often.
        self.light = [self.mutated, self.lengths, self.content_length, self.filters,
                      self.paths, self.environment, self.helper]
        self.heavy = [self.many_wants, self.many_haves, self.alternating_haves,
                      self.unanswered_haves, self.deepen_not, self.object_info,
                      self.ref_prefixes, self.many_commands, self.gzip_bomb, self.endless,
                      self.slow, self.never_reads, self.closes]

    def run(self) -> None:
        number = self.target.options.first
        first = number
        while self.target.more(number - first):
            for kind in self.heavy:
                if self.target.options.only in ("", kind.__name__):
                    kind(number)
            for kind in self.light:
                for run in range(LIGHT_RUNS):
                    if self.target.options.only in ("", kind.__name__):
                        kind(number * LIGHT_RUNS + run)
            if self.target.options.only in ("", "at_once") and \
                    (number - first) % 20 == 0:
                self.at_once(number)
            number += 1

    # Ways to ask.

    def upload(self, file, protocol: int, data: bytes, *options, **settings):
        env = self.target.env(GIT_PROTOCOL=f"version={protocol}", **settings)
        return self.target.run(self.target.zpack, "upload-pack", "--timeout=120",
                               *options, file, data=data, env=env)

    def cgi(self, body: bytes, **settings: str):
        variables = {"REQUEST_METHOD": "POST", "GIT_PROJECT_ROOT": os.fspath(self.root),
                     "PATH_INFO": "/small.git/git-upload-pack",
                     "CONTENT_TYPE": REQUEST_TYPE, "HTTP_GIT_PROTOCOL": "version=2",
                     **settings}
        return self.target.run(self.target.zpack, "http-backend", "--timeout=120",
                               data=body, env=self.target.env(**variables))

    def note(self, kind: str, number: int, done, data: bytes = b"") -> bool:
        """Counts a run, and checks that it ended as it must."""
        files = [("request", data)] if len(data) < 10_000_000 else []
        good = self.table.check(kind, number, done, files)
        if done.code not in (0, 128) and done.code >= 0:
            self.table.finding(kind, number, f"exit code {done.code}: {done.text()}", files)
            good = False
        if done.code == 128 and done.err.count(b"\n") != 1:
            self.table.finding(kind, number, f"not one line: {done.text()}", files)
            good = False
        if good:
            self.table.add(kind, "answered" if done.code == 0 else "refused", done)
        return good

    # Requests.

    def random_request(self, chance, protocol: int) -> bytes:
        odd = ["0" * 40, "f" * 40, "xyz", "", self.tip]

        def pick() -> str:
            return chance.choice(odd if chance.random() < 0.05 else self.ids)

        filters = ["blob:none", "tree:0", "tree:9", "blob:limit=1k", "object:type=tag",
                   "combine:blob:none+tree:1", "sparse:oid=x", "object:type=", ":"]
        extras = [f"shallow {chance.choice([self.small_tip, pick()])}", f"deepen {chance.choice([0, 1, 2, 2**31, -1])}",
                  f"deepen-since {chance.choice([0, 10**9 + 900, 2**64, 'x'])}",
                  f"deepen-not {chance.choice(['refs/heads/main', 'v10', 'x', ''])}",
                  f"filter {chance.choice(filters)}"]
        if protocol == 2:
            lines = [*(f"want {pick()}" for _ in range(chance.randrange(4))),
                     *(f"have {pick()}" for _ in range(chance.randrange(4))),
                     *chance.sample(extras, chance.randrange(3)),
                     *chance.sample(["thin-pack", "ofs-delta", "no-progress", "done",
                                     "include-tag", "deepen-relative", "wait-for-done",
                                     "want-ref refs/heads/main", "sideband-all"],
                                    chance.randrange(4))]
            return fetch_v2(*lines)
        features = "".join(" " + word for word in chance.sample(
            ["multi_ack", "multi_ack_detailed", "side-band", "side-band-64k", "no-done",
             "thin-pack", "ofs-delta", "filter", "include-tag", "deepen-relative",
             "object-format=sha256", "x=y"], chance.randrange(6)))
        data = line(f"want {self.small_tip}{features}\n")
        for text in [f"want {pick()}", *chance.sample(extras, chance.randrange(3))]:
            data += line(text) if chance.random() < 0.7 else b""
        data += FLUSH
        for _ in range(chance.randrange(5)):
            data += line(f"have {pick()}") if chance.random() < 0.8 else FLUSH
        return data + chance.choice([line("done\n"), FLUSH, b"", line("done")])

    def mutated(self, number: int) -> None:
        chance = self.target.chance("mutated", number)
        protocol = chance.randrange(3)
        data = bytearray(self.random_request(chance, protocol))
        for _ in range(chance.choice([0, 0, 1, 1, 3])):
            at = chance.randrange(len(data) + 1)
            data[at:at + chance.randrange(3)] = chance.randbytes(chance.randrange(4))
        data = bytes(data)
        if chance.random() < 0.2:
            data += self.random_request(chance, chance.randrange(3))
        options = ["--stateless-rpc"] if chance.random() < 0.5 else []
        self.note(f"request v{protocol}", number,
                  self.upload(self.small, protocol, data, *options), data)

    def lengths(self, number: int) -> None:
        chance = self.target.chance("lengths", number)
        length = chance.choice([b"0001", b"0002", b"0003", b"fff1", b"fff4", b"ffff", b"00 4",
                                b"zzzz", b"-001", b"+004", b"0x10", b"fff0", b"\0\0\0\0"])
        head = self.random_request(chance, 2)[:chance.choice([0, 21, 45])]
        data = head + length + b"a" * chance.choice([0, 5, 70_000]) + FLUSH
        protocol = chance.randrange(3)
        self.note("packet lengths", number, self.upload(self.small, protocol, data), data)

    def many_wants(self, number: int) -> None:
        chance = self.target.chance("many_wants", number)
        ids = [chance.choice(self.large_ids) for _ in range(MANY)]
        if chance.random() < 0.3:
            ids[chance.randrange(MANY)] = "0" * 40
        extra = chance.choice([[], ["deepen 3"], ["filter tree:2"],
                               [f"have {self.commits[0]}"]])
        if chance.random() < 0.5:
            data = fetch_v2(*(f"want {name}" for name in ids), *extra, "done")
            done = self.upload(self.large, 2, data)
        else:
            data = line(f"want {ids[0]}{V0_FEATURES}") + \
                b"".join(line(f"want {name}") for name in ids) + FLUSH + line("done")
            done = self.upload(self.large, 0, data)
        self.note("100,000 wants", number, done, data)

    def many_haves(self, number: int) -> None:
        chance = self.target.chance("many_haves", number)
        ids = [chance.choice(self.large_ids) if chance.random() < 0.5 else
               chance.randbytes(20).hex() for _ in range(MANY)]
        if chance.random() < 0.5:
            data = fetch_v2(f"want {self.tip}", *(f"have {name}" for name in ids),
                            *(["done"] if chance.random() < 0.5 else []))
            done = self.upload(self.large, 2, data)
        else:
            data = line(f"want {self.tip}{V0_FEATURES}") + FLUSH + \
                b"".join(line(f"have {name}") for name in ids) + line("done")
            done = self.upload(self.large, 0, data)
        self.note("100,000 haves", number, done, data)

    def alternating_haves(self, number: int) -> None:
        """Haves after each of which the server looks at all wants again."""
        chance = self.target.chance("alternating", number)
        commits = list(self.commits)
        chance.shuffle(commits)
        haves = []
        for at in range(MANY // 2):
            haves += [commits[at % len(commits)], chance.randbytes(20).hex()]
        wants = self.large_ids if chance.random() < 0.5 else [self.tip]
        ack = chance.choice([" multi_ack", " multi_ack_detailed", ""])
        data = line(f"want {self.tip}{ack} side-band-64k") + \
            b"".join(line(f"want {name}") for name in wants) + FLUSH + \
            b"".join(line(f"have {name}") for name in haves) + line("done")
        self.note("alternating haves", number, self.upload(self.large, 0, data), data)

    def unanswered_haves(self, number: int) -> None:
        """Haves that never suffice: one old commit, and then nothing that is known."""
        chance = self.target.chance("unanswered", number)
        data = line(f"want {self.tip}{V0_FEATURES}") + \
            b"".join(line(f"want {name}") for name in self.large_ids) + FLUSH + \
            line(f"have {chance.choice(self.commits)}") + \
            b"".join(line(f"have {chance.randbytes(20).hex()}") for _ in range(MANY)) + \
            line("done")
        self.note("unknown haves", number, self.upload(self.large, 0, data), data)

    def deepen_not(self, number: int) -> None:
        chance = self.target.chance("deepen_not", number)
        names = [chance.choice([f"refs/heads/topic-{chance.randrange(3000)}", f"v{10 + at % 149 * 10}",
                                f"topic-{at % 3000}"]) for at in range(1, MANY // 10)]
        if chance.random() < 0.3:
            names.append(chance.choice(["refs/heads/none", "../x", "a" * 60_000, ""]))
        shallow = [f"shallow {chance.choice(self.commits)}" for _ in range(MANY // 10)]
        data = fetch_v2(f"want {self.tip}", *shallow,
                        *(f"deepen-not {name}" for name in names), "done")
        self.note("deepen-not", number, self.upload(self.large, 2, data), data)

    def filters(self, number: int) -> None:
        chance = self.target.chance("filters", number)
        spec = chance.choice(["blob:none", "tree:1", "", "%", "combine:"])
        for _ in range(chance.choice([1, 5, 15, 16, 17, 100, 1000])):
            spec = "combine:" + spec.replace("%", "%25").replace("+", "%2B") \
                if len(spec) < 30_000 else spec
            spec += chance.choice(["", "+blob:none", "+tree:0+", "+"])
        if chance.random() < 0.3:
            spec = "combine:" + "+".join(["blob:limit=1"] * 5000)
        spec = spec[:65_000]
        data = fetch_v2(f"want {self.tip}", *[f"filter {spec}"] * chance.choice([1, 50]),
                        "done")
        self.note("filter specs", number, self.upload(self.large, 2, data), data)

    def object_info(self, number: int) -> None:
        chance = self.target.chance("object_info", number)
        ids = [chance.choice(self.large_ids) for _ in range(MANY)]
        data = line("command=object-info") + DELIMITER + line("size") + \
            b"".join(line(f"oid {name}") for name in ids) + FLUSH
        self.note("object-info", number, self.upload(
            self.large, 2, data, GIT_CONFIG_COUNT="1",
            GIT_CONFIG_KEY_0="transfer.advertiseObjectInfo",
            GIT_CONFIG_VALUE_0="true"), data)

    def ref_prefixes(self, number: int) -> None:
        chance = self.target.chance("prefixes", number)
        long = "a" * chance.choice([1, 60_000 if number % 10 == 0 else 600])
        data = line("command=ls-refs") + DELIMITER + line("peel") + line("symrefs") + \
            b"".join(line(f"ref-prefix refs/heads/{long}{chance.randrange(10**9)}")
                     for _ in range(MANY if len(long) < 1000 else 2000)) + FLUSH
        self.note("ls-refs prefixes", number, self.upload(self.large, 2, data), data)

    def many_commands(self, number: int) -> None:
        chance = self.target.chance("commands", number)
        one = chance.choice([
            line("command=ls-refs") + DELIMITER + line("ref-prefix x") + FLUSH,
            fetch_v2(f"want {self.tip}", "deepen 1", f"have {self.commits[0]}"),
            fetch_v2("wait-for-done", f"have {self.tip}")])
        self.note("many commands", number, self.upload(self.large, 2, one * 200))

    # Bodies of requests.

    def gzip_bomb(self, number: int) -> None:
        chance = self.target.chance("bomb", number)
        part = chance.choice([line("agent=x"), line("have " + "1" * 40),
                              line("want " + self.small_tip), line("ref-prefix refs/x"),
                              line("server-option=" + "s" * 60_000)])
        start = chance.choice([b"", line("command=fetch") + DELIMITER,
                               line("command=ls-refs") + DELIMITER,
                               line("command=ls-refs")])
        pack = zlib.compressobj(9, zlib.DEFLATED, 31)
        block = part * ((1 << 20) // len(part))
        body = b"".join([pack.compress(start), *(pack.compress(block) for _ in range(100)),
                         pack.flush()])
        done = self.cgi(body, HTTP_CONTENT_ENCODING="gzip",
                        CONTENT_LENGTH=str(len(body)))
        self.note("gzip bomb", number, done, body)
        if done.cpu > 2:
            self.table.finding("gzip bomb", number,
                               f"{len(body)} bytes cost {done.cpu:.1f} s", [("body", body)])
        nested = gzip.compress(gzip.compress(fetch_v2(f"want {self.small_tip}", "done")))
        cut = nested[:chance.randrange(len(nested))] + chance.randbytes(3)
        self.note("gzip damaged", number, self.cgi(
            cut, HTTP_CONTENT_ENCODING=chance.choice(["gzip", "x-gzip", "br", "gzip,gzip"])))

    def content_length(self, number: int) -> None:
        chance = self.target.chance("length", number)
        data = fetch_v2(f"want {self.small_tip}", "done")
        length = chance.choice(["0", "1", str(len(data) - 1), str(len(data) + 1),
                                str(2**63), str(2**64 - 1), str(2**64), "-1", "", "x",
                                "0x10", " 5", "5 ", "1e3", "\n", "+5"])
        self.note("Content-Length", number, self.cgi(data, CONTENT_LENGTH=length))

    def endless(self, number: int) -> None:
        """A body that does not end, for a few seconds."""
        chance = self.target.chance("endless", number)
        start, part = chance.choice([
            (line("command=fetch") + DELIMITER, line("have " + "2" * 40)),
            (line("command=fetch") + DELIMITER, line(f"want {self.tip}")),
            (line("command=fetch") + DELIMITER, line("filter blob:none")),
            (line("command=fetch") + DELIMITER, line(f"shallow {self.tip}")),
            (line("command=ls-refs") + DELIMITER, line("ref-prefix refs/" + "p" * 500)),
            (line("command=ls-refs") + DELIMITER, line("peel")),
            (b"", line("agent=x"))])
        env = self.target.env(
            REQUEST_METHOD="POST", GIT_PROJECT_ROOT=os.fspath(self.root),
            PATH_INFO="/large.git/git-upload-pack", CONTENT_TYPE=REQUEST_TYPE,
            HTTP_GIT_PROTOCOL="version=2")
        running = Running([self.target.zpack, "http-backend"], env=env)
        end = time.monotonic() + 1.5
        block = part * (60_000 // len(part) + 1)
        try:
            running.process.stdin.write(start)
            while time.monotonic() < end:
                running.process.stdin.write(block)
        except OSError:
            pass
        self.note("body without end", number, running.wait(b""))

    def helper(self, number: int) -> None:
        """What Git never says to git-remote-zpack."""
        chance = self.target.chance("helper", number)
        texts = [b"capabilities\n", b"connect git-upload-pack\n", b"connect x\n", b"\n",
                 b"list\n", b"option verbosity 1\n", b"connect \n", b"\0\n", b"c" * 5000,
                 b"stateless-connect git-upload-pack\n", line("command=ls-refs") + FLUSH]
        data = b"".join(chance.choice(texts) for _ in range(chance.randrange(6)))
        address = chance.choice([os.fspath(self.small), f"file://{self.small}", "http://", "",
                                 f"zpack://{self.small}", "ext::sh", "http://[", "~x/y",
                                 "http://127.0.0.1:1/x.zpack", "a" * 5000, "%00", "file:///%zz",
                                 os.fspath(self.root / "fifo.zpack"), "/dev/zero", "-"])
        self.note("remote helper", number, self.target.run(
            self.target.zpack.parent / "git-remote-zpack", "origin", address, data=data,
            env=self.target.env(GIT_PROTOCOL=f"version={chance.randrange(4)}")))

    # What a web server passes.

    def paths(self, number: int) -> None:
        chance = self.target.chance("paths", number)
        parts = ["..", ".", "", "small", "small.git", "small.zpack", "link", "fifo",
                 "outside", "%2e%2e", "\\..", "a" * 300, "\n", "\x7f", "é", "HEAD", "objects",
                 "info", "proc", "self", "root", "git-upload-pack", "…"]
        path = "/".join([""] + [chance.choice(parts) for _ in range(chance.randrange(1, 6))])
        path += chance.choice(["/info/refs", "/git-upload-pack", "/HEAD", "/objects/info/x", ""])
        settings = {"PATH_INFO": path, "REQUEST_METHOD": chance.choice(["GET", "POST", "HEAD"]),
                    "QUERY_STRING": "service=git-upload-pack"}
        if chance.random() < 0.3:
            settings["GIT_PROJECT_ROOT"] = chance.choice(
                ["", os.fspath(self.root) + "/", "/", "relative", "/none",
                 os.fspath(self.root / "small.zpack")])
            settings["PATH_TRANSLATED"] = os.fspath(self.root) + path
        done = self.cgi(b"0000", **settings)
        if self.note("PATH_INFO", number, done) and b"200" not in done.out[:20] and \
                b"refs/heads" in done.out:
            self.table.finding("PATH_INFO", number, f"refs for {path}")
        if "outside" in path and ".." in path and b"refs/heads" in done.out and \
                settings.get("GIT_PROJECT_ROOT", "x") == "x":
            self.table.finding("PATH_INFO", number, f"led out of the root: {path}")

    def environment(self, number: int) -> None:
        chance = self.target.chance("environment", number)
        odd = ["", "\n", "x" * 100_000, "\x01\x02", "version=99", "version=2:version=0",
               ":::", "identity", "gzip", "POST", "get", "HEAD ", "-1", "é"]
        names = ["REQUEST_METHOD", "CONTENT_TYPE", "CONTENT_LENGTH", "QUERY_STRING",
                 "HTTP_CONTENT_ENCODING", "HTTP_GIT_PROTOCOL", "GIT_PROTOCOL", "PATH_INFO",
                 "GIT_PROJECT_ROOT", "PATH_TRANSLATED", "GIT_CONFIG_COUNT", "HOME",
                 "GIT_CONFIG_PARAMETERS", "GIT_TRACE_PACKET", "GIT_TRACE2_EVENT", "GIT_DIR",
                 "GIT_CONFIG_GLOBAL", "LC_ALL", "TMPDIR"]
        settings = {name: chance.choice(odd)
                    for name in chance.sample(names, chance.randrange(1, 5))}
        kind = "CGI environment"
        done = self.cgi(line("command=ls-refs") + FLUSH, **settings)
        if not self.table.check(kind, number, done):
            return
        if done.code == 0 and not done.out.startswith((b"Status: ", b"Expires: ")):
            self.table.finding(kind, number, f"no header: {settings} {done.out[:80]!r}")
        self.table.add(kind, "answered" if done.code == 0 else "refused", done)

    # Clients with another pace.

    def clone_request(self) -> bytes:
        return line("command=ls-refs") + DELIMITER + FLUSH + \
            fetch_v2(f"want {self.tip}", "done")

    def slow(self, number: int) -> None:
        """One byte at a time; with a pause that is longer than the timeout, or not."""
        chance = self.target.chance("slow", number)
        stops = chance.random() < 0.3
        data = line("command=ls-refs") + DELIMITER + FLUSH
        running = Running([self.target.zpack, "upload-pack", "--timeout=1", self.small],
                          env=self.target.env(GIT_PROTOCOL="version=2"))
        try:
            for at in range(len(data)):
                running.process.stdin.write(data[at:at + 1])
                running.process.stdin.flush()
                time.sleep(0.02)
                if stops and at == 7:
                    time.sleep(3)
        except OSError:
            pass
        done = running.wait(b"")
        if done.code != (128 if stops else 0) or stops != (b"timeout" in done.err):
            self.table.finding("one byte at a time", number, f"{done.code} {done.text()}")
        self.note("one byte at a time", number, done)

    def never_reads(self, number: int) -> None:
        running = Running([self.target.zpack, "upload-pack", "--timeout=1", self.large],
                          env=self.target.env(GIT_PROTOCOL="version=2"))
        running.process.stdin.write(self.clone_request() * 5)
        running.process.stdin.flush()
        begin = time.monotonic()
        while time.monotonic() - begin < 60 and os.waitid(
                os.P_PID, running.process.pid,
                os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            time.sleep(0.05)
        waited = time.monotonic() - begin
        done = running.wait(b"")
        if waited > 50 or b"timeout" not in done.err:
            self.table.finding("never reads", number, f"{waited:.0f} s, {done.text()}")
        self.note("never reads", number, done)

    def closes(self, number: int) -> None:
        chance = self.target.chance("closes", number)
        http = chance.random() < 0.5
        env = self.target.env(
            GIT_PROTOCOL="version=2", REQUEST_METHOD="POST", CONTENT_TYPE=REQUEST_TYPE,
            GIT_PROJECT_ROOT=os.fspath(self.root), PATH_INFO="/large.git/git-upload-pack")
        command = ["http-backend"] if http else ["upload-pack", self.large]
        running = Running([self.target.zpack, *command], env=env)
        data = fetch_v2(f"want {self.tip}", "done")
        if chance.random() < 0.3:
            data = data[:chance.randrange(len(data))]
        running.feed(data)
        running.process.stdout.read(chance.choice([0, 1, 100, 70_000]))
        running.process.stdout.close()
        self.note("closes halfway", number, running.wait(b""))

    def at_once(self, number: int) -> None:
        """A hundred clients at the same time; all get the same pack or the same lines."""
        chance = self.target.chance("at_once", number)
        env = self.target.env(GIT_PROTOCOL="version=2")
        data = fetch_v2(f"want {self.small_tip}", "done")
        alone = self.upload(self.small, 2, data)
        running = []
        for _ in range(100):
            running.append(Running([self.target.zpack, "upload-pack", self.small], env=env,
                                   seconds=300))
        hold = chance.random() < 0.5
        for one in running:
            if hold:  # all of them wait for the end of a packet
                one.process.stdin.write(data[:30])
                one.process.stdin.flush()
        for one in running:
            done = one.wait(data[30:] if hold else data)
            if done.out != alone.out:
                self.table.finding("100 at once", number, f"other answer: {done.text()}")
            self.note("100 at once", number, done)


def attack(target: Target, table: Table) -> None:
    try:
        Clients(target, table).run()
    except subprocess.SubprocessError as error:
        table.finding("clients", 0, repr(error))
