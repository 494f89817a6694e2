// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads every packed object of a repository with JGit and prints its id, type and
// size, one object a line. The id printed is hashed from what was read. What
// cannot be read goes to standard error; the exit code is then 1.

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.internal.storage.file.Pack;
import org.eclipse.jgit.internal.storage.file.PackIndex;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.ObjectStream;

public final class JgitReader {
  private record Entry(long offset, ObjectId id) {}

  private final ObjectInserter.Formatter formatter = new ObjectInserter.Formatter();
  private final PrintStream out = new PrintStream(
      new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
  private int failures = 0;

  private void report(String subject, Object problem) {
    System.err.println(subject + ": " + problem);
    ++failures;
  }

  /** The entries in the order of the pack, so that bases are found in the cache. */
  private static List<Entry> entriesOf(Pack pack) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (PackIndex.MutableEntry entry : pack.getIndex()) {
      entries.add(new Entry(entry.getOffset(), entry.toObjectId()));
    }
    entries.sort(Comparator.comparingLong(Entry::offset));
    return entries;
  }

  private void printObject(ObjectReader reader, ObjectId id) throws IOException {
    ObjectLoader loader = reader.open(id);
    try (ObjectStream stream = loader.openStream()) {
      ObjectId hashed = formatter.idFor(loader.getType(), loader.getSize(), stream);
      out.println(hashed.name() + " " + Constants.typeString(loader.getType()) + " "
          + loader.getSize());
      if (!hashed.equals(id)) {
        report(id.name(), "content hashes to another id");
      }
    }
  }

  private void printPack(ObjectReader reader, Pack pack) throws IOException {
    for (Entry entry : entriesOf(pack)) {
      try {
        printObject(reader, entry.id());
      } catch (IOException | RuntimeException error) {
        report(entry.id().name(), error);
      }
    }
  }

  private int run(String directory) {
    try (FileRepository repository = new FileRepository(new File(directory));
        ObjectReader reader = repository.newObjectReader()) {
      for (Pack pack : repository.getObjectDatabase().getPacks()) {
        printPack(reader, pack);
      }
    } catch (IOException | RuntimeException error) {
      report(directory, error);
    }
    if (out.checkError()) {
      report("standard output", "cannot be written");
    }
    return failures == 0 ? 0 : 1;
  }

  public static void main(String[] arguments) {
    if (arguments.length != 1) {
      System.err.println("usage: JgitReader REPOSITORY");
      System.exit(129);
    }
    System.exit(new JgitReader().run(arguments[0]));
  }
}
