/** The saved position of the window, and whether it is still on a display. */

/** As in `Electron.Rectangle`. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface WindowPlace extends Area {
  readonly maximized?: boolean
}

export const defaultSize = { width: 1080, height: 760 }
export const minSize = { width: 420, height: 480 }

/**
 * The saved position if enough of the title bar to drag is on a display, otherwise the default size: displays come and go.
 * @param displays their work areas
 */
export function placeOn(displays: readonly Area[], saved: WindowPlace | null): Partial<WindowPlace> {
  if (!saved) return defaultSize
  const size = {
    width: Math.max(saved.width, minSize.width),
    height: Math.max(saved.height, minSize.height),
  }
  const grip = { x: saved.x + 40, y: saved.y, width: size.width - 80, height: 24 }
  const isReachable = displays.some(
    (area) =>
      grip.y >= area.y &&
      grip.y + grip.height <= area.y + area.height &&
      grip.x < area.x + area.width &&
      grip.x + grip.width > area.x,
  )
  const { maximized = false } = saved
  return isReachable ? { x: saved.x, y: saved.y, ...size, maximized } : { ...defaultSize, maximized }
}
