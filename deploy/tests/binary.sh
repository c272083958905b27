#!/bin/sh
# A binary that gateways can start: no symbol of a newer glibc than the floor, no library but the C library's own, and
# no larger than it may be.
#
#   deploy/tests/binary.sh BINARY [MOST_MIB]
set -eu

FLOOR=2.28

binary=$1
newest=$(readelf -W --version-info "$binary" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
if [ "$(printf '%s\n' "GLIBC_$FLOOR" "$newest" | sort -V | tail -n 1)" != "GLIBC_$FLOOR" ]; then
    echo "$binary: needs $newest, newer than $FLOOR:" >&2
    readelf -W --dyn-syms "$binary" | grep -F "$newest" >&2
    exit 1
fi

needed=$(readelf -W -d "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$needed" ]
for library in $needed; do
    case $library in
        libc.so.6 | libm.so.6 | libdl.so.2 | librt.so.1 | libpthread.so.0 | ld-linux-*.so.*) ;;
        *) echo "$binary: needs $library, which the package does not depend on" >&2; exit 1 ;;
    esac
done

bytes=$(stat -c %s "$binary")
if [ -n "${2-}" ] && [ "$bytes" -gt $(($2 << 20)) ]; then
    echo "$binary: $bytes bytes, more than $2 MiB" >&2
    exit 1
fi
echo "$binary: $bytes bytes, $newest," "$(echo "$needed" | tr '\n' ' ')"
