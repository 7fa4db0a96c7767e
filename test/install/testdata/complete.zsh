# zsh finds the completion by itself, and completes commands, flags and the world's IDs.
setopt errexit
autoload -Uz compinit
compinit -u -D
[[ $_comps[worldfs] == _worldfs ]]
autoload -Uz +X _worldfs

# What zsh would show: it can only be shown while a line is edited.
_describe() { print -rl -- $completions }
_files() { print -r -- files }
_arguments() { print -r -- "$@" }
# expect OFFER WORD...
expect() {
	local want=$1 got
	shift
	words=("$@") CURRENT=$#
	got=$(_worldfs)
	[[ $got == ${~want} ]] || { print -r -- "zsh: $*: offered $got, not $want"; exit 1 }
}
expect 'show:Print an entity' worldfs sho
expect '*--type:only entities*' worldfs ls --ty
expect '6001:Puzzle_Panel a panel of the package' worldfs show 6001
expect $'*6005:Lamp bunker lamp\n6006:*' worldfs show 600
expect $'Decal\nDoor' worldfs ls --type D
