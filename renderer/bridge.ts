import type { DesktopBridge } from '../electron/bridge.ts'

declare global {
  interface Window {
    readonly desktop?: DesktopBridge
  }
}

/** The desktop around this page; in a browser there is none, and what needs one is not shown. */
export const desktop: DesktopBridge | undefined = window.desktop
