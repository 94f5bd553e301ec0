#!/bin/sh
# wm: passes one event of a coding agent to the daemon, and prints the answer.
#
#     hook.sh AGENT EVENT [--stream | --socket] < payload
#     hook.sh --run ARGUMENTS     runs wm itself: `--run mcp` is the MCP server
#
# `wm setup` writes a copy with the three values below; the hooks of all agents run that copy.
# It is cheap (one curl, no interpreter), silent, ends within its deadline, and exits with 0
# whatever happens: exit code 2 of a hook would block the agent. It finds the socket at run time.
#
# What happens to a payload that the daemon did not accept:
#     (nothing)   it is processed on the files; a copy is kept, because curl may have read it
#     --stream    the same, but only if no daemon listens: one that hangs already has the payload
#     --socket    it is dropped: the event is frequent and worth little

python=
package=
seconds=1

wm() {
  if [ -x "$python" ]; then exec "$python" -I "$package/__main__.py" "$@"; fi
  exec wm "$@"
}

# The client that needs no curl: over the socket, then on the files.
client() {
  if [ -x "$python" ]; then
    "$python" -I -S "$package/agents/hook.py" hook "$agent" "$event" "$@"
  else
    command wm hook "$agent" "$event" "$@"
  fi
}

# -q: a user's .curlrc may print. No proxy, no `100 Continue`.
post() {
  curl -qsf -m "$seconds" --noproxy '*' --unix-socket "$socket" -H Expect: \
    -H Content-Type:application/json -H "X-Wm-Project: $CLAUDE_PROJECT_DIR" \
    "$@" "http://wm/v1/hooks/$agent/$event"
}

# ID-1: where the daemon listens.
find_socket() {
  socket=$WM_SOCKET
  case "$socket$WM_HOME:$XDG_RUNTIME_DIR" in :/*) socket=$XDG_RUNTIME_DIR/wm/wm.sock ;; esac
  case $XDG_DATA_HOME in /*) data=$XDG_DATA_HOME ;; *) data=$HOME/.local/share ;; esac
  socket=${socket:-${WM_HOME:-$data/wm}/run/wm.sock}
}

# curl exits with 2 (too old) or 7 (no listener), or the shell with 127 (no curl), before a byte of
# a streamed payload is read.
streamed() {
  post -X POST -T - && return
  case $? in
    2 | 127) client $1 ;;
    7) [ "$1" ] || client --library ;;
  esac
}

kept() {
  payload=$(cat)
  answer=$(printf %s "$payload" | post --data-binary @-) && printf %s "$answer" && return
  case $? in 2 | 127) tried= ;; *) tried=--library ;; esac
  printf %s "$payload" | client $tried
}

if [ "$1" = --run ]; then
  shift
  wm "$@"
fi
exec 2>/dev/null
agent=$1 event=$2
# Cursor runs the hooks of Claude Code, too.
[ "$agent" = claude-code ] && [ "$CURSOR_VERSION" ] && exit 0
find_socket
# Another user's socket counts as one without a listener. `-O` is not in POSIX, but in every shell
# that some system uses as `sh`.
[ -O "$socket" ] || socket=/
case $3 in
  --stream) streamed "" ;;
  --socket) streamed --socket ;;
  *) kept ;;
esac
exit 0
