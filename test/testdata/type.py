"""Types into a program on a terminal, as a person would.

    type.py WAIT KEYS [WAIT KEYS]... -- PROGRAM [ARGUMENT]...

waits until the program has shown WAIT and then types KEYS (with Python's
escapes), and ends with the program's exit status. A program that shows
something else than was waited for is killed after a minute, and what it has
shown is told.
"""

import os
import pty
import select
import signal
import sys
import time

split = sys.argv.index("--")
talk, program = sys.argv[1:split], sys.argv[split + 1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(program[0], program)

shown, since, deadline = b"", 0, time.monotonic() + 60
while True:
    if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
        os.kill(pid, signal.SIGKILL)
        sys.exit("%s waits for something: %r" % (program[0], shown))
    try:
        more = os.read(terminal, 65536)
    except OSError:  # the program has closed the terminal
        more = b""
    if not more:
        break
    shown += more
    if talk and talk[0].encode() in shown[since:]:
        os.write(terminal, talk[1].encode().decode("unicode_escape").encode("latin-1"))
        talk, since = talk[2:], len(shown)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if talk or code:
    sys.exit("%s ended with %d: %r" % (program[0], code, shown))
