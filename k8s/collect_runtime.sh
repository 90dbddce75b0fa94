#!/usr/bin/env bash
# Puts a program and the shared libraries it loads into a folder that becomes
# the image: PROGRAM at /app, libraries in /app/lib. libc and its kin stay the
# base image's.
#   k8s/collect_runtime.sh PROGRAM IMAGE_FOLDER
set -euo pipefail
[ $# = 2 ] || { echo "usage: $0 PROGRAM IMAGE_FOLDER" >&2; exit 2; }
program=$1
image=$2

if missing=$(ldd "$program" | grep 'not found'); then
  echo "$program lacks libraries:" >&2
  echo "$missing" >&2
  exit 1
fi
mkdir -p "$image/app/lib" "$image/etc/ld.so.conf.d"
install -m 0755 "$program" "$image/app/"
ldd "$program" | awk '$3 ~ /^\// { print $3 }' |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv)\.so\.' |
  while read -r library; do
    install -m 0644 "$library" "$image/app/lib/"
  done
# The program finds them through the loader's cache, whatever its rpath says.
echo /app/lib >"$image/etc/ld.so.conf.d/tributary.conf"
ldconfig -r "$image" -C /etc/ld.so.cache -f /etc/ld.so.conf.d/tributary.conf
