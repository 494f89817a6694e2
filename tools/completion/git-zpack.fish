# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Fish completion for 'git-zpack' and 'git zpack'. Install it as
# <prefix>/share/fish/vendor_completions.d/git-zpack.fish. Fish loads it when it
# completes 'git-zpack'. Fish 3.6 needs that once before 'git zpack' is completed;
# the completion of Git in newer versions calls this one.
#
# Commands, options and their descriptions come from --help of the program.

# Prints '<command><tab><description>' for each command.
function __git_zpack_commands
    git-zpack --help 2>/dev/null |
        string match -rg '^   ([a-z][a-z-]*) +(.+)$' |
        while read -l name
            read -l text
            printf '%s\t%s\n' $name $text
        end
end

# Prints --help of command $argv[1], each option in one line.
function __git_zpack_help
    set -l help (git-zpack $argv[1] --help 2>/dev/null | string collect)
    string replace -ra ' *\n {4,}' ' ' -- $help | string split \n
end

# Prints '<option><tab><description>' for each option of command $argv[1].
function __git_zpack_options
    # '  -f [ --force ] <value>   text', where all but one name may be missing.
    for line in (__git_zpack_help $argv[1] | string match -r '^  -.*')
        set -l text (string replace -r '^  (-[^-] \[ --\S+ \]|-[^-]|--\S+)( <[^>]+>)? *' '' -- $line)
        for name in (string match -ar '(?<=^  )-[^- ](?= )|(?<=^  |\[ )--[a-z0-9-]+' -- $line)
            printf '%s\t%s\n' $name $text
        end
    end
end

# Prints the name, or the letter if there is no name, of option $argv[2] of command
# $argv[1], if its value is in the next word. Fails if it is not.
function __git_zpack_needs_value
    set -l option (string escape --style=regex -- $argv[2])
    set -l line (__git_zpack_help $argv[1] | string match -r -- "^  (?:-\S \[ )?$option(?: \]| \[ --\S+ \])? <")
    or return
    set -l name (string match -r -- '--[a-z0-9-]+' $line; or echo $argv[2])
    # The value of these may be missing.
    string match -qr -- '^--(batch(-check)?|color|pretty|decorate|abbrev|expand-tabs|find-renames|find-copies)$' $name
    and return 1
    echo $name
end

# Prints directories and .zpack files that start with $argv[1], or all files if
# none of them is a .zpack file.
function __git_zpack_files
    set -l paths (__fish_complete_suffix $argv[1] .zpack)
    if string match -qr '\.zpack(\t|$)' -- $paths
        string match -r '^.*(?:/|\.zpack)(?:\t.*)?$' -- $paths
    else
        printf '%s\n' $paths
    end
end

# Prints the values of option $argv[2] of command $argv[1]; $argv[3] is what is
# typed so far.
function __git_zpack_values
    switch "$argv[1] $argv[2]"
        case 'convert --profile' 'consolidate --profile'
            string split ' ' 'fast balanced max cold'
        case 'convert --level'
            seq 22
        case '* --geometric'
            string split ' ' '2 3 4 8'
        case 'convert --block-size'
            string split ' ' '64k 256k 1m 2m 4m 8m 16m'
        case 'repack --level'
            seq 12
        case 'repack --max-pack-size'
            string split ' ' '100m 500m 1g 2g'
        case 'attest --level'
            string split ' ' 'checksums objects connectivity'
        case 'verify --level'
            string split ' ' 'structure checksums objects connectivity'
        case '* --memory'
            string split ' ' '128m 256m 512m 1g'
        case 'repack --unpack-unreachable' 'repack --cruft-expiration'
            string split ' ' '2.weeks.ago 3.months.ago now never'
        case 'repack --filter'
            string split ' ' 'blob:none blob:limit=1m tree:0'
        case 'repack --expire-to' 'repack --filter-to'
            __fish_complete_path $argv[3]
        case '* --object-format'
            string split ' ' 'sha1 sha256'
        case '* --ref-format'
            string split ' ' 'files reftable'
        case '* --without'
            string split ' ' 'reflogs description info hooks lfs config worktrees alternates other'
        case 'grep --color' 'log --color'
            string split ' ' 'always auto never'
        case 'grep --file' 'report --html'
            __fish_complete_path $argv[3]
        case 'log --pretty' 'log --format'
            string split ' ' 'oneline short medium full fuller reference raw'
        case 'log --date'
            string split ' ' 'default iso iso-strict rfc short raw unix relative human'
        case 'log --decorate'
            string split ' ' 'short full auto no'
        case 'archive --format'
            string split ' ' 'tar tar.gz tar.zst zip'
        case 'verify --format'
            string split ' ' 'text json junit github sarif'
        case 'verify --max-errors'
            echo all
        case '* --redundancy' 'verify --sample'
            string split ' ' '1% 2% 5% 10% 20%'
        case '* --against' 'shell --root' 'repack --output' 'convert --onto-latest' 'show --dependents'
            __fish_complete_directories $argv[3] ''
        case 'verify --attestation'
            __fish_complete_path $argv[3]
        case '* --output' '* --backing' 'convert --base' 'convert --onto' 'restore --bundle' 'mount --log' 'verify --since'
            __git_zpack_files $argv[3]
    end
end

# Prints the names of the refs in the .zpack file $argv[1].
function __git_zpack_refs
    git-zpack list-refs $argv[1] 2>/dev/null |
        string replace -r '^\S+ ' '' |
        string replace -r '^(refs/[^/]+/(.+))$' '$1\n$2' | string split '\n'
end

function __git_zpack_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # Of 'git [<options>] zpack', what follows is left.
    if string match -qr '(^|/)git$' -- $words[1]
        while set -q words[1]; and test $words[1] != zpack
            set -e words[1]
        end
    end
    set -e words[1]
    if not set -q words[1]
        __git_zpack_commands
        printf '%s\t%s\n' --help 'show the commands' --version 'show the version'
        return
    end
    set -l command $words[1]
    set -e words[1]

    # The value of an option, in one word or in two.
    if string match -qr '^--[a-z-]+=' -- $current
        set -l parts (string split -m 1 = -- $current)
        set -l value (__git_zpack_values $command $parts[1] $parts[2])
        string replace -r -- '^' "$parts[1]=" $value
        return
    end
    if set -q words[-1]; and string match -q -- '-*' $words[-1]
        and set -l option (__git_zpack_needs_value $command $words[-1])
        __git_zpack_values $command $option $current
        return
    end
    if string match -q -- '-*' $current
        __git_zpack_options $command
        return
    end

    # The arguments before the word, without options and their values.
    set -l arguments
    set -l skip no
    # The pattern of grep is an argument unless an option gives one; paths in the
    # file come after '--'.
    set -l pattern no
    test $command = grep; and set pattern yes
    for word in $words
        if string match -qr -- '^(-[ef]|--(regexp|file)(=.*)?)$' $word
            set pattern no
        end
        if test $skip = yes
            set skip no
        else if contains -- "$command $word" 'grep --' 'log --'
            return
        else if string match -q -- '-*' $word
            __git_zpack_needs_value $command $word >/dev/null
            and set skip yes
        else
            set -a arguments $word
        end
    end
    if test $command = grep
        set arguments (string match -vr -- '^[()]$' $arguments)
        if test $pattern = yes
            set -q arguments[1]; or return
            set -e arguments[1]
        end
    end
    switch "$command "(count $arguments)
        case 'convert 0' 'restore 1' 'salvage 1' 'mount 1' 'repack 0'
            __fish_complete_directories $current ''
        case 'cat-file 1' 'ls-tree 1' 'archive 1' 'rev-list *' 'log *' 'grep *'
            if set -q arguments[1]
                __git_zpack_refs $arguments[1]
            else
                __git_zpack_files $current
            end
        case 'help 0'
            __git_zpack_commands
        case 'http-backend *' 'shell *'
        case '* 0' 'convert 1' 'consolidate 1' 'repair 1' 'verify *' 'attest *' 'show *' 'report *'
            __git_zpack_files $current
    end
end

complete -c git-zpack -f -a '(__git_zpack_complete)'
complete -c git -n '__fish_seen_subcommand_from zpack' -f -a '(__git_zpack_complete)'
