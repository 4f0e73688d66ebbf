/** Where the window was, and whether that is still a place on one of the displays. */

export interface WindowPlace {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly maximized?: boolean
}

/** As in `Electron.Rectangle`. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const usualSize = { width: 1080, height: 760 }
export const leastSize = { width: 420, height: 480 }

/**
 * The remembered place when enough of its title bar to take hold of is on a display, the usual size otherwise: displays come and go.
 * @param displays their work areas
 */
export function placeOn(displays: readonly Area[], remembered: WindowPlace | null): Partial<WindowPlace> {
  if (!remembered) return usualSize
  const size = {
    width: Math.max(remembered.width, leastSize.width),
    height: Math.max(remembered.height, leastSize.height),
  }
  const grip = { x: remembered.x + 40, y: remembered.y, width: size.width - 80, height: 24 }
  const isReachable = displays.some(
    (area) =>
      grip.y >= area.y &&
      grip.y + grip.height <= area.y + area.height &&
      grip.x < area.x + area.width &&
      grip.x + grip.width > area.x,
  )
  const { maximized = false } = remembered
  return isReachable ? { x: remembered.x, y: remembered.y, ...size, maximized } : { ...usualSize, maximized }
}
