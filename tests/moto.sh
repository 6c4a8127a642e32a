# Starts moto as the AWS side. Read by the scripts that need it: `. tests/moto.sh`.

# start_moto VENV LOG: sets `moto`, the process, and `endpoint`, when it answers. Whoever calls it stops
# the process at the end.
start_moto() {
    local port
    # Below the ports that the system gives to clients: a connection to one of those, while nobody
    # listens, can become one to itself, and then it looks as if somebody did.
    port=$(python3 - <<'PYTHON'
import random
import socket

while True:
    port = random.randrange(20000, 30000)
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break
PYTHON
    )
    "$1/bin/moto_server" -H 127.0.0.1 -p "$port" >"$2" 2>&1 &
    moto=$!
    endpoint=http://127.0.0.1:$port
    for _ in $(seq 300); do
        if curl --silent --output /dev/null "$endpoint/moto-api/data.json"; then return; fi
        if ! kill -0 "$moto" 2>/dev/null; then break; fi
        sleep 0.2
    done
    echo "moto does not answer at $endpoint. It says:"
    cat "$2"
    return 1
}
