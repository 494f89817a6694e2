# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Bash completion for 'git-zpack' and, through Git's own completion, for
# 'git zpack'. Install it as <prefix>/share/bash-completion/completions/git-zpack
# or source it. For 'git zpack' Git's completion calls _git_zpack, so this file
# has to be sourced, or loaded by completing 'git-zpack' once.

# Commands and options come from --help of the program.

# Prints the commands.
__git_zpack_commands()
{
	git-zpack --help 2>/dev/null | sed -n 's/^   \([a-z][a-z-]*\) .*/\1/p'
}

# Prints the long options of command $1.
__git_zpack_options()
{
	if [[ $1 == version ]]; then
		echo "--build-options --verbose"
		return
	fi
	git-zpack "$1" --help 2>/dev/null |
		sed -nE 's/^  (-[^-] \[ )?(--[a-z0-9-]+).*/\2/p'
}

# Completes to those of the words in $1 that start with $2, or to nothing.
__git_zpack_words()
{
	local word
	COMPREPLY=()
	for word in $1; do
		[[ $word == "$2"* ]] && COMPREPLY+=("$word")
	done
}

# Completes to paths that start with $2: directories, with $1 = file also .zpack
# files, or all files if there are none, and with $1 = any all files.
__git_zpack_paths()
{
	local path
	local -a directories=() files=() zpacks=()
	while IFS= read -r path; do
		if [[ -d $path ]]; then
			directories+=("$path")
		else
			files+=("$path")
			[[ $path == *.zpack ]] && zpacks+=("$path")
		fi
	done < <(compgen -f -- "$2")
	COMPREPLY=("${directories[@]}")
	if [[ $1 != directory ]]; then
		if [[ $1 == file ]] && ((${#zpacks[@]})); then
			COMPREPLY+=("${zpacks[@]}")
		else
			COMPREPLY+=("${files[@]}")
		fi
	fi
	# Quoting, and a slash after directories.
	compopt -o filenames 2>/dev/null
}

# Completes to ref names in the .zpack file $1, as it was typed, that start with
# $2.
__git_zpack_refs()
{
	local file id name program=git-zpack
	COMPREPLY=()
	# Takes quotes and backslashes off, and runs nothing.
	file=$(xargs -n 1 printf '%s\n' <<< "$1" 2>/dev/null)
	[[ $1 == "~/"* ]] && file=$HOME/${file:2}
	while read -r id name; do
		[[ $name == "$2"* ]] && COMPREPLY+=("$name")
		[[ $name == refs/*/* && ${name#refs/*/} == "$2"* ]] &&
			COMPREPLY+=("${name#refs/*/}")
	done < <("$program" list-refs "$file" 2>/dev/null)
}

# Prints the options of command $1 that take a value, one a line: the letter of
# each, '=', and its name, of which one may be missing.
__git_zpack_valued()
{
	git-zpack "$1" --help 2>/dev/null |
		sed -nE 's/^  (-[^-])?( \[ )?(--[a-z0-9-]+)?( \])? <.*/\1=\3/p'
}

# Sets `option` to the name, or the letter if there is no name, of the option $1
# with its value in the next word, one of those in `valued`. Fails if it is none.
__git_zpack_needs_value()
{
	local pair
	[[ $1 == -?* ]] || return 1
	for pair in $valued; do
		[[ $1 == "${pair%%=*}" || $1 == "${pair#*=}" ]] || continue
		option=${pair#*=}
		[[ -n $option ]] || option=${pair%%=*}
		# The value of these may be missing.
		[[ $option != --@(batch|batch-check|batch-command|color|pretty|decorate|abbrev|expand-tabs|find-renames|find-copies) ]]
		return
	done
	return 1
}

# Completes the values of option $2 of command $1; $3 is what is typed so far.
__git_zpack_value()
{
	case "$1 $2" in
	"convert --profile" | "consolidate --profile")
		__git_zpack_words "fast balanced max cold" "$3" ;;
	"convert --level")
		__git_zpack_words "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22" "$3" ;;
	"convert --block-size")
		__git_zpack_words "64k 256k 1m 2m 4m 8m 16m" "$3" ;;
	"repack --level")
		__git_zpack_words "1 2 3 4 5 6 7 8 9 10 11 12" "$3" ;;
	"repack --max-pack-size")
		__git_zpack_words "100m 500m 1g 2g" "$3" ;;
	*" --memory")
		__git_zpack_words "128m 256m 512m 1g" "$3" ;;
	"repack --unpack-unreachable" | "repack --cruft-expiration")
		__git_zpack_words "2.weeks.ago 3.months.ago now never" "$3" ;;
	"repack --filter")
		__git_zpack_words "blob:none blob:limit=1m tree:0" "$3" ;;
	*" --object-format")
		__git_zpack_words "sha1 sha256" "$3" ;;
	*" --ref-format")
		__git_zpack_words "files reftable" "$3" ;;
	*" --redundancy")
		__git_zpack_words "1% 2% 5% 10% 20%" "$3" ;;
	*" --without")
		__git_zpack_words "reflogs description info hooks lfs config worktrees alternates other" "$3" ;;
	*" --geometric")
		__git_zpack_words "2 3 4 8" "$3" ;;
	"attest --level")
		__git_zpack_words "checksums objects connectivity" "$3" ;;
	"verify --level")
		__git_zpack_words "structure checksums objects connectivity" "$3" ;;
	"verify --format")
		__git_zpack_words "text json junit github sarif" "$3" ;;
	"verify --max-errors")
		__git_zpack_words "all" "$3" ;;
	"verify --sample")
		__git_zpack_words "1% 2% 5% 10% 20%" "$3" ;;
	*" --color")
		__git_zpack_words "always auto never" "$3" ;;
	"log --pretty" | "log --format")
		__git_zpack_words "oneline short medium full fuller reference raw" "$3" ;;
	"log --date")
		__git_zpack_words "default iso iso-strict rfc short raw unix relative human" "$3" ;;
	"log --decorate")
		__git_zpack_words "short full auto no" "$3" ;;
	"archive --format")
		__git_zpack_words "tar tar.gz tar.zst zip" "$3" ;;
	"repack --output" | "convert --onto-latest" | "show --dependents" | *" --against" | *" --root")
		__git_zpack_paths directory "$3" ;;
	"repack --expire-to" | "repack --filter-to" | "grep --file" | "verify --attestation" | "report --html")
		__git_zpack_paths any "$3" ;;
	"convert --base" | "convert --onto" | "verify --since" | "mount --log" | *" --bundle" | *" --output" | *" --backing")
		__git_zpack_paths file "$3" ;;
	*)
		COMPREPLY=() ;;
	esac
}

# Completes word $2 of the words from $3 on, where word $1 is the first one
# after 'git-zpack' or 'git zpack'.
__git_zpack_complete()
{
	local first=$1 current=$2
	shift 2
	local -a words=("$@") arguments=()
	local word=${words[current]} previous=${words[current - 1]}
	local command=${words[first]} i option valued options_end=0 pattern=1

	if ((current == first)); then
		case "$word" in
		-*) __git_zpack_words "--help --version" "$word" ;;
		*) __git_zpack_words "$(__git_zpack_commands)" "$word" ;;
		esac
		return
	fi
	valued=$(__git_zpack_valued "$command")

	# '--level=9' comes as three words or as one, depending on the caller.
	if [[ $previous == --* && $word == = ]]; then
		__git_zpack_value "$command" "$previous" ""
		return
	elif [[ $previous == = && ${words[current - 2]} == --* ]]; then
		__git_zpack_value "$command" "${words[current - 2]}" "$word"
		return
	elif [[ $word == --*=* ]]; then
		option=${word%%=*}
		__git_zpack_value "$command" "$option" "${word#*=}"
		# Bash replaces what follows the last word break only.
		[[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$option=}")
		return
	elif __git_zpack_needs_value "$previous"; then
		__git_zpack_value "$command" "$option" "$word"
		return
	fi

	# The arguments before the word, without options and their values.
	for ((i = first + 1; i < current; i++)); do
		case "$options_end ${words[i]}" in
		"0 --")
			options_end=1 ;;
		"0 -"?*)
			[[ $command == grep && ${words[i]} == -@([ef]|-regexp*|-file*) ]] && pattern=0
			if [[ ${words[i + 1]} == = ]]; then
				((i += 2))
			elif __git_zpack_needs_value "${words[i]}"; then
				((i++))
			fi ;;
		*)
			[[ $command == grep && ${words[i]} == @([()]|\\[()]) ]] ||
				arguments+=("${words[i]}") ;;
		esac
	done

	if [[ $word == -* ]] && ((!options_end)); then
		__git_zpack_words "$(__git_zpack_options "$command")" "$word"
		return
	fi
	# The pattern of grep is an argument unless an option gives one; paths in the
	# file come after '--'.
	[[ $command == log ]] && ((options_end)) && return
	if [[ $command == grep ]]; then
		((options_end || ${#arguments[@]} < pattern)) && return
		arguments=("${arguments[@]:pattern}")
	fi
	# Revisions may be any number.
	local position=${#arguments[@]}
	[[ $command == rev-list || $command == list-refs || $command == grep || $command == log ]] && ((position > 1)) && position=1
	case "$command $position" in
	"convert 0" | "restore 1" | "salvage 1" | "mount 1" | "repack 0")
		__git_zpack_paths directory "$word" ;;
	"help 0")
		__git_zpack_words "$(__git_zpack_commands)" "$word" ;;
	"cat-file 1" | "list-refs 1" | "rev-list 1" | "log 1" | "grep 1" | "ls-tree 1" | "archive 1")
		__git_zpack_refs "${arguments[0]}" "$word" ;;
	"http-backend 0" | "shell 0" | "version 0")
		COMPREPLY=() ;;
	*" 0" | "convert 1" | "consolidate 1" | "repair 1" | "diff 1" | "verify "* | "attest "* | "show "* | "report "*)
		__git_zpack_paths file "$word" ;;
	*)
		COMPREPLY=() ;;
	esac
}

# Called by bash for 'git-zpack'.
__git_zpack_main()
{
	__git_zpack_complete 1 "$COMP_CWORD" "${COMP_WORDS[@]}"
}

# Called by Git's completion for 'git zpack', with its own words and cword.
_git_zpack()
{
	local i
	for ((i = 1; i < cword; i++)); do
		[[ ${words[i]} == zpack ]] && break
	done
	__git_zpack_complete "$((i + 1))" "$cword" "${words[@]}"
}

complete -F __git_zpack_main git-zpack
