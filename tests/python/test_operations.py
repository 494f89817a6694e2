# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""convert, verify and restore."""

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


class Stopped(Exception):
    pass


def test_an_exception_of_progress_stops(repository, tmp_path):
    def stop(progress):
        raise Stopped(progress.phase)

    with pytest.raises(Stopped):
        zpack.convert(repository.path, tmp_path / "x.zpack", progress=stop)
    assert not (tmp_path / "x.zpack").exists()
