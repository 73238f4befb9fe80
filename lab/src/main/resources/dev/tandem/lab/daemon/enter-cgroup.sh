#!/bin/sh
# Becomes a command inside a control group: the group's directory, the command. Who is in the group
# before it forks leaves nobody outside.
echo $$ > "$1/cgroup.procs"
shift
exec "$@"
