# What the black-box cases share. Sourced by tests/run before each case.

# A command that fails unasked ends the case and says where.
set -eE
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/} line $LINENO: $BASH_COMMAND"' ERR

# skip REASON: the case cannot be run here
skip() {
	echo "$*" >&2
	exit 77
}

# fail TEXT
fail() {
	echo "FAILED: $*"
	exit 1
}

# expect CODE COMMAND...: run it, complain when it ends otherwise
expect() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || fail "exit $got, expected $want: $*"
}

# code COMMAND...: run it and print its exit code last
code() {
	local got=0
	"$@" || got=$?
	echo "exit $got"
}

# python: an interpreter that has what the judges need (numpy, pyarrow...); set by scripts/check, or $C4W_VENV/bin/python
need_python() {
	local module
	python=${C4W_VENV:+$C4W_VENV/bin/python}
	python=${python:-python3}
	for module in "$@"; do
		"$python" -c "import $module" 2>/dev/null || skip "Python has no $module"
	done
}

need() {
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
}

# commands: the names of all commands, one a line, aliases left out
commands() {
	c4w help --json | sed -n 's/^{"name":"\([^"]*\)".*/\1/p'
}
