# Used by tests/cli/all/completion-zsh.sh. usage: zsh -f complete.zsh FPATHDIR OUT LINE...: what zsh's completion offers for each line; OUT is scratch
zmodload zsh/zpty
out=$2
zpty z zsh -f -i
zpty -w z "PROMPT= PROMPT2=; unsetopt prompt_cr prompt_sp; TERM=dumb; stty -echo cols 1000; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w z 'compadd() {
	local -a hits
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -A hits "$@"
		(( $#hits )) && print -rl -- $hits >>'$out'
	fi
	builtin compadd "$@"
}'
zpty -w z 'comp() { zle complete-word 2>>'$out'; print -r -- DONE >>'$out'; }; zle -N comp; bindkey "^T" comp; bindkey "^U" kill-whole-line'
shift 2
for l in "$@"; do
	: >$out
	zpty -w -n z $'\x15'"$l"$'\x14'
	for i in {1..200}; do grep -q '^DONE$' $out && break; sleep 0.05; done
	print -r -- "$l: $(grep -v '^DONE$' $out | LC_ALL=C sort -u | tr '\n' ' ')"
done
zpty -d z
