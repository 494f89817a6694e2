# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints what zsh completes lines to. Its completion works only in an interactive
# shell, so there is one on a pseudoterminal, which gets the lines and a tab each.
#
#   zsh -f complete.zsh DIRECTORY SCRATCH LINE...
#
# DIRECTORY has the completion functions; SCRATCH is the name of a file.

zmodload zsh/zpty
directory=$1 scratch=$2
shift 2
cat > $scratch.rc <<END
PS1= PS2=
fpath=(${(q)directory} \$fpath)
autoload -U compinit && compinit -u -D
# Writes down what is added. With -O, -A or -D nothing is added.
compadd() {
  if ((\$@[(I)-[OAD]])); then builtin compadd "\$@"; return; fi
  local -a added
  builtin compadd -A added "\$@"
  ((\$#added)) && print -rl -- \$added >> ${(q)scratch}
  builtin compadd "\$@"
}
capture() {
  compstate[insert]= compstate[list]=
  _main_complete 2>> ${(q)scratch}
  print -r -- DONE >> ${(q)scratch}
}
zle -C capture complete-word capture
bindkey '^I' capture
print -r -- DONE >> ${(q)scratch}
END

# Waits until the shell is done, and prints what it wrote down.
answer() {
  local output tries
  for ((tries = 0; tries < 3000; tries++)); do
    # Its output has to be read, or it waits.
    while zpty -r -t shell output 2> /dev/null; do :; done
    if [[ -e $scratch ]] && grep -qx DONE $scratch; then
      grep -vx DONE $scratch
      rm -f $scratch
      return
    fi
    zselect -t 1
  done
  print -ru2 -- "zsh gave no answer to '$1'"
  exit 1
}

zmodload zsh/zselect
zpty shell zsh -f -i
zpty -w shell "source ${(q)scratch}.rc"
answer start > /dev/null
for line in "$@"; do
  print -r -- "== $line"
  zpty -w -n shell $'\C-u'"$line"$'\t'
  answer $line
done
zpty -d shell
