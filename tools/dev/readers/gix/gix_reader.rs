// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads every object of a repository with gitoxide and prints its id, type and
// size, one object a line. The id printed is hashed from what was read, and what
// was read must parse as its type. What cannot be read goes to standard error;
// the exit code is then 1.

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use gix::objs::{compute_hash, ObjectRef};
use gix::odb::pack::index::verify::{integrity, Mode};
use gix::odb::store::iter::Ordering;

type Failure = Box<dyn std::error::Error>;

fn print_object(
    repository: &gix::Repository,
    id: gix::ObjectId,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let object = repository.find_object(id)?;
    let hashed = compute_hash(repository.object_hash(), object.kind, &object.data)?;
    writeln!(out, "{} {} {}", hashed, object.kind, object.data.len())?;
    if hashed != id {
        return Err("content hashes to another id".into());
    }
    ObjectRef::from_bytes(&object.data, object.kind, repository.object_hash())?;
    Ok(())
}

/// The number of objects that could not be read.
fn print_objects(repository: &gix::Repository) -> Result<usize, Failure> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut failures = 0;
    // In the order of the pack, so that bases are found in the cache.
    let order = Ordering::PackAscendingOffsetThenLooseLexicographical;
    for id in repository.objects.iter()?.with_ordering(order) {
        let id = id?;
        if let Err(error) = print_object(repository, id, &mut out) {
            eprintln!("{id}: {error}");
            failures += 1;
        }
    }
    out.flush()?;
    Ok(failures)
}

/// Checksums of packs and indices, and of each entry.
fn verify(repository: &gix::Repository) -> Result<(), Failure> {
    let options = integrity::Options {
        verify_mode: Mode::HashCrc32,
        ..Default::default()
    };
    let store = repository.objects.store_ref();
    store.verify_integrity(
        &mut gix::progress::Discard,
        &AtomicBool::new(false),
        options,
    )?;
    Ok(())
}

fn run(directory: &str) -> Result<usize, Failure> {
    let repository = gix::open_opts(directory, gix::open::Options::isolated())?;
    let failures = print_objects(&repository)?;
    verify(&repository)?;
    Ok(failures)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 2 {
        eprintln!("usage: {} REPOSITORY", arguments[0]);
        return ExitCode::from(129);
    }
    match run(&arguments[1]) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", arguments[1]);
            ExitCode::FAILURE
        }
    }
}
