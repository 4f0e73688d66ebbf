import type { DesktopBridge } from '../electron/ground/bridge.ts'

declare global {
  interface Window {
    readonly desktop?: DesktopBridge
  }
}

/** The desktop bridge; undefined in a browser, where desktop features are hidden. */
export const desktop: DesktopBridge | undefined = window.desktop
