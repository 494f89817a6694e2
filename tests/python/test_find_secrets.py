# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""tools/examples/find-secrets finds what was planted, and nothing else. The secrets are
made of pieces, so that no scanner takes this file for a leak."""

import os
import pathlib
import subprocess
import sys

import pytest
import zpack
from conftest import Repository

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/examples/find-secrets"
UPPER, LOWER = "QWERTYUIOPASDFGHJKLZXCVBNM" * 4, "a1b2c3d4e5f6g7h8i9" * 6
# Kind, and a line that has such a secret.
SECRETS = (
    ("private key", "-----BEGIN " + "RSA PRIVATE" + " KEY-----"),
    ("AWS access key", "id = AK" + "IA" + UPPER[:16]),
    ("AWS secret key", "aws_secret" + "_access_key=" + LOWER[:40]),
    ("GitHub token", "x gh" + "p_" + LOWER[:36]),
    ("GitHub token", "github" + "_pat_" + LOWER[:82]),
    ("GitLab token", "glp" + "at-" + LOWER[:20]),
    ("Slack token", "xo" + "xb-123456789012-" + LOWER[:24]),
    ("Stripe key", "sk_" + "live_" + LOWER[:24]),
    ("Google API key", "AI" + "za" + LOWER[:35]),
    ("npm token", "npm" + "_" + LOWER[:36]),
    ("PyPI token", "py" + "pi-" + LOWER[:90]),
    ("signed web token", ".".join(("ey" + "J" + LOWER[:20], "ey" + "J" + LOWER[:30], LOWER[:40]))),
    ("password in a URL", "clone https:" + "//user:correct-horse" + "@example.com/x.git"),
    ("password", "DB_PASS" + "WORD = 'correct-horse'"),
    ("password", '"client_Sec' + 'ret": "battery-staple"'),
    ("password", "api" + "Key := 'battery-staple'"),
)
HARMLESS = (
    "-----BEGIN PUBLIC KEY-----", "AKIA is a prefix", "password = os.environ['PASSWORD']",
    "password = ''", "password: ${{ secrets.TOKEN }}", "https://user@example.com/",
    "https://${USER}:${PASSWORD}@example.com/", "https://example.com:8080/a@b", "token = next()",
    "ghp_short", "a line",
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    made = Repository(tmp_path_factory.mktemp("planted"))
    made.commits = []

    def commit(name, content):
        pathlib.Path(made.path, name).write_bytes(content)
        made("add", ".")
        made("commit", "-q", "-m", "commit")
        made.commits.append(made("rev-parse", "HEAD"))

    commit("harmless", "\n".join(HARMLESS).encode())
    commit("settings", "".join(f"# {line}\n" for _, line in SECRETS).encode())
    commit("settings", b"nothing\n")
    commit("odd\x1b[2J", b"\0\xff " + SECRETS[0][1].encode() + b"\n")
    made.archive = tmp_path_factory.mktemp("archive") / "x.zpack"
    zpack.convert(made.path, made.archive)
    return made


def find(*arguments, env=None):
    return subprocess.run([sys.executable, SCRIPT, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, env=env)


def report(output):
    """(kind, place, secret, commits) of each row."""
    rows, kind, counts = [], None, {}
    lines = iter(output.decode().splitlines())
    for line in lines:
        if not line.startswith(" "):
            kind, _, counts[kind] = line.partition(": ")
            continue
        place, _, secret = line.strip().partition(": ")
        rows.append((kind, place, secret, next(lines).strip()))
    assert {kind: int(count) for kind, count in counts.items()} == {
        kind: sum(row[0] == kind for row in rows) for kind in counts}
    return rows


def test_exactly_what_was_planted_is_found(planted):
    done = find("--show", planted.archive)
    assert (done.returncode, done.stderr) == (1, b"")
    first, removed, odd = (commit[:12] for commit in planted.commits[1:])
    rows = report(done.stdout)
    assert {row for row in rows if row[1] == "odd?[2J:1"} == {
        ("private key", "odd?[2J:1", SECRETS[0][1], f"brought by {odd}, still there")}
    rest = [row for row in rows if row[1] != "odd?[2J:1"]
    assert [(kind, place, commits) for kind, place, _, commits in rest] == sorted(
        ((kind, f"settings:{number}", f"brought by {first}, removed by {removed}")
         for number, (kind, _) in enumerate(SECRETS, 1)),
        key=lambda row: [kind for kind, _ in SECRETS].index(row[0]))
    for _, place, secret, _ in rest:
        line = SECRETS[int(place.partition(":")[2]) - 1][1]
        assert secret and secret in line


def test_secrets_are_shortened_and_paths_limit(planted):
    done = find(planted.archive, "settings")
    assert done.returncode == 1
    rows = report(done.stdout)
    assert len(rows) == len(SECRETS)
    for _, _, secret, _ in rows:
        assert len(secret) <= 15
    assert b"\x1b" not in find(planted.archive).stdout
    done = find(planted.archive, "harmless")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_more_patterns(planted, tmp_path):
    more = tmp_path / "list"
    more.write_text("line\ta l.ne\n")
    rows = report(find("--patterns", more, planted.archive, "harmless").stdout)
    assert rows == [("line", f"harmless:{len(HARMLESS)}", "a line",
                     f"brought by {planted.commits[0][:12]}, still there")]
    for text in ("bad\t(\n", "bad\t[a\n"):
        more.write_text(text)
        done = find("--patterns", more, planted.archive)
        assert done.returncode == 128 and done.stderr.startswith(b"fatal: "), done


@pytest.mark.parametrize("pattern", ["p.sswort", r"^p\wss", "p[\u00e4a]sswort", "(?i)P\u00c4SSWORT",
                                     r"t:\s\w"])
def test_no_line_that_the_library_finds_is_left_out(tmp_path, pattern):
    made = Repository(tmp_path / "repository")
    lines = ["p\u00e4ssworT:\u00a0geheim", "p\u00e4sswort: geheim", "pA\u0308sswort: x"]
    pathlib.Path(made.path, "a").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made("add", ".")
    made("commit", "-q", "-m", "commit")
    zpack.convert(made.path, tmp_path / "x.zpack")
    (tmp_path / "list").write_text(f"kind\t{pattern}\n", encoding="utf-8")
    # What the library finds depends on the locale.
    utf8 = os.environ | {"LC_ALL": "C.UTF-8"}
    search = ("import sys, zpack\n"
              "for match in zpack.open(sys.argv[1]).grep_history([sys.argv[2]], syntax='perl'):\n"
              "    print(f'a:{match.line}')")
    found = subprocess.run([sys.executable, "-c", search, tmp_path / "x.zpack", pattern],
                           stdout=subprocess.PIPE, check=True, env=utf8).stdout.decode().split()
    assert found
    done = find("--patterns", tmp_path / "list", tmp_path / "x.zpack", env=utf8)
    assert [row[1] for row in report(done.stdout)] == found
    assert done.returncode == 1


def test_no_secret_and_an_error_are_told_apart(planted, tmp_path):
    (tmp_path / "list").write_bytes(b"x\t\xfe\n")
    assert find("--patterns", tmp_path / "list", planted.archive).returncode == 128
    assert find().returncode == 129
    closed = subprocess.run([sys.executable, SCRIPT, planted.archive], stderr=subprocess.PIPE,
                            check=False, preexec_fn=lambda: os.close(1))
    assert closed.returncode == 128 and closed.stderr.startswith(b"fatal: "), closed


def test_errors(planted, tmp_path):
    for arguments in ((tmp_path / "none",), ("--patterns", tmp_path / "none", planted.archive)):
        done = find(*arguments)
        assert done.returncode == 128
        assert done.stderr.startswith(b"fatal: ") and b"none" in done.stderr
