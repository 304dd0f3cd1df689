# What the checks of packages share; they source it.

# free_port prints a free port of the loopback interface.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# await PID LOG COMMAND... waits until a service is ready, which COMMAND asks it. If it ends before, the log is printed.
await() {
	local pid=$1 log=$2
	shift 2
	for _ in $(seq 150); do
		if "$@" >/dev/null 2>&1; then
			return 0
		fi
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.2
	done
	cat "$log" >&2
	return 1
}
