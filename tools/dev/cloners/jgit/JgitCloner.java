// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Mirrors a repository with JGit. An address that begins with ssh: does not lead to
// another machine: the command for the server runs here, in a shell. DEPTH 0 means
// everything. JGit takes the version of the protocol from the user's configuration.

import java.io.File;
import java.io.IOException;
import java.util.Map;
import org.eclipse.jgit.api.CloneCommand;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.transport.CredentialsProvider;
import org.eclipse.jgit.transport.RemoteSession;
import org.eclipse.jgit.transport.RemoteSession2;
import org.eclipse.jgit.transport.SshSessionFactory;
import org.eclipse.jgit.transport.URIish;
import org.eclipse.jgit.util.FS;

public final class JgitCloner {
  private static final class LocalSession implements RemoteSession2 {
    @Override
    public Process exec(String command, Map<String, String> environment, int timeout)
        throws IOException {
      ProcessBuilder builder = new ProcessBuilder("sh", "-c", command);
      builder.environment().putAll(environment);
      return builder.start();
    }

    @Override
    public Process exec(String command, int timeout) throws IOException {
      return exec(command, Map.of(), timeout);
    }

    @Override
    public void disconnect() {}
  }

  private static final class LocalSessions extends SshSessionFactory {
    @Override
    public RemoteSession getSession(
        URIish uri, CredentialsProvider credentials, FS fs, int timeout) {
      return new LocalSession();
    }

    @Override
    public String getType() {
      return "local";
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 4) {
      System.err.println("usage: JgitCloner LOCATION DIRECTORY VERSION DEPTH");
      System.exit(129);
    }
    SshSessionFactory.setInstance(new LocalSessions());
    CloneCommand clone = Git.cloneRepository()
        .setURI(arguments[0])
        .setDirectory(new File(arguments[1]))
        .setMirror(true);
    int depth = Integer.parseInt(arguments[3]);
    if (depth != 0) {
      clone.setDepth(depth);
    }
    clone.call().close();
  }
}
