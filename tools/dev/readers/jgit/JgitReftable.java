// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns the refs of a repository into reftables with JGit, changes some of them,
// and writes what JGit then reads:
//
//   java JgitReftable REPOSITORY DIRECTORY
//
// DIRECTORY gets 'refs.txt' and 'logs.txt', in the form of
// tests/unit/reftable/fixtures.

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogEntry;

public final class JgitReftable {
  private final FileRepository repository;
  private long seconds = 1700100000;

  private JgitReftable(FileRepository repository) {
    this.repository = repository;
  }

  private PersonIdent someone(ZoneOffset zone) {
    seconds += 60;
    return new PersonIdent("J Git", "jgit@example.com",
        Instant.ofEpochSecond(seconds), zone);
  }

  private static void require(boolean condition, Object what) {
    if (!condition) throw new IllegalStateException(what.toString());
  }

  private void update(String name, ObjectId id, String message, ZoneOffset zone)
      throws IOException {
    RefUpdate update = repository.updateRef(name);
    update.setNewObjectId(id);
    update.setRefLogIdent(someone(zone));
    update.setRefLogMessage(message, false);
    update.setForceRefLog(true);
    RefUpdate.Result result = update.forceUpdate();
    require(result == RefUpdate.Result.NEW || result == RefUpdate.Result.FORCED
        || result == RefUpdate.Result.FAST_FORWARD, name + ": " + result);
  }

  private void delete(String name) throws IOException {
    RefUpdate update = repository.updateRef(name, true);
    update.setRefLogIdent(someone(ZoneOffset.UTC));
    update.setForceUpdate(true);
    require(update.delete() == RefUpdate.Result.FORCED, name);
  }

  private void change() throws IOException {
    ObjectId tip = repository.resolve("refs/heads/main");
    ObjectId parent = repository.resolve("refs/heads/main~1");
    update("refs/heads/jgit", parent, "branch: created", ZoneOffset.UTC);
    update("refs/heads/jgit", tip, "more: text", ZoneOffset.ofHours(2));
    update("refs/heads/gone", tip, "will go", ZoneOffset.UTC);
    RefUpdate link = repository.updateRef("refs/heads/link", false);
    link.setRefLogIdent(someone(ZoneOffset.UTC));
    require(link.link("refs/heads/jgit") == RefUpdate.Result.NEW, "link");
    delete("refs/heads/gone");
    delete("refs/tags/light");
  }

  private List<String> refs() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Ref ref : repository.getRefDatabase().getRefs()) {
      Ref peeled = repository.getRefDatabase().peel(ref);
      String line = ref.getName() + " ";
      if (ref.isSymbolic()) {
        line += "-> " + ref.getTarget().getName();
      } else {
        line += ref.getObjectId().name();
        if (peeled.getPeeledObjectId() != null) {
          line += " ^" + peeled.getPeeledObjectId().name();
        }
      }
      lines.add(line);
    }
    Collections.sort(lines);
    return lines;
  }

  private List<String> logs() throws IOException {
    List<String> names = new ArrayList<>();
    for (Ref ref : repository.getRefDatabase().getRefs()) names.add(ref.getName());
    Collections.sort(names);
    List<String> lines = new ArrayList<>();
    for (String name : names) {
      List<ReflogEntry> entries =
          repository.getRefDatabase().getReflogReader(name).getReverseEntries();
      Collections.reverse(entries);
      for (ReflogEntry entry : entries) {
        lines.add(name + " " + entry.getOldId().name() + " "
            + entry.getNewId().name() + " " + entry.getWho().toExternalString()
            + "\t" + entry.getComment());
      }
    }
    return lines;
  }

  public static void main(String[] args) throws IOException {
    try (FileRepository repository = new FileRepository(new File(args[0]))) {
      repository.convertRefStorage("reftable", true, false);
      JgitReftable program = new JgitReftable(repository);
      program.change();
      Path directory = Path.of(args[1]);
      Files.createDirectories(directory);
      Files.write(directory.resolve("refs.txt"), program.refs());
      Files.write(directory.resolve("logs.txt"), program.logs());
    }
  }
}
