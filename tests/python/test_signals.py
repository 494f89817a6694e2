# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, threads at exit, fork, and objects without content: no crash, no hang."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import zpack
from conftest import Repository


def run(script, *arguments, repeat=1):
    """Runs a script in processes of its own; all must end well. Returns the last output."""
    output = ""
    for _ in range(repeat):
        ran = subprocess.run(
            # Python 3.12 and later warn of forks beside other threads.
            [sys.executable, "-W", "ignore::DeprecationWarning", "-X", "faulthandler", "-c", textwrap.dedent(script),
             *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
        output = ran.stdout.decode()
        assert (ran.returncode, ran.stderr) == (0, b""), (ran.returncode, output,
                                                          ran.stderr.decode())
    return output


OPERATIONS = {
    "convert": "zpack.convert(repository, target, progress=tell)",
    "convert onto an older file": "zpack.convert(repository, older, overwrite=True, progress=tell)",
    "restore": "zpack.restore(file, target, progress=tell)",
    "verify": "zpack.verify(file, repository, progress=tell)",
}

BEGINNING = """
    import os, shutil, signal, sys, threading, time
    import zpack

    repository, file, directory = sys.argv[1:4]
    target = os.path.join(directory, "made")
    older = os.path.join(directory, "older.zpack")
    if "older" in sys.argv[4:]:
        shutil.copy(file, older)

    def state():
        found = {}
        for name in sorted(os.listdir(directory)):
            path = os.path.join(directory, name)
            if name in (".made.zpack-tmp", ".older.zpack.zpack-tmp") and os.path.isfile(path):
                continue  # 'git-zpack convert --resume' continues it.
            found[name] = os.path.getmtime(path)
        return found
"""


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("signals", (1, 2))
def test_interrupted_operation_has_ended_and_left_nothing(
        repository, file, tmp_path, name, signals):
    run(BEGINNING + f"""
    caught, inside = threading.Event(), []

    def tell(progress):
        inside.append(progress)
        for _ in range({signals}):
            os.kill(os.getpid(), signal.SIGINT)
            caught.wait(0.3)  # An operation that goes on alone comes back only then.
        inside.clear()

    before = state()
    running = None
    try:
        try:
            {OPERATIONS[name]}
            raise SystemExit("not interrupted")
        except KeyboardInterrupt:
            running = list(inside)
            caught.set()
    except KeyboardInterrupt:  # The second one.
        pass
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert not running, "the operation still runs"
    assert state() == before, state()
    caught.set()
    time.sleep(0.5)
    assert state() == before, state()
    {OPERATIONS[name].replace("progress=tell", "progress=None")}
    """, repository.path, file, tmp_path, name)


def test_signals_at_any_time_leave_all_or_nothing(repository, file, tmp_path):
    seed = 20261126
    print("seed", seed)
    run(BEGINNING + f"""
    import random
    source = random.Random({seed})
    bare = os.path.join(directory, "bare")

    class Alarm(BaseException):
        pass

    def on_alarm(*_):
        raise Alarm

    signal.signal(signal.SIGALRM, on_alarm)
    interrupted = 0
    for round in range(60):
        restores = round % 2
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, source.uniform(0.0001, 0.02))
                if restores:
                    zpack.restore(file, bare)
                else:
                    zpack.convert(repository, target)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Alarm:
            interrupted += 1
        names = list(state())
        assert names in ([], ["bare" if restores else "made"]), names
        if names and restores:
            zpack.restore(file, bare, overwrite=True)
            shutil.rmtree(bare)
        elif names:
            assert zpack.verify(target)
            os.unlink(target)
    print(interrupted)
    """, repository.path, file, tmp_path)


AT_EXIT = {
    "objects": "while True: list(archive.objects())",
    "one iterator": "while True: [working.set() for _ in archive.objects(threads=2)]",
    "read": "while True: archive.read('HEAD')",
    "walk": "while True: list(archive.walk(objects=True))",
    "grep": "while True: list(archive.grep('line'))",
    "grep_history": "while True: [working.set() for _ in archive.grep_history('[0-9]')]",
    "log": "while True: [working.set() for _ in archive.log(G='[0-9]', files=True)]",
    "open": "while True: zpack.open(file)",
    "verify": "while True: zpack.verify(file, progress=lambda p: working.set())",
    "convert": "while True: zpack.convert(repository, own(), overwrite=True)",
    "progress that waits": "zpack.verify(file, progress=lambda p: time.sleep(0.01))",
}


@pytest.mark.parametrize("name", AT_EXIT)
def test_daemon_thread_at_exit(repository, file, tmp_path, name):
    run(BEGINNING + f"""
    archive = zpack.open(file)
    working = threading.Event()

    def own():
        return os.path.join(directory, threading.current_thread().name)

    def work():
        working.set()
        {AT_EXIT[name]}

    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    working.wait()
    time.sleep(0.02)
    """, repository.path, file, tmp_path, repeat=8)
    threads = [f"Thread-{number} (work)" for number in (1, 2, 3)]
    assert set(os.listdir(tmp_path)) <= {*threads, *(f".{one}.zpack-tmp" for one in threads)}


def test_inherited_iterator_is_refused_and_others_work(repository, file, tmp_path):
    script = BEGINNING + """
    archive = zpack.open(file)
    quiet = zpack.open(file)
    expected = sorted(archive)
    many = [archive.objects(threads=2) for _ in range(4)]
    for one in many:
        next(one)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        for one in many:
            try:
                next(one)
                os._exit(2)
            except RuntimeError as error:
                assert "fork" in str(error)
        try:
            assert archive.read("HEAD").type == "commit"
        except RuntimeError as error:
            assert "fork" in str(error)
        many.clear()
        assert sorted(one.id for one in quiet.objects()) == expected
        assert sorted(one.id for one in zpack.open(file).objects()) == expected
        assert zpack.verify(file)
        del archive, quiet
        sys.exit(0) if "exit" in sys.argv else os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    for one in many:
        assert len(list(one)) == len(expected) - 1
    """
    for more in ("exit", ""):
        run(script, repository.path, file, tmp_path, more, repeat=3)


def test_operation_in_a_forked_process(repository, file, tmp_path):
    run(BEGINNING + """
    running = threading.Event()

    def tell(progress):
        running.set()
        time.sleep(0.5)

    thread = threading.Thread(target=zpack.verify, args=(file,), kwargs={"progress": tell})
    thread.start()
    running.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        assert zpack.verify(file)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
    """, repository.path, file, tmp_path)


@pytest.mark.parametrize("name", (
    "Archive", "Object", "ObjectIterator", "Ref", "_zpack.MatchIterator",
    "_zpack.HistoryMatchIterator", "_zpack.MatchingBlobIterator", "_zpack.CommitIterator"))
@pytest.mark.parametrize("derived", (False, True))
def test_object_that_was_not_made_is_refused(file, name, derived):
    run(f"""
    import copy, pickle, sys
    import zpack

    kind = zpack.{name}
    if {derived}:
        class kind(zpack.{name}):
            def __init__(self):
                pass
    archive = zpack.open(sys.argv[1])
    whole = {{"Archive": archive, "Object": archive["HEAD"], "ObjectIterator": archive.objects(),
             "Ref": archive.head, "_zpack.MatchIterator": archive.grep("x"),
             "_zpack.HistoryMatchIterator": archive.grep_history("x"),
             "_zpack.MatchingBlobIterator": archive.grep_versions("x"),
             "_zpack.CommitIterator": archive.log()}}["{name}"]

    def tried(action):
        try:
            action()
        except (TypeError, BufferError, NotImplementedError):
            return
        raise SystemExit("not refused: " + repr(action))

    def ways(bare):
        for attribute in sorted(vars(zpack.{name})):
            if attribute in ("__module__", "__doc__", "__new__", "__init__"):
                continue
            def use(attribute=attribute):
                value = getattr(bare, attribute)
                if callable(value):
                    value(*(["HEAD"] if attribute not in ("__len__", "__iter__", "__next__",
                            "__repr__", "__hash__", "__enter__", "close", "objects", "walk",
                            "blocks") else []))
            yield use
        if "{name}" == "Object":
            yield lambda: memoryview(bare)
            yield lambda: bytes(bare)

    for action in ways(kind.__new__(kind)):
        tried(action)
    tried(kind)
    for action in (copy.copy, copy.deepcopy, pickle.dumps):
        tried(lambda: action(whole))
    kind.__new__(kind)  # It goes away.
    """, file)


def test_ctrl_c_while_a_thread_waits_for_objects(file):
    """Several threads wait for one iterator; the main thread still hears signals."""
    run("""
    import os, signal, sys, threading, time
    import zpack

    objects = zpack.open(sys.argv[1]).objects()
    try:
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        while True:
            for _ in objects:
                pass
    except KeyboardInterrupt:
        print("ended")
    """, file)


SERVER = """
    import http.server, os, signal, sys, threading, time
    import zpack

    with open(sys.argv[1], "rb") as archive:
        CONTENT = archive.read()
    released = threading.Event()
    stalls = threading.Event()
    refuses = threading.Event()
    told = threading.Lock()
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            begin, end = self.headers["Range"].removeprefix("bytes=").split("-")
            part = CONTENT[int(begin):int(end) + 1]
            requests.append(self.path)
            if refuses.is_set():
                self.send_error(503)
            else:
                self.send_response(206)
                self.send_header("Content-Length", str(len(part)))
                self.send_header("Content-Range",
                                 f"bytes {begin}-{int(begin) + len(part) - 1}/{len(CONTENT)}")
                self.end_headers()
                self.wfile.write(part[:10] if stalls.is_set() else part)
            if (stalls.is_set() or refuses.is_set()) and told.acquire(blocking=False):
                os.kill(os.getpid(), signal.SIGINT)
            if stalls.is_set():
                released.wait()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/x.zpack"

    def interrupted(work):
        try:
            work()
        except KeyboardInterrupt:
            return
        raise SystemExit("not interrupted")
"""


@pytest.fixture(scope="session")
def large_file(tmp_path_factory):
    """An archive that does not come with the first bytes that a reader asks for."""
    made = Repository(tmp_path_factory.mktemp("large"))
    for i in range(2):
        with open(os.path.join(made.path, "data"), "wb") as out:
            out.write(random.Random(i).randbytes(2 << 20))
        made("add", ".")
        made("commit", "-q", "-m", f"commit {i}")
    path = tmp_path_factory.mktemp("large-archive") / "x.zpack"
    zpack.convert(made.path, path)
    return path


@pytest.mark.parametrize("how", ("stalls", "refuses"))
def test_server_that_does_not_answer_does_not_keep_ctrl_c_from_opening(file, how):
    run(SERVER + f"""
    {how}.set()
    interrupted(lambda: zpack.open(url))
    assert len(requests) < 6, requests  # So often is a server asked that refuses.
    {how}.clear()
    assert bytes(zpack.open(url)["HEAD"])
    released.set()
    """, file)


@pytest.mark.parametrize("work", (
    "archive['HEAD:data']", "archive.info('HEAD~1:data')", "list(archive.log(all=True, S='x'))",
    "list(archive.objects(threads=2))", "list(archive.grep('x'))"))
def test_server_that_stalls_does_not_keep_ctrl_c_from_reading(large_file, work):
    run(SERVER + f"""
    def answer(archive):
        return {work}

    archive = zpack.open(url)
    expected = repr(answer(zpack.open(sys.argv[1])))
    stalls.set()
    interrupted(lambda: answer(archive))
    stalls.clear()
    assert repr(answer(archive)) == expected  # The archive can still be used.
    released.set()
    """, large_file)


ITERATORS = (
    "archive.log(all=True, S='x')", "archive.objects(threads=2)", "archive.grep('x')",
    "archive.grep_versions('x')")


@pytest.mark.parametrize("iterator", ITERATORS)
def test_server_that_stalls_does_not_keep_an_iterator(large_file, iterator):
    run(SERVER + f"""
    archive = zpack.open(url)
    told.acquire()  # No signal.
    before = len(requests)
    stalls.set()
    iterator = {iterator}
    while len(requests) == before:
        time.sleep(0.01)
    del iterator
    left = {iterator}  # Nor does that keep the end of the process waiting.
    """, large_file)


@pytest.mark.parametrize("iterator", ITERATORS)
def test_ctrl_c_is_heard_while_an_iterator_of_a_stalled_server_ends(large_file, iterator):
    run(SERVER + f"""
    def begin_and_leave():
        iterator = {iterator}
        while not told.locked():
            time.sleep(0.01)
        del iterator
        released.wait()

    archive = zpack.open(url)
    stalls.set()
    interrupted(begin_and_leave)
    """, large_file)


def test_thread_that_waits_for_a_server_does_not_keep_the_process(large_file):
    ended = run(SERVER + """
    archive = zpack.open(url)
    told.acquire()
    before = len(requests)
    stalls.set()
    threading.Thread(target=lambda: archive['HEAD:data'], daemon=True).start()
    while len(requests) == before:
        time.sleep(0.01)
    print(time.monotonic())
    """, large_file)
    assert time.monotonic() - float(ended) < 9  # The end of a process waits for 10 seconds.


@pytest.mark.parametrize("work", ("archive['HEAD:data']", "archive.info('HEAD~1:data')"))
def test_signal_leaves_what_other_threads_read_alone(large_file, work):
    run(SERVER + f"""
    def read():
        answers.append(repr({work}))

    def read_for_a_while():
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        read()

    answers = []
    archive = zpack.open(sys.argv[1])
    read()
    archive = zpack.open(url)
    told.acquire()
    before = len(requests)
    stalls.set()
    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(requests) == before:
        time.sleep(0.01)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupted(read_for_a_while)
    stalls.clear()
    released.set()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 and len(set(answers)) == 1
    """, large_file)


@pytest.mark.parametrize("work", (
    "zpack.verify(url)", "zpack.restore(url, target)",
    "zpack.verify(url, progress=lambda _: stalls.set())"))
def test_server_that_stalls_does_not_keep_ctrl_c_from_an_operation(large_file, tmp_path, work):
    run(SERVER + f"""
    target = sys.argv[2]
    if "progress" not in {work!r}:
        stalls.set()
    interrupted(lambda: {work})
    assert not os.path.exists(target)
    """, large_file, tmp_path / "restored")
