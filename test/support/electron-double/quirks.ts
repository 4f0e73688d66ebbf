/** Faults of real systems that a spec can switch on: `ELECTRON_DOUBLE_QUIRKS`, separated by commas. */

export type Quirk =
  /** The window emits no `ready-to-show`, as under some Wayland compositors. */
  | 'ready-to-show-never'
  /** `ready-to-show` is emitted when the window is hidden for the first time. */
  | 'ready-to-show-late'
  /** The page loads, but the main process gets no event and `loadURL` stays pending. */
  | 'load-events-never'
  /** `closed` is emitted once the next window is there. */
  | 'closed-late'
  /** The first `loadURL` is rejected. */
  | 'load-fails-once'
  /** The keyring does not respond until `safeStorage.unlock()`. */
  | 'keyring-hangs'
  /** Chromium has no keyring and encrypts with its fixed key, but reports a real backend. */
  | 'keyring-v10'
  /** The first decryption is rejected. */
  | 'keyring-unavailable-once'
  /** The frame of a synchronous message has no URL yet. */
  | 'sender-url-empty'
  | 'clipboard-fails'

const chosen = (process.env.ELECTRON_DOUBLE_QUIRKS ?? '').split(',')

export function hasQuirk(quirk: Quirk): boolean {
  return chosen.includes(quirk)
}

const used = new Set<Quirk>()

/** True once for a quirk that is switched on. */
export function takeQuirk(quirk: Quirk): boolean {
  if (!hasQuirk(quirk) || used.has(quirk)) return false
  used.add(quirk)
  return true
}
