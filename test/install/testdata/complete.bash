# bash loads the completion by itself, and completes commands, flags and the world's IDs.
set -eu
set +u # bash-completion reads variables that are not set
source /usr/share/bash-completion/bash_completion
__load_completion worldfs
[[ $(complete -p worldfs) == *"__start_worldfs worldfs" ]]

# offers WORD...: what is offered for the last of the words.
offers() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMP_KEY=9
	COMP_POINT=${#COMP_LINE}
	COMPREPLY=()
	__start_worldfs
	echo "${COMPREPLY[*]}"
}
# expect OFFERS WORD...
expect() {
	local want=$1 got
	shift
	got=$(offers "$@" 2>&1)
	[[ $got == $want ]] || { echo "bash: $*: offered $got, not $want"; exit 1; }
}
compopt() { :; } # it can only be called while bash completes
expect 'show*' worldfs sho
expect '--type*' worldfs ls --ty
expect '6001*' worldfs show 6001
expect '*6005*6006*' worldfs show 600
expect '*Decal*Door*' worldfs ls --type D
expect 'check*' worldfs types ''
expect '' worldfs sync ''
