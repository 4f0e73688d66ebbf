/**
 * What the desktop gives to the user interface beside the endpoint. In a browser there is no bridge, and what needs one
 * is not shown.
 */
export interface DesktopBridge {
  /** Where the server listens, without a trailing slash. */
  readonly endpoint: string
  /** Sessions kept by the system's secret store, as one text. */
  readonly sessions: {
    readonly initial: string | null
    save(sessions: string): void
  }
}

declare global {
  interface Window {
    readonly desktop?: DesktopBridge
  }
}

export const desktop: DesktopBridge | undefined = window.desktop
