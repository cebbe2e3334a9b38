#!/usr/bin/env bash
# A real database under load: what is recorded agrees with what the kernel itself counts of the
# device, to the I/O, and its processes are known by what they do.
source "$(dirname "$0")/capture_lib.sh"
bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
need_tools runuser
[ -x "$bin/initdb" ] || skip "needs postgresql"

loop_device disk 512M
# Nothing that the filesystem would still be writing by itself.
mount_fs "$DEVICE" ext4 -E lazy_itable_init=0,lazy_journal_init=0
chmod 755 "$WORK"
mkdir "$MOUNT/data" "$WORK/socket"
chown postgres "$MOUNT/data" "$WORK/socket"
as_postgres() { (cd / && runuser -u postgres -- "$@"); }
as_postgres "$bin/initdb" -D "$MOUNT/data" -A trust >"$WORK/initdb.out" 2>&1 || fail "$(cat "$WORK/initdb.out")"
server() { # start or stop
  as_postgres "$bin/pg_ctl" -D "$MOUNT/data" -w -l "$WORK/socket/log" \
    -o "-k $WORK/socket -h '' -c shared_buffers=16MB -c cluster_name=bench" "$@" >/dev/null
}
sync -f "$MOUNT"
statistics() { echo "$(stat_of "$DEVICE" $READS) $(stat_of "$DEVICE" $WRITES)"; }

read -r reads writes <<<"$(statistics)"
start_capture "$WORK/t.rgt" -d "$DEVICE"
server start
as_postgres "$bin/pgbench" -h "$WORK/socket" -i -s 3 -q postgres 2>/dev/null
as_postgres "$bin/pgbench" -h "$WORK/socket" -c 4 -j 2 -t 100 postgres >"$WORK/pgbench.out" 2>&1
as_postgres psql -h "$WORK/socket" -qc checkpoint postgres
server stop
umount "$MOUNT"
stop_capture
read -r reads_after writes_after <<<"$(statistics)"

expect_equal "$(count_rows "$WORK/t.rgt" '$1 == "read"')" $((reads_after - reads)) "reads"
# The kernel counts a flush without data among the writes.
expect_equal "$(count_rows "$WORK/t.rgt" '$1 == "write" || $1 == "flush"')" $((writes_after - writes)) "writes"
expect_equal "$(note "$WORK/t.rgt" lost)" 0 "I/Os lost"
expect_whole_ledger "$WORK/t.rgt"
for role in checkpointer foreground; do
  [ "$(count_rows "$WORK/t.rgt" "\$6 == \"$role\" && \$7 == \"bench\"")" -gt 0 ] || fail "no I/O of the $role"
done
[ "$(stat -c %s "$WORK/t.rgt")" -le $((10 * $(wc -l <"$WORK/t.rgt.rows") + 8192)) ] || fail "more than 10 bytes an I/O"
