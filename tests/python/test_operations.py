# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""convert, consolidate, verify and restore."""

import os
import subprocess

import pytest
import zpack


def test_round_trip(repository, file, tmp_path):
    phases = []
    zpack.restore(file, tmp_path / "restored", progress=lambda p: phases.append(p.phase))
    shown = subprocess.run(["git", "show-ref"], cwd=tmp_path / "restored", check=True,
                           stdout=subprocess.PIPE).stdout.decode()
    assert shown.strip() == repository("show-ref")
    assert phases
    report = zpack.verify(file, repository.path, level="connectivity")
    assert report and report.ok
    assert report.verified == report.objects == len(zpack.open(file))


def test_damage_is_in_the_report(file, tmp_path):
    content = bytearray(file.read_bytes())
    content[content.index(b"BLCK") + 60] ^= 1
    damaged = tmp_path / "damaged.zpack"
    damaged.write_bytes(content)
    report = zpack.verify(damaged)
    assert not report
    assert "offset" in report.damages[0]


def test_differences_are_in_the_report(file, tmp_path):
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "empty.git"], check=True)
    report = zpack.verify(file, tmp_path / "empty.git")
    assert not report.ok and not report.damages
    assert any("refs/heads/main" in line for line in report.differences)


def test_refusals(repository, file, tmp_path):
    with pytest.raises(zpack.errors.ExistsError):
        zpack.convert(repository.path, file)
    with pytest.raises(zpack.errors.NotFoundError):
        zpack.convert(tmp_path, tmp_path / "x.zpack")
    with pytest.raises(ValueError):
        zpack.convert(repository.path, tmp_path / "x.zpack", profile="best")
    with pytest.raises(ValueError):
        zpack.verify(file, level="all")
    assert not list(tmp_path.iterdir())


def test_paths_with_nul_are_not_cut_off(repository, file, tmp_path):
    target = tmp_path / "x"
    for use in (lambda: zpack.convert(repository.path, f"{target}\0y"),
                lambda: zpack.convert(f"{repository.path}\0y", target),
                lambda: zpack.convert(repository.path, target, base=f"{file}\0y"),
                lambda: zpack.convert(repository.path, target, onto=f"{file}\0y"),
                lambda: zpack.consolidate(f"{file}\0y", target),
                lambda: zpack.consolidate(file, f"{target}\0y"),
                lambda: zpack.consolidate(file, target, backing=["x", "\0"]),
                lambda: zpack.restore(f"{file}\0y", target),
                lambda: zpack.restore(file, f"{target}\0y"),
                lambda: zpack.verify(f"{file}\0y"),
                lambda: zpack.verify(file, f"{repository.path}\0y")):
        with pytest.raises(ValueError, match="null"):
            use()
    assert not list(tmp_path.iterdir())


def test_errors_of_the_system_are_os_errors(file, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError) as caught:
        zpack.restore(file, tmp_path / "file" / "x")
    assert isinstance(caught.value, zpack.errors.IOError)


def test_messages_name_no_options_of_the_program(repository, file, archive):
    with pytest.raises(zpack.errors.ExistsError) as caught:
        zpack.convert(repository.path, file)
    assert str(caught.value) == f"'{file}' already exists"
    with pytest.raises(ValueError) as refused:
        list(archive.grep("a\0b"))
    assert str(refused.value).endswith(
        "given pattern contains NULL byte. This is only supported under PCRE v2")


class Stopped(Exception):
    pass


def test_an_exception_of_progress_stops(repository, tmp_path):
    def stop(progress):
        raise Stopped(progress.phase)

    with pytest.raises(Stopped):
        zpack.convert(repository.path, tmp_path / "x.zpack", progress=stop)
    assert not (tmp_path / "x.zpack").exists()


@pytest.fixture
def chain(repository, file, tmp_path):
    """A file that depends on another one, whose path is the second."""
    below = tmp_path / "a.zpack"
    below.write_bytes(file.read_bytes())
    subprocess.run(["git", "clone", "-q", "--mirror", repository.path, tmp_path / "clone.git"],
                   check=True)
    subprocess.run(["git", "-C", tmp_path / "clone.git", "update-ref", "refs/heads/new", "main"],
                   check=True)
    newer = tmp_path / "b.zpack"
    assert zpack.convert(tmp_path / "clone.git", newer, onto=below) is True
    return newer, below


def test_a_file_that_depends_on_another_one(chain, tmp_path):
    newer, below = chain
    assert "refs/heads/new" in zpack.open(newer).refs
    assert zpack.verify(newer, tmp_path / "clone.git")
    own = zpack.verify(newer, own=True)
    assert own and own.verified < own.objects
    assert zpack.convert(tmp_path / "clone.git", tmp_path / "c.zpack", onto=newer,
                         skip_unchanged=True) is False
    assert not (tmp_path / "c.zpack").exists()
    with pytest.raises(zpack.errors.ExistsError, match="depends on it"):
        zpack.convert(tmp_path / "clone.git", below, overwrite=True)
    zpack.convert(tmp_path / "clone.git", below, overwrite=True, lose_dependents=True)


def test_the_file_below_is_elsewhere(chain, tmp_path, monkeypatch):
    newer, below = chain
    place = tmp_path / "place"
    place.mkdir()
    below.rename(place / "renamed.zpack")
    with pytest.raises(zpack.errors.NotFoundError, match="depends on 'a.zpack'"):
        zpack.open(newer)
    for backing in ([place], [os.fsencode(place / "renamed.zpack")], iter(("/missing", place)),
                    place, str(place), os.fsencode(place / "renamed.zpack")):
        assert "refs/heads/new" in zpack.open(newer, backing=backing).refs
    assert zpack.verify(newer, backing=(place,)) and zpack.verify(newer, backing=str(place))
    zpack.restore(newer, tmp_path / "restored.git", backing=place)
    assert zpack.consolidate(newer, tmp_path / "c.zpack", backing=[place]).files == 2
    with pytest.raises(TypeError):
        zpack.open(newer, backing=7)
    with pytest.raises(TypeError):
        zpack.verify(newer, backing=7)
    # A text is one path, not its letters, of which '.' would be a directory.
    monkeypatch.chdir(place)
    with pytest.raises(zpack.errors.NotFoundError):
        zpack.open(newer, backing=f"{tmp_path}/no.place")


def test_one_file_of_all(chain, tmp_path):
    newer, below = chain
    output = tmp_path / "c.zpack"
    done = zpack.consolidate(newer, output)
    assert (done.files, done.files_below) == (2, 0)
    assert done.objects == len(zpack.open(newer)) == len(zpack.open(output))
    assert done.bytes_before == newer.stat().st_size + below.stat().st_size
    assert done.bytes == output.stat().st_size
    with pytest.raises(zpack.errors.ExistsError):
        zpack.consolidate(newer, output)
    assert zpack.consolidate(newer, output, first=2, overwrite=True).files_below == 1
    assert zpack.consolidate(newer, tmp_path / "d.zpack", geometric=2).files == 0
    assert not (tmp_path / "d.zpack").exists()
    zpack.consolidate(newer, tmp_path / "d.zpack", profile="cold")
    assert zpack.verify(tmp_path / "d.zpack", tmp_path / "clone.git")
    for wrong in ({"profile": "best"}, {"geometric": 1}, {"first": 3},
                  {"first": 2, "geometric": 2}):
        with pytest.raises(ValueError):
            zpack.consolidate(newer, tmp_path / "e.zpack", **wrong)
