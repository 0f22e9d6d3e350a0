/**
 * What the addon (`native/addon`, Node-API) adds to Node, the same on every system. All calls are short and synchronous;
 * they throw {@link NativeError}, and ArgumentError before anything is done: `invalid_path`, `invalid_scheme`,
 * `invalid_handler_id`, `invalid_name`, `invalid_command`. The C++ side contains no policy: paths, names and what to
 * register are passed in.
 */
export interface NativeAddon {
  /**
   * Takes an exclusive lock on a file. The file is created (mode 0600) when missing and never deleted. Its folder must exist.
   *
   * @param path absolute; a symbolic link as the last part is rejected (`ELOOP`)
   * @returns undefined while the lock is held, also by this process
   * @throws NativeError from opening the file, for example `ENOENT`, `EACCES`, `EISDIR`
   */
  tryLock(path: string): NativeLock | undefined;

  /**
   * The program that opens addresses of the scheme at present.
   *
   * @param scheme without the colon, lower case
   * @returns undefined when there is none, or the registered program no longer exists
   */
  handlerOf(scheme: string): SchemeHandler | undefined;

  /** Makes a program the scheme's handler for this user, in place of any other. Idempotent. @throws NativeError */
  registerScheme(registration: SchemeRegistration): void;

  /** Removes the registration with that id, but no other. Idempotent. @throws NativeError */
  unregisterScheme(scheme: string, id: string): void;
}

/** A lock that is held. It is also released when the process dies and when this object is garbage-collected. */
export interface NativeLock {
  /** Idempotent. */
  release(): void;
}

/** The program that opens addresses of a scheme. */
export interface SchemeHandler {
  /** Linux: the name of the desktop file, with `.desktop`; Windows: the ProgId; macOS: the bundle id. */
  readonly id: string;
  /** The command as the system stores it (`Exec` line, registry value); on macOS the path of the bundle. */
  readonly command: string;
}

/** A registration to create. */
export interface SchemeRegistration {
  /** Without the colon, lower case. */
  readonly scheme: string;
  /** See {@link SchemeHandler.id}. */
  readonly id: string;
  /** The name that browsers show when they ask whether to open the program. */
  readonly name: string;
  /** The program (absolute path) and its arguments; the system appends the address. Unused on macOS, where the bundle is opened. */
  readonly command: readonly string[];
}

/** An `Error` of the addon, with the system's name of the failure. */
export interface NativeError extends Error {
  /** `ENOENT`, `EACCES` … as in Node; `EINVAL` for an argument that no system accepts. */
  readonly code: string;
}
