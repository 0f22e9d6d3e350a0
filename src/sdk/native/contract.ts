/**
 * What the addon (`native/addon`, Node-API) adds to Node, the same on every system. All calls are short and synchronous;
 * they throw {@link NativeError}, and ArgumentError before anything is done: `invalid_path`, `invalid_scheme`,
 * `invalid_handler_id`, `invalid_name`, `invalid_command`. The C++ side decides nothing: paths, names and what to
 * register come from here.
 */
export interface NativeAddon {
  /**
   * Takes an exclusive lock on a file, which is created (mode 0600) when missing and never deleted; its folder must exist.
   *
   * @param path absolute; a symbolic link as the last part is refused (`ELOOP`)
   * @returns undefined while anyone holds it, this process included
   * @throws NativeError of the open, for example `ENOENT`, `EACCES`, `EISDIR`
   */
  tryLock(path: string): NativeLock | undefined;

  /**
   * Who opens addresses of the scheme at present.
   *
   * @param scheme without the colon, lower case
   * @returns undefined when nobody does, or the registered program is gone
   */
  handlerOf(scheme: string): SchemeHandler | undefined;

  /** Makes a program the scheme's handler for this user, in place of any other. Idempotent. @throws NativeError */
  registerScheme(registration: SchemeRegistration): void;

  /** Takes back the registration of that id; what others registered stays. Idempotent. @throws NativeError */
  unregisterScheme(scheme: string, id: string): void;

  /**
   * Gives what the allocator keeps of freed memory back to the system: glibc on Linux; elsewhere it does nothing. All threads
   * that allocate wait meanwhile, about 80 ms for each GiB (measured).
   *
   * @returns whether there was any
   */
  trimMemory(): boolean;
}

/** A lock held. The system releases it too when the process dies; so does the collection of this object as garbage. */
export interface NativeLock {
  /** Idempotent. */
  release(): void;
}

/** Who opens addresses of a scheme. */
export interface SchemeHandler {
  /** Linux: name of the desktop file, with `.desktop`; Windows: ProgId; macOS: bundle id. */
  readonly id: string;
  /** The command as the system keeps it (`Exec` line, registry value); on macOS the path of the bundle. */
  readonly command: string;
}

/** Who is to open addresses of a scheme. */
export interface SchemeRegistration {
  /** Without the colon, lower case. */
  readonly scheme: string;
  /** See {@link SchemeHandler.id}. */
  readonly id: string;
  /** What people are shown when they are asked whether to open the program. */
  readonly name: string;
  /** Program (absolute path) and arguments; the system appends the address. Unused on macOS, where the bundle says it. */
  readonly command: readonly string[];
}

/** What the addon throws: an `Error` with the system's name of the failure. */
export interface NativeError extends Error {
  /** `ENOENT`, `EACCES` … as in Node; `EINVAL` for an argument that no system takes. */
  readonly code: string;
}
