#!/bin/sh
# real-keyring.sh CMD...: runs CMD with a session bus of its own and an unlocked throw-away keyring;
# with KEYRING=none there is the service, but no keyring yet.
set -eu
T=$(mktemp -d)
export HOME="$T" XDG_DATA_HOME="$T/data" XDG_RUNTIME_DIR="$T/run" XDG_CONFIG_HOME="$T/config" XDG_CACHE_HOME="$T/cache"
mkdir -p "$XDG_DATA_HOME" "$XDG_RUNTIME_DIR" "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME"
chmod 700 "$XDG_RUNTIME_DIR"
unset DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY
rc=0
# Without the wait for the bus name the first call can race and start a second daemon.
dbus-run-session -- sh -c '
  if [ "${KEYRING:-unlocked}" = none ]
  then gnome-keyring-daemon --start --components=secrets >/dev/null
  else printf "test\n" | gnome-keyring-daemon --unlock --components=secrets >/dev/null
  fi
  i=0
  until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
    string:org.freedesktop.secrets 2>/dev/null | grep -q true
  do i=$((i+1)); [ $i -lt 200 ] || exit 97; sleep 0.02; done
  "$@"' sh "$@" || rc=$?
rm -rf "$T"
exit $rc
